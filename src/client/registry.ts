import type {HttpResponse, Send} from '../contract/wire.ts'
import type {Env} from './reach.ts'

const PUBLIC = 'https://registry.npmjs.org/'
const WITHIN_MS = 10_000

/**
 * Asks a registry of npm which version of a package is its latest one: the registry that npm_config_registry names, else
 * the public one. The request tells nothing but the name of the package. Returns undefined if the answer is not such a
 * document, and else whatever it holds in that place. Fails with NO_CONNECTION, NO_ANSWER, TLS_UNTRUSTED, INSECURE_URL and INVALID_INPUT.
 */
export async function askLatest(send: Send, env: Env, name: string): Promise<unknown> {
  const base = env.npm_config_registry || env.NPM_CONFIG_REGISTRY || PUBLIC
  if (!URL.canParse(base)) return undefined
  // A user and a password may stand in the URL, and stay here.
  const {origin, pathname} = new URL(base)
  const url = `${origin}${pathname.replace(/\/*$/, '/')}${name}`
  // The short form of the document, as `npm install` asks for it.
  const headers = {accept: 'application/vnd.npm.install-v1+json'}
  return latestIn(await send({method: 'GET', url, headers, timeoutMs: WITHIN_MS}))
}

function latestIn({status, body}: HttpResponse): unknown {
  if (status !== 200) return undefined
  try {
    return JSON.parse(body)['dist-tags'].latest
  } catch {
    return undefined
  }
}

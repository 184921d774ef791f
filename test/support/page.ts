// The built `webhooks listen --ui`, and a client of its page that is no browser.
import {type IncomingHttpHeaders, request} from 'node:http'
import {type Listening, listening} from './listening.ts'

export interface PageAnswer {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

interface Asked {
  method?: string
  /** With the token, unless it says otherwise. */
  headers?: Record<string, string | string[]>
  token?: string | null
  body?: string
}

export interface Paged extends Listening {
  /** As the terminal prints it. */
  url: string
  token: string
  uiPort: number
  /** Sends a request for exactly this path. */
  ask(path: string, asked?: Asked): Promise<PageAnswer>
  /** How many were refused. */
  refused(): number
  /** The document that a path answers. */
  // biome-ignore lint/suspicious/noExplicitAny: a document is anything
  json(path: string): Promise<any>
}

export async function paged(env: NodeJS.ProcessEnv, ...argv: string[]): Promise<Paged> {
  const port = argv.includes('--ui-port') ? [] : ['--ui-port', '0']
  const listener = await listening(env, '--ui', ...port, ...argv)
  const {ui: url} = await listener.saw('ready')
  const [, uiPort, token = ''] = /^http:\/\/127\.0\.0\.1:(\d+)\/#t=(.*)$/.exec(url) ?? []
  let refused = 0
  const ask = async (path: string, asked: Asked = {}) => {
    const answer = await askPage(Number(uiPort), token, path, asked)
    if (answer.status >= 400) refused += 1
    return answer
  }
  const json = async (path: string) => JSON.parse((await ask(path)).body)
  return {...listener, url, token, refused: () => refused, uiPort: Number(uiPort), ask, json}
}

function askPage(
  port: number,
  own: string,
  path: string,
  {method = 'GET', headers, token = own, body}: Asked,
) {
  const sent = {...(token === null ? {} : {Authorization: `Bearer ${token}`}), ...headers}
  return new Promise<PageAnswer>((resolve, reject) => {
    const options = {host: '127.0.0.1', port, path, method, headers: sent, agent: false}
    request(options, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part) => {
        text += part
      })
      response.on('end', () =>
        resolve({status: response.statusCode ?? 0, headers: response.headers, body: text}),
      )
      response.on('error', reject)
    })
      .on('error', reject)
      .end(body)
  })
}

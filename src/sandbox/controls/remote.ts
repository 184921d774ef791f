import {Failure} from '../../contract/failure.ts'
import {parseJson} from '../../contract/money.ts'

/** Where the controls of a running sandbox are. */
interface Controls {
  adminUrl: string
  adminToken: string
}

interface Envelope {
  state: string
  payload: unknown
  details: unknown
}

/** Calls a control of a running sandbox and returns its payload. Fails with SANDBOX_NOT_RUNNING, or as it refuses. */
export async function callAdmin<Payload>(
  {adminUrl, adminToken}: Controls,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
): Promise<Payload> {
  const headers = {authorization: `Bearer ${adminToken}`, 'content-type': 'application/json'}
  const text = body === undefined ? null : JSON.stringify(body)
  const response = await fetch(`${adminUrl}/${path}`, {method, headers, body: text}).catch(
    (cause: unknown) => {
      throw new Failure('SANDBOX_NOT_RUNNING', {}, {cause})
    },
  )
  const {state, payload, details} = parseJson(await response.text()) as Envelope
  if (response.ok) return payload as Payload
  const request = `${method} ${new URL(`${adminUrl}/${path}`).pathname}`
  throw new Failure(state, {
    ...sentencesOf(state, details),
    httpStatus: response.status,
    details,
    request,
  })
}

/** The texts of the catalogue address a partner; these replace them for the controls. */
function sentencesOf(state: string, details: unknown): {message?: string; hint?: string} {
  const errors = (details as {errors?: Record<string, string[]>} | null)?.errors ?? {}
  const named = Object.entries(errors).map(([field, messages]) => `${field} ${messages.join(', ')}`)
  if (named.length > 0) return {message: `The sandbox refused: ${named.join('; ')}.`}
  const [, missing] = /^NOT_FOUND_(\w+)$/.exec(state) ?? []
  if (missing === undefined || missing === 'PARTNER') return {}
  const words = missing.toLowerCase().replaceAll('_', ' ')
  return {
    message: `The sandbox has no such ${words}.`,
    ...(missing === 'VARIANT' ? {} : {hint: 'Every id is in `scent sandbox status --all --json`.'}),
  }
}

/** Whether the process that a locator names is the sandbox that answers there. */
export async function isAnswering({adminUrl, pid}: {adminUrl: string; pid: number}): Promise<boolean> {
  const health = new URL('/__sandbox/health', adminUrl)
  try {
    const response = await fetch(health, {signal: AbortSignal.timeout(2_000)})
    return ((await response.json()) as {payload?: {pid?: number}}).payload?.pid === pid
  } catch {
    return false // nobody there, or somebody else
  }
}

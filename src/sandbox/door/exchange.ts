import {mintToken} from '../../contract/auth.ts'
import type {CallOf} from '../core/call.ts'
import {issueToken} from './auth.ts'
import {checkMediaType, faultsOfTexts, judgeBody, parseBody, refuseFields} from './body.ts'
import {type Reply, success} from './reply.ts'
import {insteadOf, spoiled} from './spoil.ts'
import {limit, meet, type Visit} from './visit.ts'

/**
 * The token route: 415, 429, body (T02), credentials. The media type comes first here, unlike X01: the key of the limit
 * is in the body. It is the client id that the body names, else the caller (X04); failed logins count too (X11).
 */
export async function exchange(visit: Visit): Promise<Reply> {
  const {state, incoming, trace} = visit
  checkMediaType(incoming.header)
  const text = await incoming.body()
  trace.requestBody = text
  trace.clientId = clientIdIn(text)
  limit(visit, 'token', trace.clientId === null ? `ip ${incoming.ip}` : `id ${trace.clientId}`)
  const fault = meet(visit, 'mintToken', mintToken.path)
  const early = fault && insteadOf(fault)
  if (early) return early
  const rejectsUnknown = state.assumptions.E09 === 'reject'
  const {sound, faults} = judgeBody(mintToken.body, parseBody(text), rejectsUnknown, trace.ignored)
  const {clientId, clientSecret, onBehalfOf} = sound as CallOf<'mintToken'>['body']
  refuseFields([...faults, ...faultsOfTexts({clientId, clientSecret})])
  const reply = success(await issueToken(state, {clientId, clientSecret, onBehalfOf}))
  return fault === null ? reply : spoiled(state, reply, fault)
}

function clientIdIn(text: string | null): string | null {
  try {
    const {clientId} = (JSON.parse(text ?? '') ?? {}) as {clientId?: unknown}
    return typeof clientId === 'string' && clientId !== '' ? clientId : null
  } catch {
    return null // not JSON: the caller's address is the key
  }
}

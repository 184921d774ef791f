import {createHmac, randomUUID, timingSafeEqual} from 'node:crypto'
import {type CompactJWSHeaderParameters, CompactSign, compactVerify} from 'jose'
import type {CallOf} from '../core/call.ts'
import type {Partner} from '../core/schema.ts'
import type {Environment, Identity, State, TokenSpoil, Tokens} from '../core/state.ts'
import type {World} from '../core/world.ts'
import {partnerByClientId, partnerById, secretOf} from '../rules/partners.ts'
import {refuse} from './reply.ts'

export const lifetimeSeconds = 300
const skewSeconds = 30
const audience = 'partner-api'
/** Verified tokens are remembered: checking a signature costs more than the rest of a read. */
const remembered = 2_000

const keyOf = (secret: string) => new Uint8Array(createHmac('sha256', secret).update('token-key').digest())

export function createTokens(secret: string): Tokens {
  const key = keyOf(secret)
  const known = new Map<string, Identity>()
  return {
    mint: (identity, path, spoil) =>
      sign(identity, path, spoil === 'foreign-key' ? keyOf(`${secret} foreign`) : key, spoil),
    read: async (token) => {
      const cached = known.get(token)
      if (cached !== undefined) return cached
      const identity = await verify(token, key)
      if (identity === undefined) return undefined
      if (known.size >= remembered) known.clear()
      known.set(token, identity)
      return identity
    },
  }
}

/** T01. T07: a new token leaves the older ones valid, and nothing is revoked. */
function sign(identity: Identity, path: string, key: Uint8Array, spoil?: TokenSpoil): Promise<string> {
  const issuedAt = identity.expiresAt - lifetimeSeconds
  const claims = {
    iss: 'scent-sandbox',
    aud: spoil === 'wrong-audience' ? 'another-api' : audience,
    sub: identity.partnerId,
    cid: identity.clientId,
    path,
    env: identity.environment,
    act: identity.actorId,
    jti: randomUUID(),
    iat: issuedAt,
    nbf: issuedAt,
    exp: identity.expiresAt,
  }
  const header: CompactJWSHeaderParameters = {alg: 'HS256', typ: 'JWT'}
  return new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
    .setProtectedHeader(header)
    .sign(key)
}

async function verify(token: string, key: Uint8Array): Promise<Identity | undefined> {
  try {
    const {payload} = await compactVerify(token, key, {algorithms: ['HS256']})
    const claims = JSON.parse(new TextDecoder().decode(payload)) as Record<string, unknown>
    if (claims.aud !== audience) return undefined
    return {
      partnerId: String(claims.sub),
      clientId: String(claims.cid),
      actorId: typeof claims.act === 'string' ? claims.act : null,
      environment: claims.env === 'production' ? 'production' : 'staging',
      expiresAt: Number(claims.exp),
    }
  } catch {
    return undefined // not a token of ours, whatever it is
  }
}

const tokenForm = /^[A-Za-z0-9._~+/-]+=*$/

/**
 * The caller of a request with this Authorization header, or a refusal with the 401 or 403 that fits, in the
 * order of T05. `now` is the sandbox's time (T13).
 */
export async function identify(
  tokens: Tokens,
  authorization: string | undefined,
  now: number,
  environment: Environment,
): Promise<Identity> {
  const sent = bearerOf(authorization?.trim() ?? '')
  if (!sent) refuse('UNAUTHORIZED_MISSING_TOKEN', {message: 'Send Authorization: Bearer <token>.'})
  const identity = tokenForm.test(sent) ? await tokens.read(sent) : undefined
  if (identity === undefined) refuse('UNAUTHORIZED_INVALID_TOKEN', {message: 'The token is not valid here.'})
  // T03
  if (now >= (identity.expiresAt + skewSeconds) * 1000) {
    refuse('UNAUTHORIZED_TOKEN_EXPIRED', {message: 'The token is past its lifetime.'})
  }
  if (identity.environment !== environment) {
    refuse('AUTH_ENVIRONMENT_MISMATCH', {message: 'The token belongs to another environment.'})
  }
  return identity
}

/** The token of a bearer header, empty if there is none; the scheme has no case (T04). */
function bearerOf(authorization: string): string {
  return authorization.slice(0, 7).toLowerCase() === 'bearer ' ? authorization.slice(7).trim() : ''
}

/** POST /auth/token: a wrong id, a wrong secret and another environment's credential look alike (T11). */
export async function issueToken(state: State, body: CallOf<'mintToken'>['body']): Promise<unknown> {
  const {world} = state
  const partner = partnerByClientId(world, body.clientId)
  const known = partner !== undefined && sameText(secretOf(state, partner.client_id), body.clientSecret)
  if (!known || partner.environment !== state.environment) refuse('UNAUTHORIZED_INVALID_CREDENTIALS')
  // T08: after a correct secret only; tokens that live already work on.
  if (!partner.active) refuse('UNAUTHORIZED_PARTNER_INACTIVE')
  const target =
    body.onBehalfOf === undefined ? partner : descendant(world, partner, body.onBehalfOf.toLowerCase())
  const identity: Identity = {
    partnerId: target.id,
    clientId: partner.client_id,
    actorId: target.id === partner.id ? null : partner.id,
    environment: state.environment,
    expiresAt: Math.floor(state.clock.now() / 1000) + lifetimeSeconds,
  }
  const accessToken = await state.tokens.mint(identity, target.path)
  return {accessToken, tokenType: 'Bearer', expiresIn: lifetimeSeconds}
}

/** T09: unknown, sibling and ancestor look alike; self and an inactive descendant are known to the caller. */
function descendant(world: World, caller: Partner, id: string): Partner {
  if (id === caller.id) refuse('FORBIDDEN_DELEGATION_TARGET_INVALID')
  const target = partnerById(world, id)
  if (target === undefined || !target.path.startsWith(`${caller.path}/`))
    refuse('FORBIDDEN_NOT_YOUR_DESCENDANT')
  if (!target.active) refuse('FORBIDDEN_DELEGATION_TARGET_INVALID')
  return target
}

function sameText(a: string, b: string): boolean {
  const digest = (text: string) => createHmac('sha256', 'compare').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}

import * as z from 'zod/mini'
import type {Operation} from './operation.ts'
import {shown, uuid} from './wire.ts'

/** Token response. The token is opaque: it is sent, never read. */
const token = z.looseObject({
  // Only these characters fit into a header.
  accessToken: z.string().check(z.regex(/^[\x21-\x7e]+$/, 'must be printable ASCII')),
  tokenType: shown(z.string()),
  expiresIn: z.int().check(z.positive()),
})

export const mintToken = {
  summary: 'Exchange a credential for a bearer token of 300 seconds.',
  method: 'POST',
  path: '/api/v1/auth/token',
  auth: 'none',
  repeat: 'freely',
  body: z.strictObject({
    clientId: z.string().check(z.minLength(1)),
    clientSecret: z.string().check(z.minLength(1)),
    onBehalfOf: z.optional(uuid),
  }),
  payload: token,
  // VALIDATION_ERRORS — not shown: the token endpoint lists no 400, but a malformed body must answer something.
  fails: [
    'UNAUTHORIZED_INVALID_CREDENTIALS',
    'UNAUTHORIZED_PARTNER_INACTIVE',
    'FORBIDDEN_NOT_YOUR_DESCENDANT',
    'FORBIDDEN_DELEGATION_TARGET_INVALID',
    'VALIDATION_ERRORS',
  ],
} as const satisfies Operation

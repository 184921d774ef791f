import {Failure} from '../../contract/failure.ts'

/**
 * The decisions that can be turned the other way (docs/assumptions.md). The first alternative is the default.
 */
const alternatives = {
  E09: ['ignore', 'reject'], // unknown body fields
  H04: ['nested', 'flat', 'id-only'], // where the event of a notice has it: in data.notice, in data, or nowhere
  H05: ['v1', 'plain', 'base64', 'standard', 'stripe', 'body-only'], // the form of a delivery's signature
  L04: ['refused', 'allowed'], // an order that the wallet can't pay: Failed, or an overdraft
  O01: ['created', 'success'], // the answer to an order create: 201 CREATED or 200 SUCCESS
  O20: ['current', 'synced'], // whether delivery moves an order's status on
  R03: ['Damaged', 'any'], // the reason codes of a return: the one that is known, or whatever is sent
  R07: ['plural', 'singular'], // the form of return requests: plural and Requested, or singular and Pending
  W06: ['NOT_UNAVAILABLE', 'ALREADY_AVAILABLE'], // the refusal of a back-in-stock registration
  X09: ['real', 'virtual'], // the clock of the limits
} as const satisfies Record<string, readonly [string, string, ...string[]]>

type Alternatives = typeof alternatives
export type Assumptions = {[Id in keyof Alternatives]: Alternatives[Id][number]}

/** Reads `ID=alternative` pairs. Fails with INVALID_INPUT naming what is known. */
export function assume(pairs: readonly string[] = []): Assumptions {
  const chosen: Record<string, string> = Object.fromEntries(
    Object.entries(alternatives).map(([id, [inForce]]) => [id, inForce]),
  )
  for (const pair of pairs) {
    const [id = '', value = ''] = pair.split('=')
    const known: readonly string[] | undefined = Object.hasOwn(alternatives, id)
      ? alternatives[id as keyof Alternatives]
      : undefined
    if (!known?.includes(value)) {
      const choices = Object.entries(alternatives).map(([name, values]) => `${name}=${values.join('|')}`)
      throw new Failure('INVALID_INPUT', {
        message: `No such assumption: ${pair}. Known: ${choices.join(', ')}.`,
      })
    }
    chosen[id] = value
  }
  return chosen as Assumptions
}

/** The decisions that were turned, as `ID=alternative`. */
export function turned(assumptions: Assumptions): string[] {
  return Object.entries(assumptions)
    .filter(([id, value]) => alternatives[id as keyof Alternatives][0] !== value)
    .map(([id, value]) => `${id}=${value}`)
}

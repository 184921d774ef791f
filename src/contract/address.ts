import {isCountry} from './countries.ts'
import {Failure} from './failure.ts'
import {printJson} from './money.ts'
import {type ShippingAddress, shippingAddress} from './orders.ts'
import {damageOf} from './wire.ts'

/** The fields of an address in the order in which people write them (spec, Create scent order). */
export const addressFields = [
  {name: 'recipient', label: 'Recipient', required: true},
  {name: 'line1', label: 'Street and building', required: true},
  {name: 'line2', label: 'More of the street address', required: false},
  {name: 'city', label: 'City', required: true},
  {name: 'nationalAddress', label: 'National short address', required: true},
  {name: 'region', label: 'Region', required: false},
  {name: 'postalCode', label: 'Postal code', required: false},
  {name: 'countryCode', label: 'Country', required: true},
  {name: 'phone', label: 'Phone', required: true},
] as const satisfies {name: keyof ShippingAddress; label: string; required: boolean}[]

export type AddressField = (typeof addressFields)[number]

const FEWEST_DIGITS = 5

/**
 * The rule that one field breaks; undefined when it breaks none. not shown: the form of a phone number; one that no
 * courier could call is refused here.
 */
export function fieldRule({name, required}: AddressField, value: unknown): string | undefined {
  if (value === undefined || value === '') return required ? 'is required' : undefined
  if (typeof value !== 'string') return `must be text, not ${printJson(value, 0)}`
  const damage = damageOf(value)
  if (damage !== undefined) return damage
  if (required && value.trim() === '') return 'must not be blank'
  if (name === 'countryCode' && !isCountry(value))
    return 'is not an ISO 3166-1 alpha-3 code in capitals, such as SAU'
  if (name === 'phone' && (value.match(/\p{Nd}/gu) ?? []).length < FEWEST_DIGITS)
    return `needs at least ${FEWEST_DIGITS} digits`
  return undefined
}

/**
 * An address from a file or from flags, as the service takes it.
 * Fails with INVALID_INPUT, which names every field that breaks its rule.
 */
export function checkAddress(value: unknown): ShippingAddress {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Failure('INVALID_INPUT', {message: 'The address must be one JSON object.'})
  const given = value as Record<string, unknown>
  const known = new Set<string>(addressFields.map(({name}) => name))
  const problems = [
    ...addressFields.flatMap((field) => {
      const one = given[field.name] ?? undefined
      const rule = fieldRule(field, one)
      return rule === undefined ? [] : [[field.name, [withValue(one, rule)]] as const]
    }),
    ...Object.keys(given).flatMap((name) =>
      known.has(name) ? [] : [[name, ['is not a field of an address']] as const],
    ),
  ]
  if (problems.length > 0)
    throw new Failure('INVALID_INPUT', {
      message: "The shipping address can't be used.",
      hint: `Its fields are ${addressFields.map(({name, required}) => (required ? name : `${name}?`)).join(', ')}.`,
      details: {errors: Object.fromEntries(problems)},
    })
  // An empty or null optional field is left out: the service is asked nothing it need not answer.
  const filled = Object.entries(given).filter(([, field]) => field !== null && field !== '')
  return shippingAddress.parse(Object.fromEntries(filled))
}

function withValue(value: unknown, rule: string): string {
  return typeof value === 'string' && value.trim() !== '' ? `${printJson(value, 0)} ${rule}` : rule
}

import {isCountry} from './countries.ts'
import {Failure} from './failure.ts'
import {type ShippingAddress, shippingAddress} from './orders.ts'

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
 * What is wrong with one field, and the rule it breaks; undefined when nothing is. not shown: the form of a phone
 * number; one that no courier could call is refused here.
 */
export function fieldProblem({name, label, required}: AddressField, value: unknown): string | undefined {
  if (value === undefined || value === '') return required ? `${name} (${label}) is required` : undefined
  if (typeof value !== 'string') return `${name} must be text, not ${JSON.stringify(value)}`
  if (/\p{Surrogate}/u.test(value)) return `${name} must be well-formed text; it holds half a character`
  if (required && value.trim() === '') return `${name} (${label}) must not be blank`
  if (name === 'countryCode' && !isCountry(value))
    return `countryCode "${value}" is no ISO 3166-1 alpha-3 code in capitals, such as SAU`
  if (name === 'phone' && (value.match(/\p{Nd}/gu) ?? []).length < FEWEST_DIGITS)
    return `phone needs at least ${FEWEST_DIGITS} digits`
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
    ...addressFields.map(
      (field) => [field.name, fieldProblem(field, given[field.name] ?? undefined)] as const,
    ),
    ...Object.keys(given).map(
      (name) => [name, known.has(name) ? undefined : 'is no field of an address'] as const,
    ),
  ].flatMap(([name, problem]) =>
    problem === undefined ? [] : [[name, [withoutName(name, problem)]] as const],
  )
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

/** In `details.errors` the name stands before its problems already. */
function withoutName(name: string, problem: string): string {
  return problem.startsWith(`${name} `) ? problem.slice(name.length + 1) : problem
}

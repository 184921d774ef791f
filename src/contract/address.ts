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
  if (name === 'phone' && SHORTENED.test(value))
    return 'was shortened by a spreadsheet; format the column as text, such as +966501234567'
  if (name === 'phone' && NATIONAL.test(undashed(value)))
    return `must begin with its country code; a Saudi number would be ${international(value)}`
  return undefined
}

/** A Saudi short address; not shown: whether the service takes other forms. */
export const SHORT_ADDRESS = /^([A-Z]{4})[\s-]?(\d{4})$/i

/** Whether a national address in Saudi Arabia has another form than every short address: it may have been mistyped. */
export const isOddAddress = ({
  nationalAddress,
  countryCode,
}: Pick<ShippingAddress, 'nationalAddress' | 'countryCode'>): boolean =>
  countryCode === 'SAU' && !SHORT_ADDRESS.test(nationalAddress.trim())

/** A phone number as it is dialled within its own country. */
const NATIONAL = /^0[1-9]\d{6,}$/

/** What spreadsheets make of many digits. */
const SHORTENED = /^\s*\d([.,]\d+)?e\+?\d+\s*$/i

const undashed = (phone: string) => phone.replace(/[\s()-]/g, '')

/** A phone number as it is dialled from anywhere; one without a country code is taken for a Saudi one. */
export function international(phone: string): string {
  const plain = undashed(phone)
  if (/^00[1-9]\d{6,}$/.test(plain)) return `+${plain.slice(2)}`
  return NATIONAL.test(plain) ? `+966${plain.slice(1)}` : phone
}

type NameOf = (field: AddressField) => string

/**
 * An address from a file or from flags, as the service takes it. `nameOf`: what a field is called where it comes from.
 * Fails with INVALID_INPUT, which names every field that breaks its rule.
 */
export function checkAddress(value: unknown, nameOf: NameOf = ({name}) => name): ShippingAddress {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Failure('INVALID_INPUT', {message: 'The address must be one JSON object.'})
  const given = value as Record<string, unknown>
  checkFields(given, addressFields, nameOf)
  // An empty or null optional field is left out: the service is asked nothing it need not answer.
  const filled = Object.entries(given).filter(([, field]) => field !== null && field !== '')
  return shippingAddress.parse(Object.fromEntries(filled))
}

/** Fails with INVALID_INPUT if one of `fields` breaks its rule, or if there are others that no address has. */
export function checkFields(
  given: Record<string, unknown>,
  fields: readonly AddressField[],
  nameOf: NameOf,
): void {
  const known = new Set<string>(addressFields.map(({name}) => name))
  const problems = [
    ...fields.flatMap((field) => {
      const one = given[field.name] ?? undefined
      const rule = fieldRule(field, one)
      return rule === undefined ? [] : [[nameOf(field), [withValue(one, rule)]] as const]
    }),
    ...Object.keys(given).flatMap((name) =>
      known.has(name) ? [] : [[name, ['is not a field of an address']] as const],
    ),
  ]
  if (problems.length === 0) return
  const names = addressFields.map((field) => `${nameOf(field)}${field.required ? '' : ' (optional)'}`)
  throw new Failure('INVALID_INPUT', {
    message: "The shipping address can't be used.",
    hint: `An address takes ${names.join(', ')}.`,
    details: {errors: Object.fromEntries(problems)},
  })
}

function withValue(value: unknown, rule: string): string {
  return typeof value === 'string' && value.trim() !== '' ? `${printJson(value, 0)} ${rule}` : rule
}

/** All of an address in one line. */
export const addressText = (address: ShippingAddress) =>
  addressFields.flatMap(({name}) => address[name] || []).join(', ')

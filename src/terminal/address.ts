import * as Flags from '@oclif/core/flags'
import {
  type AddressField,
  addressFields,
  addressText,
  checkAddress,
  checkFields,
  fieldRule,
  international,
  isOddAddress,
  SHORT_ADDRESS,
} from '../contract/address.ts'
import {countryNames} from '../contract/countries.ts'
import type {ShippingAddress} from '../contract/orders.ts'
import type {Ask} from './ask.ts'

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const flagOf = ({name}: AddressField) => `address-${kebab(name)}`

/** --address FILE, or a flag for each field. */
export const addressFlags = {
  address: Flags.string({
    summary:
      'JSON file with the shipping address (recipient, line1, city, nationalAddress, countryCode, phone and the optional ones); - reads it from stdin.',
    helpValue: 'FILE|-',
    helpGroup: 'ADDRESS',
  }),
  ...(Object.fromEntries(
    addressFields.map((field) => [
      flagOf(field),
      Flags.string({
        summary: `${field.label}${field.required ? '' : ' (optional)'}.`,
        aliases: field.name === kebab(field.name) ? [] : [`address-${field.name}`],
        exclusive: ['address'],
        helpValue: field.name === 'countryCode' ? 'ISO3' : 'TEXT',
        helpGroup: 'ADDRESS',
      }),
    ]),
  ) as Record<string, ReturnType<typeof Flags.string>>),
}

/** The fields of an address that flags give. */
export type Part = {[name in AddressField['name']]?: string}

function partIn(flags: Record<string, unknown>): Part {
  const given = addressFields.flatMap((field) => {
    const value = flags[flagOf(field)]
    return typeof value === 'string' ? [[field.name, value] as const] : []
  })
  return Object.fromEntries(given)
}

const nameOf = (field: AddressField) => `--${flagOf(field)}`

/** The address as the flags give it, checked; undefined if none is given. `read` reads the file of --address. */
export async function addressOf(
  flags: Record<string, unknown>,
  read: (path: string) => Promise<unknown>,
): Promise<ShippingAddress | undefined> {
  if (typeof flags.address === 'string') return checkAddress(await read(flags.address))
  const given = partIn(flags)
  return Object.keys(given).length === 0 ? undefined : checkAddress(given, nameOf)
}

/** The fields that the flags give, checked, if they are a part of an address; undefined if they are all or nothing. */
export function partOf(flags: Record<string, unknown>): Part | undefined {
  const part = partIn(flags)
  const isGiven = ({name}: AddressField) => part[name] !== undefined
  const given = addressFields.filter(isGiven)
  if (given.length === 0 || addressFields.every((field) => isGiven(field) || !field.required))
    return undefined
  checkFields(part, given, nameOf)
  return part
}

/** What is worth a second look in an address that was not typed just now; '' for nothing. */
export const doubtOf = (address: ShippingAddress | undefined): string =>
  address && isOddAddress(address)
    ? `Warning: the national address ${JSON.stringify(address.nationalAddress)} is not four letters and four digits, such as RRRD2929.`
    : ''

/** An address in one line, without what only a courier needs. */
const oneLine = (address: ShippingAddress) =>
  [address.recipient, address.line1, address.city, address.countryCode].join(', ')

/** Lets the person pick a saved address, or type one field after the other; of a `part` the rest is asked for. */
export async function askAddress(
  ask: Ask,
  saved: ShippingAddress[],
  before: ShippingAddress | undefined,
  part: Part | undefined,
): Promise<ShippingAddress> {
  const known = before ? [before, ...saved.filter((one) => addressText(one) !== addressText(before))] : saved
  const choices = [
    ...known.slice(0, 9).map((value) => ({name: oneLine(value), value})),
    {name: 'Another address', value: null},
  ]
  const flag = '--address'
  const picked =
    part || known.length === 0
      ? null
      : await ask.choose<ShippingAddress | null>({message: 'Ship to', flag, choices})
  if (picked) return picked
  const typed: Part = {...part}
  for (const field of addressFields) typed[field.name] ??= await askField(ask, field, typed)
  return checkAddress(typed)
}

async function askField(ask: Ask, field: AddressField, typed: Part): Promise<string> {
  const read = (text: string) => tidied(field, text.trim(), typed)
  const answer = await ask.text({
    message: `${field.label}${hintOf(field, typed)}`,
    flag: nameOf(field),
    ...(field.name === 'countryCode' ? {initial: 'SAU'} : {}),
    check: (text) => problem(field, read(text), typed),
  })
  return read(answer)
}

function hintOf({name, required}: AddressField, {countryCode = 'SAU'}: Part): string {
  if (name === 'phone' && countryCode !== 'SAU') return ' (with its country code, such as +12025550123)'
  return hints[name] ?? (required ? '' : ' (optional)')
}

const hints: Partial<Record<AddressField['name'], string>> = {
  nationalAddress: ' (such as RRRD2929)',
  countryCode: ' (ISO 3166-1 alpha-3)',
  phone: ' (such as +966501234567)',
}

/** What was typed, in the form that fits: it is shown once more before anything is ordered. */
function tidied({name}: AddressField, text: string, {countryCode}: Part): string {
  if (name === 'countryCode') return text.toUpperCase()
  if (name === 'phone' && countryCode === 'SAU') return international(text)
  const [, letters, digits] = (name === 'nationalAddress' && SHORT_ADDRESS.exec(text)) || []
  return letters && digits ? letters.toUpperCase() + digits : text
}

/** Says why a typed answer is not valid. For the name of a country it suggests the code. */
function problem(field: AddressField, text: string, {countryCode = 'SAU'}: Part): string | undefined {
  const rule = fieldRule(field, text)
  const wrong = rule && `${field.label} ${rule}`
  // The service's own rule is not known, so that a file may give any; a person is more likely to have mistyped it.
  if (!wrong && field.name === 'nationalAddress' && isOddAddress({nationalAddress: text, countryCode}))
    return `${field.label} must be four letters and four digits, such as RRRD2929`
  if (field.name !== 'countryCode' || !wrong || text.length < 2) return wrong
  const near = countryNames().filter(
    ({code, name}) => name.toUpperCase().startsWith(text) || code.startsWith(text),
  )
  const list = near.slice(0, 5).map(({code, name}) => `${code} (${name})`)
  return list.length > 0 ? `${wrong}; did you mean ${list.join(', ')}?` : wrong
}

import * as Flags from '@oclif/core/flags'
import {type AddressField, addressFields, checkAddress, fieldRule} from '../contract/address.ts'
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

/** The address as the flags give it, checked; undefined if none is given. `read` reads the file of --address. */
export async function addressOf(
  flags: Record<string, unknown>,
  read: (path: string) => Promise<unknown>,
): Promise<ShippingAddress | undefined> {
  if (typeof flags.address === 'string') return checkAddress(await read(flags.address))
  const given = addressFields.flatMap((field) => {
    const value = flags[flagOf(field)]
    return typeof value === 'string' ? [[field.name, value] as const] : []
  })
  return given.length === 0 ? undefined : checkAddress(Object.fromEntries(given))
}

const oneLine = (address: ShippingAddress) =>
  [address.recipient, address.line1, address.city, address.countryCode].join(', ')

/** Lets the person pick a saved address, or type one field after the other. */
export async function askAddress(
  ask: Ask,
  saved: ShippingAddress[],
  before: ShippingAddress | undefined,
): Promise<ShippingAddress> {
  const known = before ? [before, ...saved.filter((one) => oneLine(one) !== oneLine(before))] : saved
  const choices = [
    ...known.slice(0, 9).map((value) => ({name: oneLine(value), value})),
    {name: 'Another address', value: null},
  ]
  const flag = '--address'
  const picked =
    known.length === 0 ? null : await ask.choose<ShippingAddress | null>({message: 'Ship to', flag, choices})
  if (picked) return picked
  const typed: Record<string, string> = {}
  for (const field of addressFields) typed[field.name] = await askField(ask, field)
  return checkAddress(typed)
}

async function askField(ask: Ask, field: AddressField): Promise<string> {
  const country = field.name === 'countryCode'
  const answer = await ask.text({
    message: `${field.label}${hints[field.name] ?? (field.required ? '' : ' (optional)')}`,
    flag: `--${flagOf(field)}`,
    ...(country ? {initial: 'SAU'} : {}),
    check: (text) => problem(field, country ? text.trim().toUpperCase() : text.trim()),
  })
  return country ? answer.toUpperCase() : answer
}

const hints: Partial<Record<AddressField['name'], string>> = {
  nationalAddress: ' (such as RRRD2929)',
  countryCode: ' (ISO 3166-1 alpha-3)',
  phone: ' (such as +966501234567)',
}

/** Says why a typed answer is not valid. For the name of a country it suggests the code. */
function problem(field: AddressField, text: string): string | undefined {
  const rule = fieldRule(field, text)
  const wrong = rule && `${field.label} ${rule}`
  if (field.name !== 'countryCode' || !wrong || text.length < 2) return wrong
  const near = countryNames().filter(
    ({code, name}) => name.toUpperCase().startsWith(text) || code.startsWith(text),
  )
  const list = near.slice(0, 5).map(({code, name}) => `${code} (${name})`)
  return list.length > 0 ? `${wrong}; did you mean ${list.join(', ')}?` : wrong
}

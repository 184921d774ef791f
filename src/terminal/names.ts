/** What a command takes on its line, by name. */
export interface Takes {
  flags: readonly string[]
  args: readonly string[]
}

/** The flags and arguments of a command. The fields of `scent api` are those of the API. */
export function takesOf(
  id: string | undefined,
  {flags = {}, args = {}}: {flags?: object; args?: object},
): Takes {
  if (id === 'api') return {flags: [], args: []}
  return {flags: Object.keys(flags), args: Object.keys(args)}
}

/** The flags whose names are not those of the API's fields. */
const FLAGS: Readonly<Record<string, string>> = {
  fromUtc: 'from',
  toUtc: 'to',
  customerRef: 'customer',
  externalReference: 'reference',
  priceLockId: 'lock',
  referenceType: 'type',
  discountType: 'type',
  fulfillmentGroupId: 'group',
  isActive: 'active',
  activeOnly: 'inactive',
  totalUsageCap: 'total-cap',
  perCustomerCap: 'customer-cap',
  productScope: 'scope',
  minOrderValue: 'min-order',
  scopedVariantIds: 'variant',
  eventType: 'event',
  eventTypes: 'event',
  headers: 'header',
  lines: 'line',
  shippingAddress: 'address',
}

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/**
 * How a field of the API stands on the command line of a command: a flag, an argument, or the field's own name if the
 * command does not take it by itself.
 */
export function nameOnLine(field: string, {flags, args}: Takes): string {
  const [first = '', ...inner] = field.split(/[.[]/)
  const own = Object.hasOwn(FLAGS, first) ? (FLAGS[first] ?? '') : kebab(first)
  const noun = kebab(first.replace(/Id$/, ''))
  const flag = [[own, ...inner.map(kebab)].join('-'), own, noun].find((name) => flags.includes(name))
  if (flag !== undefined) return `--${flag}`
  const arg = [noun, own, ...(first.endsWith('Id') ? ['id'] : [])].find((name) => args.includes(name))
  return arg === undefined ? field : arg.toUpperCase()
}

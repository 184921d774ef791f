import type {Client} from '../../client/client.ts'
import type {Preview} from '../../contract/checkout.ts'
import {type DiscountCode, listDiscountCodes} from '../../contract/discounts.ts'
import {isFailure} from '../../contract/failure.ts'
import {millis} from '../../contract/forms.ts'
import {amountText, exact, isDigits} from '../../contract/money.ts'
import {nearest} from '../../contract/nearest.ts'

/** A discount code that is to be sent with an order. */
export interface CheckedCode {
  text: string
  /** What the own codes say of it; absent if it is not among them. */
  found?: DiscountCode
  /** Why the service will refuse it, as far as the own codes tell. */
  problem?: string
  /** A code that may have been meant. */
  meant?: string
}

/**
 * Looks a code up in the own ones. The service alone decides: if they can't be read, nothing is said of the code. Its use
 * by this customer is not told anywhere.
 */
export async function checkCode(client: Client, text: string, cart: Preview): Promise<CheckedCode> {
  const all = await ownCodes(client)
  if (all === undefined) return {text}
  const found = all.find(({code}) => code === text)
  if (found) {
    const problem = problemOf(found, cart)
    return {text, found, ...(problem && {problem})}
  }
  const meant = all.find(({code}) => code.toLowerCase() === text.toLowerCase())?.code
  const [near = meant] = nearest(text, meant ? [] : all.map(({code}) => code))
  return {text, problem: 'is not one of your discount codes', ...(near !== undefined && {meant: near})}
}

type NamedCode = DiscountCode & {code: string}

async function ownCodes(client: Client): Promise<NamedCode[] | undefined> {
  const codes: NamedCode[] = []
  try {
    for await (const one of client.pages(listDiscountCodes, {query: {pageSize: 100}}, {onlyShown: true}))
      if (typeof one?.code === 'string') codes.push(one as NamedCode)
    return codes
  } catch (error) {
    if (isFailure(error)) return undefined
    throw error
  }
}

/** The rules of a code that its fields tell, by the service's own clock. One that is not known breaks none. */
function problemOf(code: DiscountCode, {lines, pricedAt}: Preview): string | undefined {
  const {isActive, validFrom, validTo, totalUsageCap, usageCount, minOrderValue} = code
  const now = millis(String(pricedAt))
  if (isActive === false) return 'is not active'
  if (now < millis(String(validFrom))) return `is valid only from ${validFrom}`
  if (now >= millis(String(validTo))) return `was valid until ${validTo}`
  if (Number(usageCount ?? 0) >= Number(totalUsageCap ?? Number.POSITIVE_INFINITY))
    return `has been used ${usageCount} times, which is all it may be`
  const goods = lines.reduce(
    (sum, {lineTotalWithVat}) => (isDigits(lineTotalWithVat) ? sum.plus(exact(lineTotalWithVat)) : sum),
    exact(0),
  )
  // not shown: whether the value of an order is meant with VAT: one that is too low even with it is.
  if (isDigits(minOrderValue) && goods.lt(exact(minOrderValue)))
    return `needs an order of ${amountText(minOrderValue)} or more`
  const isScoped = code.productScope !== 'All' && Array.isArray(code.scopedVariantIds)
  const scope = new Set(isScoped ? code.scopedVariantIds?.map((id) => String(id).toLowerCase()) : [])
  if (isScoped && !lines.some(({variantId}) => scope.has(variantId.toLowerCase())))
    return 'is for other variants'
  return undefined
}

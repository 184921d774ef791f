import {trusts} from '../receipts/records.ts'
import type {Filter} from './shapes.ts'

// What a page asks for behind the ? of an address.

/** What is wrong with a query: without it, something else would be answered than was asked for. */
export function faultIn(query: URLSearchParams): string | undefined {
  for (const [name, text] of query) {
    const isNumber = ['after', 'before', 'copy', 'limit'].includes(name)
    if (isNumber && !/^\d{1,15}$/.test(text)) return `${name} is a whole number, 0 or more`
    if (name === 'problems' && !['', '0', '1'].includes(text)) return 'problems is 1 or 0'
    const isTrust = text === '' || trusts.some((one) => one === text)
    if (name === 'trust' && !isTrust) return `trust is one of ${trusts.join(', ')}`
  }
  return undefined
}

export function numberIn(query: URLSearchParams, name: string, otherwise: number): number {
  const text = query.get(name)
  return text === null ? otherwise : Number(text)
}

export function filterIn(query: URLSearchParams): Filter {
  const trust = trusts.find((one) => one === query.get('trust')) ?? ''
  return {q: (query.get('q') ?? '').slice(0, 200), trust, problems: query.get('problems') === '1'}
}

import {parse} from 'lossless-json'
import {describe, expect, it} from 'vitest'
import {digits, isDigits, parseJson, printJson} from '../../src/contract/money.ts'
import {openQuery} from '../../src/terminal/query/query.ts'

/** The same by a parser that reads number by number. */
const reference = (text: string) =>
  parse(text, null, {parseNumber: digits, onDuplicateKey: ({newValue}) => newValue})

const read = (text: string, by: (text: string) => unknown) => {
  try {
    return printJson(by(text), 0)
  } catch (error) {
    return (error as Error).name
  }
}

/** Numbers between 0 and 1, the same ones at each run. */
function chance(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

describe('JSON is read digit for digit', () => {
  it.each([
    ...['1.50', '-0', '0', '1e5', '1E+5', '0.10', '9007199254740993', '-1.0', '1e400', '123456789012345'],
    ...['[01]', '[1.]', '[.5]', '[+1]', '[1e]', '[-]', '[1.5.2]', '[2-3]', '[00.5]', '[1.5"a"]', '1.5 1.5'],
    ...['{1.5:2}', '{1:2}', '{-1.5 :2}', '{"a":1.50}', '{"1.50":1.50}', '{"a" : 1.50 , "b":[1.50]}'],
    ...['"1.50"', '"a\\"1.50"', '"\\\\"', '["\\\\",1.50]', '"\\u00001.50"', '["\\u00001.50",1.50]'],
    ...['{"a":1.5,"a":2.50}', '{"a":{"b":1},"a":1.50}', '{"toString":1.50,"length":2.0}'],
    ...['', '"', '"1.50', '[1.50', 'nul', 'null', 'true', ' [ 1.50 ] ', '\ufeff1', '"\n1.50"', '[1,]'],
  ])('%j', (text) => {
    expect(read(text, parseJson)).toBe(read(text, reference))
  })

  it('in any text, also one that is no JSON', () => {
    const random = chance(7)
    const pick = (from: string[]) => from[Math.floor(random() * from.length)] ?? ''
    const parts = [
      ...['1', '1.50', '-0.10', '12e3', '0', '-', '.', 'e', '"', '"a"', '"1.5"', '\\', '\\"', '\\u0000'],
      ...['{', '}', '[', ']', ',', ':', ' ', '\n', 'null', '"k":', '[1.50]', '{"a":2.0}'],
    ]
    let sound = 0
    for (let round = 0; round < 40_000; round += 1) {
      const inner = Array.from({length: 1 + Math.floor(random() * 6)}, () => pick(parts)).join('')
      const text = pick([inner, `[${inner}]`, `{"a":${inner}}`])
      const expected = read(text, reference)
      if (expected !== 'SyntaxError') sound += 1
      expect(read(text, parseJson), text).toBe(expected)
    }
    expect(sound).toBeGreaterThan(1_000)
  })

  it('keeps a key that objects have a meaning for', () => {
    expect(printJson(parseJson('{"__proto__":1.50,"a":{"__proto__":{"b":2.0}}}'), 0)).toBe(
      '{"__proto__":1.50,"a":{"__proto__":{"b":2.0}}}',
    )
  })

  it.each([
    ['quotes that never end', `"${'\\"'.repeat(1_000_000)}`],
    ['a number without an end', `[${'1'.repeat(1_000_000)}:]`],
    ['blanks without an end', `[${`1${' '.repeat(100_000)}`.repeat(10)}]`],
  ])('%s take no time', (_, text) => {
    const start = performance.now()
    expect(read(text, parseJson)).toBe('SyntaxError')
    expect(performance.now() - start).toBeLessThan(20_000)
  })
})

it.each(['1e999999999', '-1E+99999', '1e-999999999', `1${'0'.repeat(500)}`])(
  'a number that would fill the memory in a sum is no amount: %s',
  (text) => {
    expect(isDigits(parseJson(text))).toBe(false)
    expect(printJson({total: parseJson(text)}, 0)).toBe(`{"total":${text}}`)
    expect(() => openQuery('sum(items)')({items: [1, parseJson(text)]})).toThrow(/sum\(\) takes numbers/)
  },
)

it.each(['1e308', '305.90', '-0.000001', '9007199254740993'])('… and %s is one', (text) => {
  expect(isDigits(parseJson(text))).toBe(true)
})

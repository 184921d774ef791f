import {describe, expect, it} from 'vitest'
import {printJson} from '../../src/contract/money.ts'
import {bodyOf, queryOf} from '../../src/terminal/fields.ts'

const body = (...texts: string[]) => printJson(bodyOf(texts.map((text) => ({text, raw: false}))), 0)

describe('fields of a raw request', () => {
  it.each([
    [['a=text', 'b=7', 'c=10.50', 'd=9007199254740993'], '{"a":"text","b":7,"c":10.50,"d":9007199254740993}'],
    [['a=true', 'b=null', 'c=', 'd=007', 'e=+966'], '{"a":true,"b":null,"c":"","d":"007","e":"+966"}'],
    [['a[b]=1', 'a[c][d]=x=y'], '{"a":{"b":1,"c":{"d":"x=y"}}}'],
    [['a[]=1', 'a[]=2'], '{"a":[1,2]}'],
    [
      ['lines[][id]=x', 'lines[][quantity]=1', 'lines[][id]=y', 'lines[][quantity]=2'],
      '{"lines":[{"id":"x","quantity":1},{"id":"y","quantity":2}]}',
    ],
    [['__proto__x=1'], '{"__proto__x":1}'],
  ])('%j become %s', (texts, expected) => {
    expect(body(...texts)).toBe(expected)
  })

  it.each([
    [['nothing']],
    [['=1']],
    [['a=1', 'a=2']],
    [['a=1', 'a[b]=2']],
    [['a[b=1']],
    [['a]b=1']],
    [['a[]=1', 'a[b]=2']],
    [['__proto__[x]=1']],
    [['a[__proto__]=1']],
  ])('%j are refused', (texts) => {
    expect(() => body(...texts)).toThrow(expect.objectContaining({code: 'INVALID_INPUT'}))
  })

  it('stay text where they are raw, and in a query', () => {
    expect(printJson(bodyOf([{text: 'postalCode=12345', raw: true}]), 0)).toBe('{"postalCode":"12345"}')
    expect(
      queryOf([
        {text: 'a=1', raw: false},
        {text: 'a=b=c', raw: true},
      ]),
    ).toEqual([
      ['a', '1'],
      ['a', 'b=c'],
    ])
  })
})

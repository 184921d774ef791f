import jmespath from 'jmespath'
import {describe, expect, it} from 'vitest'
import {parseJson, printJson} from '../../src/contract/money.ts'
import {openQuery} from '../../src/terminal/query/query.ts'

const ledger = `{"items":[
  {"id":9007199254740993,"amount":10.50,"type":"Debit","tags":["a","b"]},
  {"id":9007199254740992,"amount":0.10,"type":"Credit","tags":[]},
  {"id":7,"amount":10.5,"type":"Debit","tags":null},
  {"id":8,"amount":200,"type":"Debit","nested":{"x":{"y":1},"z":{"y":2}}}
],"rate":0.266667,"empty":[]}`

const ask = (expression: string, text = ledger) => printJson(openQuery(expression)(parseJson(text)), 0)

describe('a query over a document', () => {
  it.each([
    ['items[*].amount', '[10.50,0.10,10.5,200]'],
    ['items[0].id', '9007199254740993'],
    ['items[?id == `9007199254740993`].amount', '[10.50]'],
    ['items[?id != `9007199254740993`] | length(@)', '3'],
    ['items[?amount == `10.5`].amount', '[10.50,10.5]'],
    ['items[?amount == `10.50`].amount', '[10.50,10.5]'],
    ['items[?amount > `10`].amount', '[10.50,10.5,200]'],
    ['items[?amount >= `10.50` && amount < `200.00`].id', '[9007199254740993,7]'],
    ['items[?id > `9007199254740992`].id', '[9007199254740993]'],
    ["items[?type == 'Credit'].{id: id, amount: amount}", '[{"id":9007199254740992,"amount":0.10}]'],
    ['sum(items[*].amount)', '221.1'],
    ['avg(items[0:2].amount)', '5.3'],
    ['max(items[*].amount)', '200'],
    ['min(items[*].amount)', '0.10'],
    ['max_by(items, &id).amount', '10.50'],
    ['sort(items[*].amount)', '[0.10,10.50,10.5,200]'],
    ['sort_by(items, &amount)[*].id', '[9007199254740992,9007199254740993,7,8]'],
    ['reverse(items)[0].id', '8'],
    ['contains(items[*].amount, `0.1`)', 'true'],
    ['to_string(items[0].amount)', '"10.50"'],
    ["to_number('10.50')", '10.50'],
    ['ceil(`10.2`)', '11'],
    ['floor(`-10.2`)', '-11'],
    ['abs(`-0.10`)', '0.1'],
    ['[rate, items[0].amount]', '[0.266667,10.50]'],
    ['`{"a": [1.50]}`', '{"a":[1.50]}'],
    ['rate', '0.266667'],
    ['nothing', 'null'],
  ])('%s gives %s', (expression, expected) => {
    expect(ask(expression)).toBe(expected)
  })

  it('agrees with the library wherever doubles are exact', () => {
    const text =
      '{"a":[{"n":1,"s":"x","l":[1,[2,3]]},{"n":3,"s":"y","l":[]},{"n":2,"s":"z"}],"o":{"p":{"q":1},"r":{"q":2}},"t":true,"u":null}'
    const expressions = `a[*].n|a[].l[]|a[::-1].n|a[1:]|a[-1]|a[9]|a[:2].s|a[?n>\`1\`].s|a[?n<=\`2\` && s!='x']
      o.*.q|o.p.q|keys(o)|values(o)|length(a)|length('abc')|a[?!l].s|a[0] || t|u || t|t && u|!t|!u
      [t, u]|{x: t, y: a[0].n}|a[*].[n, s]|sort_by(a, &n)[*].s|max_by(a, &n).s|min_by(a, &n).s|map(&n, a)
      join('-', a[*].s)|starts_with('abc', 'ab')|ends_with('abc', 'bc')|contains('abc', 'b')|contains(a[*].n, \`3\`)
      type(a)|type(t)|type(u)|type(\`1\`)|to_array(t)|to_string(a[0].l)|not_null(u, t)|merge(o, {z: \`1\`})
      reverse(a[*].n)|reverse('abc')|abs(\`-3\`)|@.t|"t"|a[].n | [0]|a[?s=='y'] | [0].n|a[*].l[0]|o.* | [0]
      a[0].l[1][0]|a[?n==\`1\`].l[] | [1]|sum(a[*].n)|avg(a[*].n)|max(a[*].s)|min(a[*].n)|a[::2].n|a[-2:].n|a[2:0:-1].n`
    const list = expressions.split(/\n\s*/).flatMap((line) => line.split(/(?<![ |])\|(?![ |])/))
    for (const expression of list) {
      const expected = JSON.stringify(jmespath.search(JSON.parse(text), expression))
      expect(ask(expression, text), expression).toBe(expected)
    }
  })

  it.each([
    'items[',
    'items[?',
    'nofunction(@)',
    'sum(items)',
    'length(`1`)',
    'items[::0]',
    '',
    'max(@)',
    'abs()',
  ])('a bad expression is refused before anything else: %s', (expression) => {
    expect(() => ask(expression)).toThrow(expect.objectContaining({code: 'INVALID_INPUT', exitCode: 2}))
  })
})

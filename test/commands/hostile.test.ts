import {readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {parse} from 'csv-parse/sync'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {safe} from '../../src/terminal/text.ts'
import {scentAmongMany as run} from '../support/many.ts'
import {manyOrders, orderFile} from '../support/order-file.ts'
import {folder} from '../support/program.ts'
import {bin, start} from '../support/scent.ts'
import {page, type Reply, service, userOf} from '../support/service.ts'
import {noTmux, withTerminal} from '../support/tmux.ts'

/** What a service, or somebody who writes into it, could send to take over a terminal or a spreadsheet. */
const hostile: [string, string][] = [
  ['a title and a clear screen', '\u001b]0;owned\u0007\u001b[2J\u001b[Hx'],
  ['a control sequence of C1', '\u009b31mx\u009d0;y\u009c'],
  ['a second line', 'real\r\nfake\tline'],
  ['a carriage return', 'real\rfake'],
  ['a bidi override', 'user\u202egnp.exe'],
  ['zero-width characters', 'pay\u200bpal\ufeff'],
  ['letters without ink', 'a\u3164b\u115f\uffa0\u2800\u{1d173}c'],
  ['variation selectors and joiners of nothing', 'a\ufe0f\u034f\u17b4\u180b\u{e0100}'],
  ['a pile of marks', `a${'\u0301'.repeat(20)}`],
  ['line separators', 'a\u2028b\u2029c'],
  ['half a character', 'a\ud83d'],
  ['a backspace and a bell', 'abc\b\b\b\u0007'],
  ['a formula', '=HYPERLINK("http://x","y")'],
  ['a formula with a plus', '+1+cmd|calc'],
  ['a formula with a minus', '-2+3'],
  ['a formula with an at', '@SUM(1)'],
  ['a formula behind a tab', '\t=1+1'],
  ['a formula in full width', '\uff1d1+1'],
  ['quotes, commas and a line break', 'a"b,c\nd'],
]

/** Nothing but printable characters, tabs and line breaks of our own. */
const CLEAN =
  /^[^\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u2800\p{Default_Ignorable_Code_Point}]*$/u

const id = '6c1f8a52-3f0e-4b1d-9a70-5d2c8e1b7f43'
const texts = hostile.map(([, text]) => text)
/** As JSON has them: half a character is in no JSON that every program reads, and written as in a terminal. */
const whole = texts.map((text) => text.replace('\ud83d', '\\u{d83d}'))
let shop: Awaited<ReturnType<typeof service>>
let env: NodeJS.ProcessEnv

beforeAll(async () => {
  const variant = (text: string) =>
    `{"id":"${id}","sku":${JSON.stringify(text)},"barcode":${JSON.stringify(text)},"pricing":{"currency":"SAR","unitPrice":-1.50}}`
  shop = await service(({url}): Reply => {
    if (url.includes('/scent/variants/')) return variant(texts.join(''))
    if (url.includes('pageSize=3'))
      return page([
        '{"id":"6c1f8a52-3f0e-4b1d-9a70-5d2c8e1b7f43","pricing":{"unitPrice":"=1+1","currency":"=1+1"},"sizeMl":["=1+1"],"sku":["=1+1"],"isSample":{"kind":"money","amount":"=1+1"},"availability":{"state":["=1+1"]}}',
        '{"id":"6c1f8a52-3f0e-4b1d-9a70-5d2c8e1b7f43","pricing":"=1+1","sizeMl":{"kind":"time","at":"=1+1"},"sku":{"kind":"odd"},"isSample":"=1+1","availability":"=1+1"}',
      ])
    if (url.includes('/scent/variants')) return page(texts.map(variant))
    const errors = Object.fromEntries(texts.map((text) => [text, [text, {[text]: text}]]))
    const details = {errors, ...Object.fromEntries(texts.map((text) => [`${text}!`, text]))}
    return {status: 422, state: texts.join(''), details}
  })
  env = userOf(shop.url)
})

afterAll(() => shop.close())

const scent = (line: string) => run(env, line.split(' '))

describe('text that wants to take over', () => {
  it('stays one visible cell in a pipe', async () => {
    const {stdout} = await scent('catalog variants --columns id,sku,pricing.unitPrice')
    expect(stdout).toMatch(CLEAN)
    expect(stdout).toBe(texts.map((text) => `${id}\t${safe(text)}\t-1.50\n`).join(''))
  })

  it('is no formula in CSV, where numbers stay numbers', async () => {
    const {stdout} = await scent('catalog variants --output csv --columns sku,pricing.unitPrice')
    expect(stdout).toMatch(CLEAN)
    const [, ...rows] = parse(stdout) as string[][]
    expect(rows.map(([sku = '']) => sku.replace(/^'/, ''))).toEqual(texts.map(safe))
    for (const [sku = '', price] of rows) {
      expect(sku).not.toMatch(/^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/)
      expect(price).toBe('-1.50')
    }
  })

  it('is no formula either where it stands in the place of a number, a list or a word', async () => {
    const {stdout} = await scent(
      'catalog variants --limit 3 --output csv --columns pricing.unitPrice,sizeMl,sku,availability.state,isSample',
    )
    const [, ...rows] = parse(stdout) as string[][]
    expect(rows.flat().filter((cell) => /^[=+@]/.test(cell))).toEqual([])
    expect(rows[0]?.[0]).toBe("'=1+1")
  })

  it('is whole in JSON, and shows a terminal nothing to act on', async () => {
    const [json, ndjson] = await Promise.all([
      scent('catalog variants --json'),
      scent('catalog variants --output ndjson'),
    ])
    expect(json.stdout + ndjson.stdout).toMatch(CLEAN)
    const skus = (rows: {sku: string}[]) => rows.map(({sku}) => sku)
    expect(skus(JSON.parse(json.stdout).items)).toEqual(whole)
    expect(
      skus(
        ndjson.stdout
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line)),
      ),
    ).toEqual(whole)
  })

  it('is visible in an error, in both voices', async () => {
    const [plain, json] = await Promise.all([scent('wallet balance'), scent('wallet balance --json')])
    expect(plain.stderr).toMatch(CLEAN)
    expect(plain.stderr.trimEnd().split('\n')).toHaveLength(2 * texts.length + 4)
    expect(json.stdout).toMatch(CLEAN)
    expect(JSON.parse(json.stdout).error).toMatchObject({
      state: whole.join(''),
      details: {[`${texts[0]}!`]: texts[0]},
    })
  })

  it('in an argument shows a terminal nothing to act on', async () => {
    for (const text of texts.filter((one) => !/\p{Surrogate}/u.test(one))) {
      const {code, stderr} = await run(env, ['cart', 'add', text])
      expect([code, stderr]).toEqual([2, expect.stringMatching(CLEAN)])
      expect(stderr).toContain('variant')
    }
  })

  const missing = noTmux()
  if (missing) console.warn(`skipped: ${missing}`)

  it.skipIf(missing)('is shown by a terminal, which obeys none of it', async () => {
    const settings = {...env, TERM: 'screen-256color', LANG: 'C.UTF-8'}
    const commands = ['catalog variants', `catalog variant ${id}`, 'wallet balance']
    await withTerminal(
      settings,
      async (terminal) => {
        terminal.type(`clear; ${commands.map((line) => `node ${bin} ${line}`).join('; ')}; echo "[$?]"`)
        terminal.press('Enter')
        await terminal.see('[7]')
        const screen = terminal.screen()
        for (const shown of [
          'VARIANT',
          'Barcode',
          'Error:',
          '\\u{9b}31m',
          'real\\u{d}fake',
          '\\u{202e}gnp',
        ]) {
          expect(screen).toContain(shown)
        }
        expect(screen.split(id)).toHaveLength(texts.length + 2)
      },
      {columns: 200, rows: 120},
    )
  })
})

describe('a large file of rows with three problems each', () => {
  const place = folder()
  function badFile(rows: number): string {
    const bad = manyOrders('R', rows).map((row, n) => ({
      ...row,
      quantity: 0,
      phone: '1',
      sku: `NONE-${n % 300}`,
    }))
    return orderFile(place, `${rows}.csv`, bad)
  }
  let file: string
  beforeAll(() => {
    file = badFile(20_000)
  })

  /** Runs the program, and tells the most memory that it took, in MB. */
  async function measured(...argv: string[]) {
    const [hook, report] = [join(place, 'peak.cjs'), join(place, 'peak')]
    const write = `require('node:fs').writeFileSync(${JSON.stringify(report)}, String(process.resourceUsage().maxRSS))`
    writeFileSync(hook, `process.on('exit', () => ${write})`)
    const ended = await run({...env, NODE_OPTIONS: `--require ${hook}`}, argv)
    return {...ended, megabytes: Number(readFileSync(report, 'utf8')) / 1024}
  }

  it.each([
    ['text', []],
    ['text beside NDJSON', ['--output', 'ndjson']],
  ])('is refused with every one of them, as %s, in little memory', async (_, more) => {
    const {code, stdout, stderr, megabytes} = await measured('orders', 'import', file, ...more)
    expect([code, stdout]).toEqual([2, ''])
    const lines = stderr.split('\n').filter((line) => line.startsWith('  line '))
    expect(lines).toHaveLength(60_000)
    expect(lines.slice(-3)).toEqual([
      '  line 20001: quantity "0" must be a whole number of 1 or more',
      '  line 20001: sku "NONE-199" is not a SKU of the own assortment',
      '  line 20001: phone "1" needs at least 5 digits',
    ])
    expect(megabytes).toBeLessThan(150)
  })

  it('is refused with every one of them in one document, of 100,000 rows in little memory', async () => {
    const {code, stdout, megabytes} = await measured('orders', 'import', badFile(100_000), '--json')
    const {error} = JSON.parse(stdout)
    expect([code, error.state, error.exitCode]).toEqual([2, 'INVALID_INPUT', 2])
    expect(error.details.problems).toHaveLength(300_000)
    expect(error.details.problems.at(-1)).toEqual({
      line: 100_001,
      column: 'phone',
      value: '1',
      rule: 'needs at least 5 digits',
    })
    expect(megabytes).toBeLessThan(150)
  }, 180_000)

  it('interrupted while it is told leaves no second document behind the first', async () => {
    const running = start(env, ['orders', 'import', file, '--json'])
    await running.said('"problems"')
    running.child.kill('SIGINT')
    const {code, stdout, stderr} = await running.ended
    expect(code).toBe(130)
    expect(stdout.match(/"error"/g)).toHaveLength(1)
    expect(stderr).toContain('Interrupted. Nothing was changed.')
  })

  it('is not read on once nobody reads any more', async () => {
    const running = start(env, ['orders', 'import', file, '--json'])
    await running.said('"problems"')
    running.child.stdout?.destroy()
    const {code, stdout} = await running.ended
    expect(code).toBe(2)
    expect(stdout.length).toBeLessThan(10_000_000)
  })
})

import {readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {inTerminal, oneLine} from '../support/pty.ts'
import {folderIn, openShop, type Shop} from '../support/served-shop.ts'
import {withTerminal} from '../support/tmux.ts'

let shop: Shop
let folder: string
let one: string
let two: string
let three: string
beforeAll(async () => {
  shop = await openShop()
  folder = folderIn(shop.env, 'files')
  one = shop.variant('RML-SAF-050')
  two = shop.variant('RML-SAF-100')
  three = shop.variant('NJD-INC-050')
})
afterAll(() => shop.close())

const changes = () =>
  shop.requests().filter(({method, operation}) => method !== 'GET' && operation !== 'mintToken')

function file(name: string, ...lines: string[]): string {
  const path = join(folder, name)
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

const cartFile = (name: string, ...rows: [customer: string, variant: string, quantity: number][]) =>
  file(name, 'customerRef,variantId,quantity', ...rows.map((row) => row.join(',')))

describe('cart import', () => {
  test('refuses a bad file as a whole, names every bad line, and sends nothing', async () => {
    const bad = cartFile('bad.csv', ['A-1', one, 1], ['A-1', one, 2], ['', two, 0], ['A-2', 'x', 1])
    shop.requests()
    const {error} = await shop.json(['cart', 'import', bad, '--yes'], {code: 2})
    expect(error.details.problems.map(({line}: {line: number}) => line)).toEqual([3, 4, 4, 5])
    expect(shop.requests()).toEqual([])
  })

  test('runs once where it is started twice at the same moment', async () => {
    const path = cartFile('at-once.csv', ['T-1', one, 2], ['T-2', one, 2], ['T-3', two, 1])
    // Neither is done before the other looks.
    shop.fault({match: {operation: 'addCartItem'}, effect: 'slow', delayMs: 700})
    const words = ['cart', 'import', path, '--yes', '--json']
    const runs = await Promise.all([shop.scent(words), shop.scent(words)])
    shop.sandbox.state.faults.clear()
    expect(runs.map(({code}) => code).sort()).toEqual([0, 8])
    const refused = runs.find(({code}) => code === 8)
    expect(JSON.parse(refused?.stdout ?? '').error.state).toBe('JOB_UNFINISHED')
    expect(['T-1', 'T-2', 'T-3'].map((name) => shop.cart(name))).toEqual([{[one]: 2}, {[one]: 2}, {[two]: 1}])
  })

  test('names unknown SKUs in the same refusal', async () => {
    const bad = file('skus.csv', 'sku,quantity', 'NONE,1', 'RML-SAF-050,0', 'RML-SAF-100,1')
    shop.requests()
    const {error} = await shop.json(['cart', 'import', bad, '--customer', 'A-1', '--yes'], {code: 2})
    expect(error.details.problems).toMatchObject([
      {line: 2, column: 'sku', value: 'NONE', rule: 'is not a SKU of the own assortment'},
      {line: 3, column: 'quantity', value: '0'},
    ])
    expect(changes()).toEqual([])
  })

  test('says why the partner-level cart can not be imported into', async () => {
    const {stderr, code} = await shop.scent([
      'cart',
      'import',
      file('bare.csv', 'sku,quantity', 'RML-SAF-050,1'),
    ])
    expect(code).toBe(2)
    expect(stderr).toMatch(
      /customerRef is required, in the file or as --customer: the cart without one cannot be/,
    )
  })

  test('fills carts by SKU, and the file again on top', async () => {
    const path = file('sku.csv', 'quantity,sku', '2,RML-SAF-050', '1,RML-SAF-100')
    const words = ['cart', 'import', path, '--customer', 'B-1', '--yes']
    const first = await shop.json(words)
    expect(first).toEqual({
      job: expect.any(String),
      carts: [
        {
          customerRef: 'B-1',
          outcome: 'done',
          lines: [
            {variantId: one, sku: 'RML-SAF-050', before: 0, target: 2, outcome: 'done', error: null},
            {variantId: two, sku: 'RML-SAF-100', before: 0, target: 1, outcome: 'done', error: null},
          ],
        },
      ],
      summary: {done: 1, refused: 0, unknown: 0},
    })
    expect(await shop.json(['jobs', 'show', first.job])).toEqual(first)
    const {stdout} = await shop.scent(words)
    expect(stdout).toBe(
      `B-1\tRML-SAF-050\t${one}\t2\t4\tdone\t2\t\t\nB-1\tRML-SAF-100\t${two}\t1\t2\tdone\t3\t\t\n`,
    )
    expect(shop.cart('B-1')).toEqual({[one]: 4, [two]: 2})
  })

  test('shows for a dry run what would change, and changes nothing', async () => {
    await shop.json(['cart', 'add', `${one}=3`, two, '--customer', 'C-1'])
    const path = cartFile('dry.csv', ['C-1', one, 1], ['C-1', three, 2])
    shop.requests()
    const before = (await shop.json(['jobs', 'list'])).items.length
    expect(await shop.json(['cart', 'import', path, '--dry-run', '--mode', 'replace'])).toEqual({
      carts: [
        {
          customerRef: 'C-1',
          changes: 3,
          lines: [
            {variantId: one, sku: 'RML-SAF-050', before: 3, target: 1, error: null},
            {variantId: three, sku: 'NJD-INC-050', before: 0, target: 2, error: null},
            {variantId: two, sku: 'RML-SAF-100', before: 1, target: 0, error: null},
          ],
        },
      ],
      summary: {carts: 1, changes: 3, refused: 0},
    })
    expect(changes()).toEqual([])
    expect((await shop.json(['jobs', 'list'])).items).toHaveLength(before)
  })

  test('says for a dry run what the catalog knows to be unknown, unavailable or without a price', async () => {
    const [unknown, priceless] = ['11111111-2222-4333-8444-555555555555', shop.variant('NJD-INC-100')]
    const gone = shop.variant('NJD-ROY-050')
    await shop.json(['cart', 'add', `${gone}=5`, '--customer', 'C-2'])
    shop.sandbox.state.world.run('UPDATE variants SET stock = 0 WHERE id = ?', gone)
    const path = cartFile(
      'judged.csv',
      ...([gone, priceless, unknown, one].map((id) => ['C-2', id, 2]) as [string, string, number][]),
    )
    const words = ['cart', 'import', path, '--dry-run']
    const {carts, summary} = await shop.json(words, {code: 11})
    const judged = (lines: {error: {state: string} | null}[]) => lines.map(({error}) => error?.state ?? null)
    expect(judged(carts[0].lines)).toEqual([
      'BUSINESS_VARIANT_UNAVAILABLE',
      'BUSINESS_VARIANT_NOT_PRICED',
      'NOT_FOUND_VARIANT',
      null,
    ])
    expect(summary).toMatchObject({carts: 1, refused: 3})
    // What goes, or becomes less, needs no offer.
    const less = await shop.json([...words, '--mode', 'replace'], {code: 11})
    expect(judged(less.carts[0].lines)).toEqual([
      null,
      'BUSINESS_VARIANT_NOT_PRICED',
      'NOT_FOUND_VARIANT',
      null,
    ])
    const {text} = await inTerminal(shop.env, words, {columns: 80})
    expect(oneLine(text)).toMatch(
      /NJD-INC-100 +0 +2 +can't be added NJD-INC-100: The variant has no active price/,
    )
    expect(oneLine(text)).toContain("3 of 4 lines can't be put into a cart at present. Nothing was changed.")
    expect(oneLine(text)).toMatch(/RML-SAF-050 +0 +2 +to be added/)
  })

  test('asks, and without a terminal wants --yes', async () => {
    const path = cartFile('ask.csv', ['D-1', one, 1])
    shop.requests()
    const {error} = await shop.json(['cart', 'import', path], {code: 2})
    expect(error).toMatchObject({state: 'MISSING_INPUT', hint: 'Give --yes.'})
    expect(changes()).toEqual([])
  })

  test('tells what was refused, and writes it as a file to correct and import again', async () => {
    const unknown = '11111111-2222-4333-8444-555555555555'
    const path = cartFile('some.csv', ['E-1', unknown, 2], ['E-1', one, 1], ['E-2', two, 1])
    const document = await shop.json(['cart', 'import', path, '--yes'], {code: 11})
    expect(document.summary).toEqual({done: 1, refused: 1, unknown: 0})
    expect(document.carts[0].lines[0]).toMatchObject({
      variantId: unknown,
      outcome: 'refused',
      error: {state: 'NOT_FOUND_VARIANT', httpStatus: 404},
    })
    expect(shop.cart('E-1')).toEqual({[one]: 1})
    const refused = join(folder, 'refused.csv')
    await shop.scent(['jobs', 'show', document.job, '--refused', refused])
    expect(readFileSync(refused, 'utf8')).toMatch(
      new RegExp(`^customerRef,variantId,quantity,problem\nE-1,${unknown},2,"?NOT_FOUND_VARIANT: .*\n$`),
    )
    writeFileSync(refused, readFileSync(refused, 'utf8').replace(unknown, three))
    await shop.json(['cart', 'import', refused, '--yes'])
    expect(shop.cart('E-1')).toEqual({[one]: 1, [three]: 2})
  })

  test('writes what was refused by itself where --refused asks for it, to a new file only', async () => {
    const unknown = '11111111-2222-4333-8444-555555555555'
    const path = cartFile('refused-too.csv', ['E-5', unknown, 2], ['E-5', one, 1])
    const refused = join(folder, 'refused-too-refused.csv')
    const words = ['cart', 'import', path, '--yes', '--refused', refused]
    await shop.json(words, {code: 11})
    expect(readFileSync(refused, 'utf8')).toMatch(new RegExp(`\nE-5,${unknown},2,"?NOT_FOUND_VARIANT: .*\n$`))
    shop.requests()
    const {error} = await shop.json(words, {code: 2})
    expect(error.message).toContain('exists already, and is not overwritten')
    expect(shop.requests()).toEqual([])
  })

  test('with replace writes carts whole that hold refused lines: a file says all that a cart is to hold', async () => {
    const unknown = '11111111-2222-4333-8444-555555555555'
    const path = cartFile('whole.csv', ['E-3', one, 1], ['E-3', unknown, 2], ['E-4', one, 1])
    const words = ['cart', 'import', path, '--yes', '--mode', 'replace', '--output', 'ndjson']
    const {stdout, code} = await shop.scent(words)
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(code).toBe(11)
    expect(events.map(({event}) => event)).toEqual(['job', 'cart', 'cart', 'summary'])
    const refused = join(folder, 'whole-refused.csv')
    await shop.scent(['jobs', 'show', events[0].job, '--refused', refused])
    const rows = readFileSync(refused, 'utf8').trim().split('\n')
    expect(rows.map((row) => row.split(',').slice(0, 3).join(','))).toEqual([
      'customerRef,variantId,quantity',
      `E-3,${one},1`,
      `E-3,${unknown},2`,
    ])
  })
})

test('a process that is killed leaves a job that the same file does not begin again, and a resume ends', async () => {
  await shop.json(['cart', 'add', `${one}=2`, '--customer', 'F-1'])
  const path = cartFile('killed.csv', ['F-1', one, 1], ['F-1', two, 1], ['F-2', three, 1])
  shop.fault({match: {operation: 'setCartItem'}, effect: 'slow', delayMs: 1500, times: 1})
  const running = shop.start(['cart', 'import', path, '--yes'])
  await shop.answered('addCartItem')
  running.child.kill('SIGKILL')
  await running.ended
  const {error} = await shop.json(['cart', 'import', path, '--yes'], {code: 8})
  expect(error.state).toBe('JOB_UNFINISHED')
  const {summary} = await shop.json(['jobs', 'resume', error.details.job])
  expect(summary).toEqual({done: 2, refused: 0, unknown: 0})
  expect(shop.cart('F-1')).toEqual({[one]: 3, [two]: 1})
  expect(shop.cart('F-2')).toEqual({[three]: 1})
})

test('in a terminal it asks once, names what is removed, and Ctrl-C ends it after the request under way', async () => {
  await shop.json(['cart', 'add', one, two, '--customer', 'G-1'])
  const path = cartFile('tty.csv', ['G-1', one, 5], ['G-1', three, 1])
  shop.fault({match: {operation: 'setCartItem'}, effect: 'slow', delayMs: 1500, times: 1})
  await withTerminal({...shop.env, PATH: process.env.PATH, TERM: 'xterm-256color'}, async (terminal) => {
    const line = `${process.execPath} bin/run.js cart import ${path} --mode replace; echo "exit $?"`
    terminal.type(line)
    terminal.press('Enter')
    await terminal.see('Send 3 changes to 1 cart? It removes 1 line: RML-SAF-100 of G-1.')
    expect(terminal.screen()).toMatch(/G-1 +RML-SAF-050 +1 +5 +to be set/)
    shop.requests()
    terminal.press('y', 'Enter')
    // The slow request has arrived.
    await expect.poll(() => shop.sandbox.state.faults.list().at(-1)?.met, {timeout: 10_000}).toBe(1)
    terminal.press('C-c')
    await terminal.see('No further cart of job')
    await terminal.see('exit 130')
    expect(terminal.screen()).toMatch(/Go on: `scent jobs resume [\w-]+`; nothing is added twice/)
    const sent = changes().filter(({target}) => target.includes('/G-1/'))
    expect(sent.map(({operation}) => operation)).toEqual(['setCartItem'])
    terminal.type('clear')
    terminal.press('Enter')
    terminal.type(line)
    terminal.press('Enter')
    await terminal.see('of this very file, begun with --mode replace,')
    terminal.press('y', 'Enter')
    await terminal.see('exit 0')
    expect(terminal.screen()).toMatch(/G-1 +RML-SAF-100 +1 +0 +removed/)
  })
  expect(shop.cart('G-1')).toEqual({[one]: 5, [three]: 1})
})

import {existsSync, readFileSync, statSync, utimesSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {foldersOf} from '../../src/store/paths.ts'
import {saveLocator} from '../../src/store/sandbox.ts'
import {manyOrders, orderFile} from '../support/order-file.ts'
import {drawn, inTerminal, oneLine} from '../support/pty.ts'
import {filesBelow, folderIn, openShop, type Shop} from '../support/served-shop.ts'
import {withTerminal} from '../support/tmux.ts'

let shop: Shop
let folder: string
beforeAll(async () => {
  shop = await openShop()
  shop.sandbox.state.world.run('UPDATE partners SET wallet = 100000000000 WHERE wallet IS NOT NULL')
  shop.sandbox.state.world.run('UPDATE variants SET stock = 1000000')
  folder = folderIn(shop.env, 'files')
})
afterAll(() => shop.close())

const changes = () =>
  shop.requests().filter(({method, operation}) => method !== 'GET' && operation !== 'mintToken')
const ordersOf = (prefix: string) =>
  shop.orders().filter(({external_reference: of}) => of.startsWith(`${prefix}-`))

const eventsIn = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('orders import', () => {
  test('refuses a bad file as a whole, names every bad line, and sends nothing', async () => {
    const variant = {sku: '', variantId: shop.variant('RML-SAF-050')}
    const file = orderFile(folder, 'bad.csv', [
      {...variant, externalReference: 'B-1', customerRef: 'B-1'},
      {...variant, externalReference: 'B-2', customerRef: '', quantity: 0},
      {...variant, externalReference: '', customerRef: 'B-3', countryCode: 'XXX'},
    ])
    shop.requests()
    const {error} = await shop.json(['orders', 'import', file, '--yes'], {code: 2})
    const named = error.details.problems.map(
      (one: {line: number; column: string}) => `${one.line} ${one.column}`,
    )
    expect(named).toEqual(expect.arrayContaining(['3 customerRef', '3 quantity', '4 externalReference']))
    expect(shop.requests()).toEqual([])
    const {stderr} = await shop.scent(['orders', 'import', file, '--yes'])
    expect(stderr).toMatch(/line 3: quantity "0" must be a whole number/)
  })

  const unknown = () =>
    orderFile(folder, 'unknown.csv', [
      {externalReference: 'B-1', customerRef: 'B-1', sku: 'NONE'},
      {externalReference: 'B-2', customerRef: 'B-2', quantity: 0},
      {externalReference: 'B-3', customerRef: '', sku: 'NADA'},
    ])

  test('names unknown SKUs in the same refusal, for which it only reads', async () => {
    shop.requests()
    const {error} = await shop.json(['orders', 'import', unknown(), '--yes'], {code: 2})
    const told = error.details.problems.map(({line, column, value}: Record<string, unknown>) => [
      line,
      column,
      value,
    ])
    expect(told).toEqual([
      [2, 'sku', 'NONE'],
      [3, 'quantity', '0'],
      [4, 'sku', 'NADA'],
      [4, 'customerRef', null],
    ])
    const asked = shop.requests().map(({operation}) => operation)
    expect(new Set(asked)).toEqual(new Set(['mintToken', 'listVariants', 'listScents', 'listBrands']))
  })

  test.each<[string, NodeJS.ProcessEnv, RegExp]>([
    ['nobody is logged in', {SCENT_CLIENT_ID: '', SCENT_CLIENT_SECRET: ''}, /no credential/],
    ['no service answers', {SCENT_BASE_URL: 'http://127.0.0.1:1'}, /No connection to 127\.0\.0\.1:1/],
  ])('names all else where %s, and says that SKUs were not looked up', async (_, env, why) => {
    shop.requests()
    const {error} = await shop.json(['orders', 'import', unknown(), '--yes'], {code: 2, env})
    expect(error.details.problems).toHaveLength(2)
    expect(error.message).toMatch(/has 2 problems\. Nothing was sent\. Its SKUs were not looked up: /)
    expect(error.message).toMatch(why)
    expect(shop.requests()).toEqual([])
  })

  test('changes nothing for a dry run, and names the orders that the catalog rules out', async () => {
    const [variantId, unknown] = [shop.variant('NJD-INC-100'), '11111111-2222-4333-8444-555555555555']
    const file = orderFile(folder, 'plain.csv', [
      ...manyOrders('E', 2),
      {externalReference: 'E-2', customerRef: 'E-2', sku: '', variantId},
      {externalReference: 'E-3', customerRef: 'E-3'},
      {externalReference: 'E-3', customerRef: 'E-3', sku: '', variantId: unknown},
    ])
    shop.requests()
    const plan = await shop.json(['orders', 'import', file, '--dry-run'], {code: 11})
    expect(changes()).toEqual([])
    expect(plan).toMatchObject({orders: 4, units: 5, goods: 277.16, total: null, baskets: null})
    expect(plan).toMatchObject({wallet: 50000, walletAfter: 49722.84})
    expect(plan.refused).toEqual([
      {
        externalReference: 'E-2',
        customerRef: 'E-2',
        rows: [4],
        state: 'BUSINESS_VARIANT_NOT_PRICED',
        message: 'NJD-INC-100: The variant has no active price for this account.',
      },
      {
        externalReference: 'E-3',
        customerRef: 'E-3',
        rows: [5, 6],
        state: 'NOT_FOUND_VARIANT',
        message: `${unknown}: No such variant, or it is not in the assortment of this account.`,
      },
    ])
    const dear = await shop.json(['orders', 'import', file, '--dry-run', '--max-total', '277'], {code: 7})
    expect(dear.goods).toBe(277.16)
  })

  test('prices a dry run by live previews if asked to, says so before, and leaves nothing behind', async () => {
    const file = orderFile(folder, 'dry.csv', manyOrders('D', 3))
    shop.requests()
    const {stdout, stderr} = await shop.scent(['orders', 'import', file, '--dry-run', '--preview', '--json'])
    expect(stderr).toMatch(/in carts of their own, scent-dry-run-\w{16}-1 and up, and empties these again\./)
    expect(JSON.parse(stdout)).toMatchObject({
      orders: 3,
      lines: 3,
      units: 3,
      goods: 415.74,
      total: 501.99,
      baskets: 1,
      refused: [],
      requests: 9,
      wallet: 50000,
      walletAfter: 49498.01,
    })
    // One basket: filled, and emptied again.
    expect(changes().map(({operation}) => operation)).toEqual(['addCartItem', 'clearCart'])
    expect((await shop.json(['jobs', 'list'])).items).toEqual([])
    expect(shop.cart('D-C0')).toEqual({})
  })

  test('tells in a dry run which orders can not be made, and a total above --max-total', async () => {
    const rows = [...manyOrders('N', 2), {externalReference: 'N-x', customerRef: 'N-x', quantity: 99999}]
    const file = orderFile(folder, 'never.csv', rows)
    const words = ['orders', 'import', file, '--dry-run', '--preview']
    const plan = await shop.json(words, {code: 11})
    // One sum: the goods of an order that can't be made are in none.
    expect(plan).toMatchObject({
      goods: 277.16,
      total: 334.66,
      refused: [{externalReference: 'N-x', rows: [4]}],
    })
    const dear = await shop.scent([...words, '--max-total', '330'])
    expect(dear).toMatchObject({code: 7, stderr: expect.stringContaining('334.66')})
    expect(dear.stdout).toContain('334.66')
    expect(ordersOf('N')).toEqual([])
  })

  test('asks, and without a terminal wants --yes', async () => {
    const file = orderFile(folder, 'ask.csv', manyOrders('A', 1))
    const {error} = await shop.json(['orders', 'import', file], {code: 2})
    expect(error).toMatchObject({state: 'MISSING_INPUT', hint: 'Give --yes.'})
    expect((await shop.json(['jobs', 'list'])).items).toEqual([])
  })

  test('places each order once; what is refused can be corrected and imported again', async () => {
    const rows = manyOrders('P', 4)
    const file = orderFile(folder, 'some.csv', [
      ...rows,
      {externalReference: 'P-x', customerRef: 'P-x', quantity: 999999},
    ])
    const refused = join(folder, 'refused.csv')
    const document = await shop.json(['orders', 'import', file, '--yes', '--refused', refused], {code: 11})
    expect(document.summary).toEqual({placed: 4, alreadyPlaced: 0, refused: 1, unknown: 0})
    expect(document.ledger).toMatchObject({proved: true, debits: 4, missing: []})
    expect(document.orders.at(-1)).toMatchObject({outcome: 'refused', orderId: null, total: null})
    expect(document.orders[0]).toEqual({
      externalReference: 'P-0',
      customerRef: 'P-C0',
      outcome: 'placed',
      orderId: ordersOf('P').find(({external_reference: of}) => of === 'P-0')?.id,
      total: 167.33,
      error: null,
    })
    expect(await shop.scent(['orders', 'import', refused, '--yes'])).toMatchObject({
      code: 11,
      stdout: expect.stringContaining('No order was sent by this job.'),
      stderr: expect.stringContaining('1 order was refused, and this job charged nothing for it.'),
    })
    const corrected = readFileSync(refused, 'utf8').replace('999999', '1')
    expect(corrected).toMatch(/^externalReference,.*,problem\nP-x,/)
    writeFileSync(refused, corrected)
    const again = await shop.json(['orders', 'import', refused, '--yes'])
    expect(again.summary).toMatchObject({placed: 1})
    expect(ordersOf('P')).toHaveLength(5)
  })

  test('finds orders that stand already, and does not order them again', async () => {
    const file = orderFile(folder, 'twice.csv', [
      {externalReference: 'T-1', customerRef: 'T-1', city: 'Jeddah'},
    ])
    await shop.json(['orders', 'import', file, '--yes'])
    const {summary, job} = await shop.json(['orders', 'import', file, '--yes'])
    expect(summary).toEqual({placed: 0, alreadyPlaced: 1, refused: 0, unknown: 0})
    expect(ordersOf('T')).toHaveLength(1)
    expect(shop.cart('T-1')).toEqual({})
    const {stdout} = await shop.scent(['jobs', 'show', job])
    expect(stdout).toContain('CHARGED ONCE')
  })

  test('writes results as they come', async () => {
    const file = orderFile(folder, 'stream.csv', manyOrders('S', 3))
    const {code, stdout} = await shop.scent(['orders', 'import', file, '--yes', '--output', 'ndjson'])
    const events = eventsIn(stdout)
    expect(code).toBe(0)
    expect(events.map(({event}) => event)).toEqual(['job', 'order', 'order', 'order', 'summary'])
    expect(events[0]).toMatchObject({orders: 3})
    expect(events.at(-1).summary).toMatchObject({placed: 3})
  })

  test('tells every ten seconds how far it is, and how full the quota is where the service has one', async () => {
    shop.fault({match: {operation: 'createOrder'}, effect: 'slow', delayMs: 5_500, times: 4})
    const place = folderIn(shop.env, 'unlimited')
    const running = {pid: process.pid, adminUrl: shop.url, adminToken: '', limits: false, credentials: []}
    saveLocator(foldersOf({SCENT_STATE_DIR: place}), {...running, baseUrl: shop.url})
    const run = async (prefix: string, env: NodeJS.ProcessEnv) => {
      const file = orderFile(folder, `${prefix}.csv`, manyOrders(prefix, 2))
      const words = ['orders', 'import', file, '--yes', '--output', 'ndjson', '--concurrency', '1']
      const {stdout, stderr} = await shop.scent(words, {env})
      const progress = eventsIn(stdout).filter(({event}) => event === 'progress')
      return {progress, lines: stderr.split('\n').filter((line) => /^\d of 2/.test(line))}
    }
    const [limited, unlimited] = await Promise.all([run('L', {}), run('O', {SCENT_STATE_DIR: place})])
    const usual = {event: 'progress', job: expect.any(String), done: 1, total: 2, refused: 0, unknown: 0}
    const paid = {charged: 167.33, currency: 'SAR', rate: expect.any(Number), leftMs: null, waiting: null}
    const quota = {used: expect.any(Number), limit: 280, shared: false}
    expect(limited.progress).toEqual([{...usual, ...paid, quota}])
    expect(unlimited.progress).toEqual([{...usual, ...paid, quota: null}])
    expect(limited.lines).toEqual([
      expect.stringMatching(/^1 of 2, quota \d+\/280 used, 167\.33 SAR charged, \d+ a minute$/),
      expect.stringMatching(/^2 of 2, 334\.66 SAR charged, \d+ a minute$/),
    ])
    expect(unlimited.lines).toEqual([
      expect.stringMatching(/^1 of 2, 167\.33 SAR charged, \d+ a minute$/),
      expect.stringMatching(/^2 of 2, 334\.66 SAR charged, \d+ a minute$/),
    ])
  })

  test('stops before anything moves where the plan is above --max-total', async () => {
    const file = orderFile(folder, 'dear.csv', manyOrders('X', 3))
    shop.requests()
    const {error} = await shop.json(['orders', 'import', file, '--yes', '--max-total', '400'], {code: 7})
    expect(error).toMatchObject({state: 'LIMIT_EXCEEDED', details: {goods: '415.74', maxTotal: '400'}})
    expect(changes()).toEqual([])
  })

  test('charges no more than --max-total, shipping included', async () => {
    const file = orderFile(folder, 'shipping.csv', manyOrders('M', 3))
    const words = ['orders', 'import', file, '--yes', '--max-total', '450', '--concurrency', '1']
    const {summary, orders} = await shop.json(words, {code: 11})
    expect(summary).toMatchObject({placed: 2, refused: 1})
    expect(orders[2].error).toMatchObject({state: 'LIMIT_EXCEEDED'})
    expect(shop.cart('M-C2')).toEqual({})
  })

  test('tells what was charged above --max-total, since no lock knows the fee of another city', async () => {
    const file = orderFile(folder, 'far.csv', [
      {externalReference: 'F-1', customerRef: 'F-1', city: 'Jeddah'},
    ])
    const {code, stdout, stderr} = await shop.scent([
      ...['orders', 'import', file, '--yes', '--max-total', '170', '--json'],
    ])
    expect({code, summary: JSON.parse(stdout).summary.placed}).toEqual({code: 8, summary: 1})
    expect(stderr).toContain('CHARGED_ABOVE')
    expect(stderr).toContain('190.33')
  })

  test('knows before it starts that the refused rows could not be written', async () => {
    const file = orderFile(folder, 'nowhere.csv', manyOrders('N', 1))
    const words = ['orders', 'import', file, '--yes', '--refused', join(folder, 'none', 'x.csv')]
    expect((await shop.json(words, {code: 2})).error.message).toContain('ENOENT')
    expect(ordersOf('N')).toEqual([])
  })

  test('ends with 12 where an order could not be settled, and a resume settles it', async () => {
    const file = orderFile(folder, 'unknown.csv', manyOrders('U', 2))
    shop.fault({
      match: {operation: 'createOrder'},
      effect: 'status',
      status: 409,
      state: 'CONFLICT_ORDER_REQUIRES_INTERVENTION',
      times: 1,
    })
    const {job, summary} = await shop.json(['orders', 'import', file, '--yes', '--concurrency', '1'], {
      code: 12,
    })
    expect(summary).toEqual({placed: 1, alreadyPlaced: 0, refused: 0, unknown: 1})
    const unsettled = await shop.json(['orders', 'import', file, '--yes'], {code: 8})
    expect(unsettled.error).toMatchObject({state: 'JOB_UNFINISHED', details: {job}})
    expect((await shop.json(['jobs', 'list'])).items[0]).toMatchObject({
      id: job,
      kind: 'orders',
      state: 'unsettled',
    })
    expect((await shop.json(['jobs', 'show', job])).orders[0]).toMatchObject({outcome: 'unknown'})
  })
})

describe('a bad file in a terminal of 24 lines', () => {
  const screenOf = async (file: string, ...flags: string[]) => {
    const {code, text} = await inTerminal(shop.env, ['orders', 'import', file, ...flags], {columns: 80})
    expect(code).toBe(2)
    const {lines, broken} = drawn(text, 80)
    expect(broken).toEqual([])
    // The last one is the shell's.
    expect(lines.length).toBeLessThanOrEqual(24)
    return lines.join('\n')
  }

  test('names as many lines as fit, and where to find the others', async () => {
    const rows = manyOrders('B', 400).map((row) => ({...row, sku: '', variantId: 'x'}))
    const screen = await screenOf(orderFile(folder, 'many.csv', rows))
    expect(screen).toMatch(
      /^Error: [\s\S]*has 400\s+problems[\s\S]*line 20: variantId "x" must be a UUID\n {2}… and 381 more; --json names them all, and so does 2> FILE\.\nNext: /,
    )
  })

  test('with another header says in a few lines what is missing, and how to name it', async () => {
    const path = join(folder, 'foreign.csv')
    const names = Array.from({length: 60}, (_, n) => `Spalte ${n}`)
    writeFileSync(path, `${names.join(';')}\n${names.map((_, n) => n).join(';')}\n`)
    const screen = await screenOf(path)
    expect(oneLine(screen)).toContain(
      'line 1: lacks externalReference, customerRef, variantId or sku, quantity, recipient, line1, city, nationalAddress, countryCode, phone',
    )
    expect(oneLine(screen)).toContain("Next: Say what a column is by --map 'HEADER=column'")
    expect(screen.split('\n').length).toBeLessThan(12)
  })

  test('in the encoding of an Arabic or western Windows says how to save it', async () => {
    const path = orderFile(folder, 'ansi.csv', manyOrders('B', 3))
    const bytes = Buffer.from(readFileSync(path, 'utf8').replaceAll('Riyadh', 'Riyâdh'), 'latin1')
    writeFileSync(path, bytes)
    expect(oneLine(await screenOf(path))).toContain('Next: Save the file as UTF-8 (Excel: "CSV UTF-8"), or')
  })
})

describe('an export of a spreadsheet', () => {
  const exported = (name: string, prefix: string) => {
    const text = readFileSync(orderFile(folder, name, manyOrders(prefix, 2)), 'utf8')
    const rows = text
      .trim()
      .split('\n')
      .map((row, at) => `${row.replaceAll(',', ';')};${at === 0 ? 'Notes' : '"two\r\nlines; quoted ""so"""'}`)
    const path = join(folder, name)
    const header = (rows[0] ?? '')
      .replace('externalReference', 'Order No')
      .replace('customerRef', 'CUSTOMER REF')
    writeFileSync(path, Buffer.from(`\ufeff${[header, ...rows.slice(1)].join('\r\n')}\r\n`, 'utf16le'))
    return path
  }

  test('with semicolons, in UTF-16, with other names and more columns is ordered', async () => {
    const file = exported('export.csv', 'V')
    const words = ['orders', 'import', file, '--yes']
    const {error} = await shop.json(words, {code: 2})
    expect(error.details.problems).toMatchObject([
      {line: 1, column: null, value: null, rule: 'lacks externalReference'},
      {line: 1, rule: 'has 2 columns not known here: "Order No", "Notes"'},
    ])
    const {summary} = await shop.json([...words, '--map', 'order no=externalReference', '--ignore-columns'])
    expect(summary).toMatchObject({placed: 2, refused: 0})
    expect(ordersOf('V')).toHaveLength(2)
  })

  test('that is read by other columns is another job', async () => {
    const file = exported('mapped.csv', 'Q')
    shop.fault({
      match: {operation: 'createOrder'},
      effect: 'status',
      status: 401,
      state: 'UNAUTHORIZED',
      times: 9,
    })
    const words = ['orders', 'import', file, '--ignore-columns', '--yes', '--map']
    await shop.scent([...words, 'Order No=externalReference'])
    shop.sandbox.state.faults.clear()
    const again = await shop.json([...words, 'Order No=externalReference'], {code: 8})
    expect(again.error.state).toBe('JOB_UNFINISHED')
    const {error} = await shop.json([...words, 'Notes=externalReference'], {code: 2})
    expect(error.details.problems[0].rule).toBe('must not hold control characters')
    await shop.json(['jobs', 'resume', again.error.details.job])
  })

  test('can begin with the template, which names every column', async () => {
    const {stdout} = await shop.scent(['orders', 'import', '--template'])
    expect(stdout).toMatch(
      /^externalReference,customerRef,variantId,sku,quantity,recipient,.*,discountCode\n$/,
    )
    const cart = await shop.scent(['cart', 'import', '--template'])
    expect(cart.stdout).toBe('customerRef,variantId,sku,quantity\n')
    const path = join(folder, 'template.csv')
    writeFileSync(path, stdout)
    const {error} = await shop.json(['orders', 'import', path], {code: 2})
    expect(error.details.problems).toMatchObject([{line: 1, rule: 'has a header and no rows'}])
    const missing = await shop.scent(['orders', 'import'])
    expect(missing).toMatchObject({code: 2, stderr: expect.stringMatching(/Missing FILE/)})
  })
})

test('a job that runs can be watched, and no second process runs it', async () => {
  const file = orderFile(folder, 'watched.csv', manyOrders('W', 12))
  shop.fault({match: {operation: 'createOrder'}, effect: 'slow', delayMs: 400, times: 12})
  const running = shop.start(['orders', 'import', file, '--yes', '--json', '--concurrency', '2'])
  await running.said('Job ')
  const [{id}] = (await shop.json(['jobs', 'list'])).items
  const watching = shop.start(['jobs', 'show', id, '--watch', '--json'])
  const following = shop.start(['jobs', 'show', id, '--watch', '--output', 'ndjson'])
  expect((await shop.json(['jobs', 'resume', id], {code: 8})).error).toMatchObject({state: 'BUSY'})
  expect((await running.ended).code).toBe(0)
  expect(JSON.parse((await watching.ended).stdout).summary).toMatchObject({placed: 12})
  const followed = eventsIn((await following.ended).stdout).filter(({event}) => event === 'progress')
  expect(followed.at(-1)).toMatchObject({job: id, done: 12, total: 12, summary: {placed: 12}})
  expect(followed.map(({quota}) => quota)).toEqual(
    followed.map(() => ({used: expect.any(Number), limit: 280, shared: false})),
  )
  expect(ordersOf('W')).toHaveLength(12)
})

/** A process to which nothing tells when another was started, as outside of Linux or where /proc is hidden. */
const withoutStarts = `--import=data:text/javascript,${encodeURIComponent(`
  import fs from 'node:fs'
  import {syncBuiltinESMExports} from 'node:module'
  const read = fs.readFileSync
  fs.readFileSync = (path, ...more) => {
    if (String(path).startsWith('/proc/')) throw Object.assign(new Error('hidden'), {code: 'ENOENT'})
    return read(path, ...more)
  }
  syncBuiltinESMExports()`)}`

test('a job is run by one process where nothing tells when a process was started', async () => {
  const file = orderFile(folder, 'starts.csv', manyOrders('STARTS', 4))
  shop.fault({match: {operation: 'createOrder'}, effect: 'slow', delayMs: 15_000, times: 1})
  const env = {...shop.env, NODE_OPTIONS: withoutStarts}
  const running = shop.start(['orders', 'import', file, '--yes', '--json', '--concurrency', '1'], {env})
  await expect.poll(() => shop.sandbox.state.inFlight.length, {timeout: 60_000}).toBe(1)
  const [{id}] = (await shop.json(['jobs', 'list'])).items
  const locks = filesBelow(shop.env.HOME ?? '')
    .map(([path]) => path)
    .filter((path) => path.includes(id) && /\.\d+$/.test(path))
  const began = Date.now()
  for (const path of locks) utimesSync(path, new Date(began - 60_000), new Date(began - 60_000))
  const renewed = () => locks.filter((path) => statSync(path).mtimeMs > began - 30_000)
  await expect.poll(renewed, {timeout: 14_000}).toEqual(locks)
  expect((await shop.json(['jobs', 'resume', id], {env, code: 8})).error).toMatchObject({state: 'BUSY'})
  expect([locks.length > 0, (await running.ended).code]).toEqual([true, 0])
  expect(ordersOf('STARTS')).toHaveLength(4)
})

test('in a terminal it asks once, draws a bar, and the first Ctrl-C ends it with every order whole', async () => {
  const file = orderFile(folder, 'tty.csv', manyOrders('Y', 12))
  shop.fault({match: {operation: 'createOrder'}, effect: 'slow', delayMs: 700, times: 12})
  await withTerminal({...shop.env, PATH: process.env.PATH, TERM: 'xterm-256color'}, async (terminal) => {
    terminal.type(`${process.execPath} bin/run.js orders import ${file} --concurrency 2; echo "exit $?"`)
    terminal.press('Enter')
    await terminal.see('Place 12 orders for')
    terminal.press('y', 'Enter')
    await terminal.see('of 12, ')
    await terminal.see('/280 used')
    terminal.press('C-c')
    await terminal.see('No further order of job')
    await terminal.see('exit 130')
    expect(terminal.screen()).toMatch(/Go on: `scent jobs resume [\w-]+`/)
  })
  const [{id, state, summary}] = (await shop.json(['jobs', 'list'])).items
  expect(state).toBe('interrupted')
  expect(summary).toMatchObject({refused: 0, unknown: 0, placed: ordersOf('Y').length})
  const {summary: all} = await shop.json(['jobs', 'resume', id])
  expect(all).toEqual({placed: 12, alreadyPlaced: 0, refused: 0, unknown: 0})
  expect(ordersOf('Y')).toHaveLength(12)
  expect(existsSync(join(folder, 'refused.csv'))).toBe(true)
})

test.each([
  {waits: 'the quota', limited: false, sees: 'quota used up for'},
  {waits: 'the service, which has limited it', limited: true, sees: 'rate limited for'},
])('in a terminal Ctrl-C leaves at once where it only waits for $waits', async ({limited, sees}) => {
  // One of its own: the others would wait for its quota.
  const used = await openShop()
  used.sandbox.state.world.run('UPDATE variants SET stock = 1000000')
  used.sandbox.state.world.run('UPDATE partners SET wallet = 100000000000 WHERE wallet IS NOT NULL')
  const file = orderFile(folderIn(used.env, 'files'), 'waits.csv', manyOrders('WAITS', limited ? 3 : 100))
  if (limited)
    used.fault({
      ...{match: {operation: 'addCartItem'}, effect: 'status', when: 'before', times: 4},
      ...{status: 429, state: 'RATE_LIMITED', retryAfter: 50},
    })
  await withTerminal({...used.env, PATH: process.env.PATH, TERM: 'xterm-256color'}, async (terminal) => {
    terminal.type(`${process.execPath} bin/run.js orders import ${file} --yes; echo "exit $?"`)
    terminal.press('Enter')
    await expect.poll(() => terminal.screen(), {timeout: 90_000}).toContain(sees)
    const began = performance.now()
    terminal.press('C-c')
    await terminal.see('exit 130')
    expect(performance.now() - began).toBeLessThan(20_000)
  })
  const [{state, summary}] = (await used.json(['jobs', 'list'])).items
  const placed = used.orders().length
  expect({state, ...summary}).toMatchObject({state: 'interrupted', refused: 0, unknown: 0, placed})
  await used.close()
})

test('a second Ctrl-C leaves at once, and a resume settles what was under way', async () => {
  const file = orderFile(folder, 'twice-cut.csv', manyOrders('Z', 6))
  shop.fault({match: {operation: 'createOrder'}, effect: 'slow', delayMs: 20_000, times: 2})
  const running = shop.start(['orders', 'import', file, '--yes', '--concurrency', '2'])
  await running.said('Job ')
  while (shop.sandbox.state.inFlight.length < 2) await new Promise((turn) => setTimeout(turn, 20))
  running.child.kill('SIGINT')
  await running.said('press Ctrl-C again')
  running.child.kill('SIGINT')
  const {code, stderr} = await running.ended
  expect(code).toBe(130)
  expect(ordersOf('Z')).toEqual([])
  const [, id] = /scent jobs resume ([\w-]+)/.exec(stderr) ?? []
  expect((await shop.json(['jobs', 'show', id ?? ''])).summary).toEqual({
    ...{placed: 0, alreadyPlaced: 0, refused: 0, unknown: 2, pending: 4},
  })
  expect((await shop.json(['jobs', 'resume', id ?? ''])).summary).toMatchObject({placed: 6, unknown: 0})
  expect(ordersOf('Z')).toHaveLength(6)
})

test('a job whose records are damaged does not hide the others', async () => {
  const file = orderFile(folder, 'damaged.csv', manyOrders('G', 1))
  const {job} = await shop.json(['orders', 'import', file, '--yes'])
  const [path = ''] = filesBelow(shop.env.HOME ?? '').flatMap(([name]) =>
    name.endsWith(`${job}.ndjson`) ? name : [],
  )
  const [head = '', plan = '', ...rest] = readFileSync(path, 'utf8').split('\n')
  const cut = rest.filter((line) => !line.includes('DONE')).map((line) => line.replace('G-0', 'G-9'))
  writeFileSync(path, [head, plan, ...cut].join('\n'))
  const {items} = await shop.json(['jobs', 'list'])
  expect(items.find(({id}: {id: string}) => id === job)).toMatchObject({state: 'damaged'})
})

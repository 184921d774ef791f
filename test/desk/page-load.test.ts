// The page over a large record, and while much comes in.
import {randomUUID} from 'node:crypto'
import {request} from 'node:http'
import type {Browser} from 'playwright-core'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {openReceipts} from '../../src/desk/receipts/segment.ts'
import {foldersOf} from '../../src/store/paths.ts'
import {openBrowser, openTab} from '../support/browser.ts'
import {noChromium} from '../support/chromium.ts'
import {effort} from '../support/effort.ts'
import {type Paged, paged} from '../support/page.ts'
import {userOf} from '../support/service.ts'

const identity = {origin: 'local', clientId: 'local', onBehalfOf: null}
const STORED = 10_000
/** 200 a second. */
const LIVE = effort({little: 400, all: 12_000})

function localUser(): NodeJS.ProcessEnv {
  const {
    SCENT_CLIENT_ID: _,
    SCENT_CLIENT_SECRET: __,
    SCENT_BASE_URL: ___,
    ...env
  } = userOf('http://127.0.0.1:1')
  return env
}

const eventOf = (eventId: string, filling: number) =>
  JSON.stringify({
    eventId,
    eventType: 'order.completed',
    data: {orderId: randomUUID(), x: 'x'.repeat(filling)},
  })

async function fill(env: NodeJS.ProcessEnv, count: number): Promise<void> {
  const began = Date.now() - 3_600_000
  const receipts = await openReceipts(foldersOf(env), identity, () => ({
    ...{at: new Date(began).toISOString(), port: 4750, public: null, subscription: null},
    ...{secret: null, scheme: null},
  }))
  for (let n = 1; n <= count; n += 1) {
    const body = eventOf(`stored-${n}`, 900)
    await receipts.keep(
      {
        ...{at: new Date(began + n).toISOString(), remote: '127.0.0.1', path: '/', body, encoding: 'utf8'},
        ...{headers: [], bytes: body.length, sha256: randomUUID(), eventId: `stored-${n}`},
        ...{eventType: 'order.completed', notices: [], trust: 'verified', scheme: 'default', why: null},
      },
      {sync: false},
    )
  }
  await receipts.close()
}

/** Sends so many events at 200 a second; the sender does not wait for what is shown. */
async function sendLive(listener: Paged, count: number): Promise<string[]> {
  const ids = Array.from({length: count}, (_, n) => `live-${n + 1}`)
  const began = performance.now()
  const sent: Promise<number>[] = []
  for (const [n, id] of ids.entries()) {
    const wait = began + n * 5 - performance.now()
    if (wait > 0) await new Promise((wake) => setTimeout(wake, wait))
    // A slow machine has no more than a few under way.
    if (n >= 16) expect(await sent[n - 16]).toBe(200)
    sent.push(listener.send(eventOf(id, 300)))
  }
  expect((await Promise.all(sent)).every((status) => status === 200)).toBe(true)
  return ids
}

describe.skipIf(noChromium())('a large record', () => {
  let browser: Browser
  let listener: Paged
  beforeAll(async () => {
    const env = localUser()
    await fill(env, STORED)
    ;[browser, listener] = await Promise.all([openBrowser(), paged(env)])
  })
  afterAll(async () => {
    await browser?.close()
    await listener?.stop()
  })

  test(`of ${STORED} events 100 are shown, of ${LIVE} that come at 200 a second none is lost`, async () => {
    const {page, troubles} = await openTab(browser)
    const rows = page.locator('button.row')
    const began = performance.now()
    await page.goto(listener.url)
    await rows.nth(99).waitFor()
    console.log(`page: 100 rows of ${STORED} after ${Math.round(performance.now() - began)} ms`)
    expect(await rows.count()).toBe(100)
    const ids = await sendLive(listener, LIVE)
    const fresh = page.locator('button.fresh')
    await expect
      .poll(() => fresh.innerText(), {timeout: 30_000})
      .toBe(`${LIVE.toLocaleString('en')} new: show`)
    // What was there has not moved.
    expect(await page.locator('td.id').first().innerText()).toBe(`stored-${STORED}`)
    await fresh.click()
    const shown: string[] = []
    for (let seen = 0; seen < LIVE; seen += 100) {
      const newest = `live-${LIVE - seen}`
      await page
        .locator('td.id')
        .first()
        .filter({hasText: new RegExp(`^${newest}$`)})
        .waitFor()
      shown.push(...(await page.locator('td.id').allInnerTexts()))
      await page.getByRole('button', {name: 'Older'}).click()
    }
    expect(shown.slice(0, LIVE).sort()).toEqual(ids.sort())
    await page
      .locator('td.id')
      .first()
      .filter({hasText: `stored-${STORED}`})
      .waitFor()
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('HeapProfiler.collectGarbage')
    const {usedSize} = await devtools.send('Runtime.getHeapUsage')
    console.log(`page: ${LIVE} live, ${shown.length} rows looked at, heap ${(usedSize / 1e6).toFixed(1)} MB`)
    expect(usedSize).toBeLessThanOrEqual(60e6)
    expect(troubles).toEqual([])
    await page.context().close()
  }, 240_000)
})

/** Reads messages of the stream until `enough`, and then breaks the connection. */
function follow(
  {uiPort, token}: Paged,
  after: number,
  enough: (ids: string[], events: string[]) => boolean,
): Promise<{ids: string[]; after: number; events: string[]}> {
  return new Promise((resolve, reject) => {
    const headers = {Authorization: `Bearer ${token}`}
    const options = {
      host: '127.0.0.1',
      port: uiPort,
      path: `/api/stream?after=${after}`,
      headers,
      agent: false,
    }
    const asked = request(options, (response) => {
      let text = ''
      const seen = {ids: [] as string[], after, events: [] as string[]}
      response.setEncoding('utf8').on('data', (part: string) => {
        const blocks = (text + part).split('\n\n')
        text = blocks.pop() ?? ''
        for (const block of blocks) {
          const [, id = '', event = '', data = ''] = /^id: (\d+)\nevent: (\w+)\ndata: (.*)$/.exec(block) ?? []
          if (event === '') continue
          seen.after = Number(id)
          seen.events.push(event)
          seen.ids.push(...JSON.parse(data).map((row: {eventId: string}) => row.eventId))
        }
        if (!enough(seen.ids, seen.events)) return
        asked.destroy()
        resolve(seen)
      })
      response.on('error', () => {})
    })
    asked.on('error', reject).end()
  })
}

test('a stream that is cut goes on where it was, without a loss and without a copy', async () => {
  const listener = await paged(localUser())
  const {after} = await listener.json('/api/events')
  const first = follow(listener, after, (ids) => ids.length >= 3)
  for (const id of ['a-1', 'a-2', 'a-3']) expect(await listener.send(eventOf(id, 1))).toBe(200)
  const cut = await first
  expect(cut.ids).toEqual(['a-1', 'a-2', 'a-3'])
  const missed = Array.from({length: 250}, (_, n) => `b-${n + 1}`)
  for (const id of missed) expect(await listener.send(eventOf(id, 1))).toBe(200)
  const second = await follow(listener, cut.after, (ids) => ids.length >= missed.length)
  expect(second.ids).toEqual(missed)
  // A place that no stream of this listener has named: the page is told to begin anew.
  const lost = follow(listener, 999_999, (_, events) => events.length > 0)
  expect((await lost).events).toEqual(['lost'])
  await listener.stop()
})

test('a reader that takes nothing keeps nobody waiting, and nothing is heaped up for it', async () => {
  const listener = await paged(localUser())
  const {after} = await listener.json('/api/events')
  const headers = {Authorization: `Bearer ${listener.token}`}
  const options = {host: '127.0.0.1', port: listener.uiPort, path: `/api/stream?after=${after}`, headers}
  const asked = request({...options, agent: false}, (response) => response.pause())
  asked.on('error', () => {}).end()
  for (let n = 0; n < 300; n += 1) expect(await listener.send(eventOf(`c-${n}`, 1))).toBe(200)
  expect((await listener.json('/api/events?limit=1')).items).toMatchObject([{eventId: 'c-299'}])
  asked.destroy()
  const {code} = await listener.stop()
  expect(code).toBe(0)
})

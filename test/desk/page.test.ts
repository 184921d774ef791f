import {randomUUID} from 'node:crypto'
import {readFileSync} from 'node:fs'
import type {Browser, Page} from 'playwright-core'
import {afterAll, afterEach, beforeAll, beforeEach, describe, expect, test} from 'vitest'
import {eventFacts} from '../../src/desk/page/one.ts'
import {openBrowser, openTab, type Tab, violations} from '../support/browser.ts'
import {noChromium} from '../support/chromium.ts'
import {effort} from '../support/effort.ts'
import {freePort} from '../support/listening.ts'
import {type Paged, paged} from '../support/page.ts'
import {type Seen, serve, type TestServer} from '../support/server.ts'
import {userOf} from '../support/service.ts'

const event = (more: object = {}) =>
  JSON.stringify({eventId: randomUUID(), eventType: 'order.completed', ...more})

const rowsOf = (page: Page) => page.locator('button.row')
const types = async (page: Page) => rowsOf(page).allTextContents()
const button = (page: Page, name: string | RegExp) => page.getByRole('button', {name})
/** Opens a row, and waits until all of it is there. */
async function openRow(page: Page, at: number): Promise<void> {
  await rowsOf(page).nth(at).click()
  await page.locator('.step').first().waitFor()
}

test('the command for an event that was not handed on names the receiver of the listener, if it has one', () => {
  const receipt = {
    eventId: 'not-handed-on',
    headers: [],
    body: '',
    encoding: 'utf8',
    at: '',
    sha256: '',
  } as never
  const commandFor = (row: object, to?: string) => eventFacts([], row as never, receipt, to).command
  const to = 'http://127.0.0.1:8080/hook'
  const line = 'scent webhooks replay not-handed-on --to'
  expect(commandFor({trust: 'verified', forward: null}, to)).toBe(`${line} ${to}`)
  expect(commandFor({trust: 'verified', forward: {to: 'http://127.0.0.1:9/'}}, to)).toBe(
    `${line} http://127.0.0.1:9/`,
  )
  expect(commandFor({trust: 'verified', forward: null})).toBe(`${line} URL`)
})

describe.skipIf(noChromium())('in a browser', () => {
  let browser: Browser
  let receiver: TestServer & {seen: Seen[]}
  let answers = 200
  let env: NodeJS.ProcessEnv
  let listener: Paged
  let tab: Tab
  let page: Page

  beforeAll(async () => {
    browser = await openBrowser()
    receiver = await serve((_, response) => response.writeHead(answers).end('{"error":"no such customer"}'))
  })
  afterAll(async () => {
    await browser?.close()
    await receiver?.close()
  })
  beforeEach(async () => {
    answers = 200
    receiver.seen.length = 0
    env = userOf('http://127.0.0.1:1')
    listener = await paged(env, '--forward-to', `${receiver.url}/hook`)
    tab = await openTab(browser)
    page = tab.page
  })
  afterEach(async () => {
    await tab.close()
    await listener.stop()
  })

  /** Sends events, and waits until each was handed on. */
  async function send(...bodies: string[]): Promise<void> {
    const before = listener.told('forward').length
    for (const body of bodies) expect(await listener.send(body)).toBe(200)
    await expect.poll(() => listener.told('forward').length).toBe(before + bodies.length)
  }
  async function visit(url = listener.url): Promise<void> {
    await page.goto(url)
    await page.getByText('signatures checked').waitFor()
  }

  test('an event appears with what became of it, its bytes and its headers', async () => {
    await visit()
    await page.getByText('No event has come yet').waitFor()
    const order = randomUUID()
    const body = event({eventId: 'of-the-page', data: {orderId: order, price: 'PRICE'}}).replace(
      '"PRICE"',
      '100.1000000000000000001',
    )
    await send(body)
    await rowsOf(page).first().waitFor()
    answers = 500
    await send(body)
    await button(page, '1 new: show').click()
    await expect.poll(() => rowsOf(page).count()).toBe(2)
    expect(await page.locator('.list tbody tr').allInnerTexts()).toEqual([
      expect.stringMatching(/^\d\d:\d\d:\d\d\s+order\.completed\s+again, same\s+500 \d+ ms\s+of-the-page$/),
      expect.stringMatching(/^\d\d:\d\d:\d\d\s+order\.completed\s+fits\s+200 \d+ ms\s+of-the-page$/),
    ])
    await openRow(page, 1)
    await page.getByText(order).waitFor()
    expect(await page.locator('.step').allInnerTexts()).toEqual([
      expect.stringMatching(/received, fits/),
      expect.stringMatching(/forwarded 200 {1,2}\d+ ms to http:\/\/127\.0\.0\.1:\d+\/hook/),
      expect.stringMatching(/again, same/),
      expect.stringMatching(/forwarded 500 {1,2}\d+ ms to/),
    ])
    await button(page, 'Body').click()
    expect(await page.locator('pre').innerText()).toContain('"price": 100.1000000000000000001')
    await page.getByLabel('Indented').uncheck()
    expect(await page.locator('pre').innerText()).toBe(body)
    await button(page, 'Headers').click()
    await page.getByText('X-Service-Signature').waitFor()
    await send(body)
    await button(page, 'Timeline').click()
    await expect.poll(() => page.locator('.step').count()).toBe(6)
    expect(tab.troubles).toEqual([])
  })

  test('filters choose, and what is new waits until somebody wants to see it', async () => {
    await send(event({eventType: 'order.completed'}), event({eventType: 'notice.raised'}))
    await listener.send(event({eventType: 'order.forged'}), {signature: 'v1=00'})
    await visit()
    await expect.poll(() => types(page)).toEqual(['order.forged', 'notice.raised', 'order.completed'])
    await page.getByLabel('Only problems').check()
    await expect.poll(() => types(page)).toEqual(['order.forged'])
    await send(event({eventType: 'shipment.delivered'}))
    await page.getByLabel('Only problems').uncheck()
    await page.getByLabel('Signature').selectOption('verified')
    await expect.poll(() => types(page)).toEqual(['shipment.delivered', 'notice.raised', 'order.completed'])
    await page.getByLabel('Filter').fill('ORDER.')
    await expect.poll(() => types(page)).toEqual(['order.completed'])
    await send(event({eventType: 'notice.raised'}), event({eventType: 'order.accepted'}))
    await button(page, '1 new: show').waitFor()
    expect(await page.title()).toBe('(1) scent desk')
    expect(await types(page)).toEqual(['order.completed'])
    await button(page, '1 new: show').click()
    await expect.poll(() => types(page)).toEqual(['order.accepted', 'order.completed'])
    await page.getByLabel('Filter').fill('nothing like it')
    await page.getByText('No event that is kept here fits the filter.').waitFor()
  })

  describe('what somebody else chose', () => {
    const strike = (n: number) => `window.struck=${n};alert(${n});fetch('http://127.0.0.1:9/${n}')`
    const hostile = [
      `<script>${strike(1)}</script>`,
      `<img src=x onerror="${strike(2)}">`,
      `"><svg onload="${strike(3)}">`,
      `</pre><iframe srcdoc="<script>${strike(4)}</script>"></iframe>`,
      `javascript:${strike(5)}`,
      `</script><script src=http://127.0.0.1:9/x.js></script>`,
      `<style>@import 'http://127.0.0.1:9/x.css'</style><link rel=stylesheet href=http://127.0.0.1:9/y.css>`,
      `<a href="javascript:${strike(8)}" autofocus onfocus="${strike(8)}">x</a>`,
      `<form action=http://127.0.0.1:9/><button autofocus>x</button></form><base href=http://127.0.0.1:9/>`,
      `{{constructor.constructor('${strike(10)}')()}}`,
      '\u001b[2J\u001b]0;owned\u0007',
      'safe\u202etxt.exe\u2066\u200b',
      `${'e\u0301'.repeat(3)}Z${'\u0301'.repeat(60)}`,
      '__proto__',
    ]

    test('runs no script, sends no request and raises no dialog', async () => {
      await send(
        ...hostile.map((text) => event({eventId: text, eventType: text, text, data: {noticeId: text}})),
        ...hostile.map((text) => `${text}\n{"notice":1`),
      )
      const headers = Object.fromEntries(hostile.slice(0, 10).map((text, n) => [`X-Note-${n}`, text]))
      const forged = `http://127.0.0.1:${listener.port}/%3Cscript%3E?${hostile[1]}`
      expect((await fetch(forged, {method: 'POST', body: '{}', headers})).status).toBe(401)
      await visit()
      const count = 2 * hostile.length + 1
      const foreign = 'img, iframe, svg, form, base, style, a, object, embed, script:not([src="/page.js"])'
      await expect.poll(() => rowsOf(page).count()).toBe(count)
      for (let at = 0; at < count; at += 1) {
        await openRow(page, at)
        await button(page, 'Body').click()
        await page.locator('pre').waitFor()
        expect(await page.locator(foreign).count()).toBe(0)
        await button(page, 'Timeline').click()
      }
      await openRow(page, 0)
      await button(page, 'Headers').click()
      await page.getByText('X-Note-9').waitFor()
      await page
        .getByText(hostile[1] ?? '', {exact: true})
        .first()
        .waitFor()
      expect(await page.locator(foreign).count()).toBe(0)
      for (const text of hostile) await page.getByLabel('Filter').fill(text)
      await page.getByText(/\d reasons/).click()
      expect(tab.troubles).toEqual([])
      expect(await page.evaluate('window.struck')).toBeUndefined()
      const own = `http://127.0.0.1:${listener.uiPort}/`
      expect(tab.requests.filter((url) => !url.startsWith(own))).toEqual([])
      expect(tab.requests.length).toBeGreaterThan(count)
    }, 120_000)

    test('is drawn as its letters, and what hides in it is written out', async () => {
      await send(...hostile.map((text) => event({eventId: text, eventType: text, note: text})))
      await visit()
      const shown = [...(await types(page))].reverse()
      expect(shown[1]).toBe(hostile[1])
      expect(shown[10]).toBe('\\u{1b}[2J\\u{1b}]0;owned\\u{7}')
      expect(shown[11]).toBe('safe\\u{202e}txt.exe\\u{2066}\\u{200b}')
      expect(shown[12]?.match(/\u0301/g)?.length).toBeLessThan(10)
      // Not even in what is copied and pasted into a shell.
      await openRow(page, hostile.length - 2)
      expect(await page.locator('.command').innerText()).toMatch(
        /^scent webhooks (events|verify --stored|replay) r-[\da-f]{12}/,
      )
    })

    test('a large body is drawn as far as 256 KiB, and kept whole', async () => {
      const large = `${'ab\u0000\u202e<b>'.repeat(100_000)}`.slice(0, 700_000)
      await send(large, '['.repeat(100_000), `{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`)
      await visit()
      await openRow(page, 2)
      await button(page, 'Body').click()
      await page.getByText(/^The first 256 KiB of/).waitFor()
      const drawn = await page.locator('pre').textContent()
      expect(drawn?.startsWith('ab\\u{0}\\u{202e}<b>ab')).toBe(true)
      expect(drawn?.length).toBeLessThan(1_500_000)
      const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Download').click()])
      expect(readFileSync(await download.path(), 'utf8')).toBe(large)
      for (const at of [0, 1]) {
        await rowsOf(page).nth(at).click()
        await page.getByText(/^(97\.7|9\.8) KiB$/).waitFor()
      }
      expect(tab.troubles).toEqual([])
    })
  })

  describe('the token', () => {
    test('leaves the address at once, is kept for a reload, and is in no address that is sent', async () => {
      await send(event())
      await visit()
      expect(page.url()).toBe(`http://127.0.0.1:${listener.uiPort}/`)
      expect(await page.evaluate('history.length')).toBeLessThanOrEqual(2)
      await page.reload()
      await rowsOf(page).first().waitFor()
      expect(await page.context().cookies()).toEqual([])
      expect(await page.evaluate('localStorage.length')).toBe(0)
      expect(tab.requests.filter((url) => url.replace(/#.*/, '').includes(listener.token))).toEqual([])
    })

    test('opens a second tab, and a tab without it is told what to do', async () => {
      await send(event())
      await visit()
      const second = await openTab(browser, {}, tab)
      await second.page.goto(listener.url)
      await rowsOf(second.page).first().waitFor()
      await send(event())
      for (const one of [page, second.page]) await button(one, '1 new: show').waitFor()
      const bare = await openTab(browser, {}, tab)
      await bare.page.goto(`http://127.0.0.1:${listener.uiPort}/`)
      await bare.page.getByText('This page shows events only at the address').waitFor()
      await bare.page.goto(`http://127.0.0.1:${listener.uiPort}/#t=${'x'.repeat(43)}`)
      await bare.page.getByText('The listener that this page belonged to has ended').waitFor()
      expect(await violations(bare.page)).toEqual([])
      // The right address in the same tab.
      await bare.page.goto(listener.url)
      await rowsOf(bare.page).first().waitFor()
    })
  })

  describe('a page of somebody else', () => {
    test('can neither frame it, nor read it, nor send for it', async () => {
      await send(event({eventId: 'not-theirs'}))
      await visit()
      const at = `http://127.0.0.1:${listener.uiPort}`
      const evil = await serve((_, response) => {
        response.writeHead(200, {'Content-Type': 'text/html'})
        response.end(`<iframe src="${listener.url}"></iframe><iframe src="${at}/"></iframe>
          <form method=post action="${at}/api/events/not-theirs/replay" enctype="text/plain" target=x><input name='{"copy":1,"x":"' value='"}'></form>
          <iframe name=x></iframe>`)
      })
      const before = receiver.seen.length
      for (const host of ['127.0.0.1', 'localhost']) {
        const other = await openTab(browser, {}, tab)
        await other.page.goto(`http://${host}:${evil.port}/`)
        const posted = other.page.waitForResponse(
          (response) => response.url().endsWith('/replay') && response.request().isNavigationRequest(),
        )
        const popup = other.page.waitForEvent('popup')
        const got = await other.page.evaluate<string[]>(`(async () => {
          document.querySelector('form').submit()
          window.opened = open('${at}/')
          return Promise.all([
            fetch('${at}/api/events', {headers: {Authorization: 'Bearer ${listener.token}'}}),
            fetch('${at}/'),
            fetch('${at}/api/events/not-theirs/replay', {method: 'POST', body: '{}'}),
            fetch('${at}/api/events/not-theirs/replay', {method: 'POST', mode: 'no-cors', body: '{}'}),
          ].map((one) => one.then((response) => response.text()).catch(() => 'refused')))
        })()`)
        expect(got.slice(0, 3)).toEqual(['refused', 'refused', 'refused'])
        expect(got[3]).not.toContain('Sent')
        expect((await posted).status()).toBe(403)
        const window = await popup
        await window.getByText('another site').waitFor()
        const title = "(() => { try { return opened.document.title } catch { return 'closed to it' } })()"
        expect(await other.page.evaluate(title)).toBe('closed to it')
        await window.close()
        for (const frame of other.page.frames().slice(1)) expect(await frame.locator('#desk').count()).toBe(0)
        await other.close()
      }
      expect(receiver.seen).toHaveLength(before)
      await evil.close()
    })

    test('nothing that the page itself is given becomes markup', async () => {
      await visit()
      const refused = await page.evaluate(`['<b>x</b>', '<img src=x onerror=alert(1)>'].map((text) => {
        try {
          document.body.innerHTML = text
          return 'taken'
        } catch (error) {
          return error.name
        }
      })`)
      expect(refused).toEqual(['TypeError', 'TypeError'])
    })
  })

  test('a listener that was killed is missed, and one that is back is told from it', async () => {
    const ports = [String(await freePort()), String(await freePort())] as const
    const argv = ['--port', ports[0], '--ui-port', ports[1], '--forward-to', `${receiver.url}/hook`]
    const first = await paged(env, ...argv)
    expect(await first.send(event({eventType: 'order.first'}))).toBe(200)
    await first.saw('forward')
    await visit(first.url)
    await expect.poll(() => types(page)).toEqual(['order.first'])
    await first.kill()
    await page.getByText('Not connected: the listener does not answer.').waitFor()
    expect(await types(page)).toEqual(['order.first'])
    const second = await paged(env, ...argv)
    await page.getByText('The listener that this page belonged to has ended').waitFor()
    expect(await second.send(event({eventType: 'order.second'}))).toBe(200)
    await page.goto(second.url)
    await expect.poll(() => types(page)).toEqual(['order.second', 'order.first'])
    await second.stop()
    expect(tab.troubles).toEqual([])
  })

  test('a tab that nobody sees holds no connection, and misses nothing', async () => {
    await send(event())
    await visit()
    const seen = (isHidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', {value: ${isHidden}, configurable: true})
        document.dispatchEvent(new Event('visibilitychange'))`)
    const streams = () => tab.requests.filter((url) => url.includes('/api/stream')).length
    await expect.poll(streams).toBe(1)
    await seen(true)
    await send(...Array.from({length: 7}, () => event()))
    await seen(false)
    await button(page, '7 new: show').waitFor()
    expect(streams()).toBe(2)
  })

  test('a replay goes to the receiver, says how it was answered, and what it lacks', async () => {
    const body = event({eventId: 'sent-again'})
    await send(body)
    await visit()
    await openRow(page, 0)
    answers = 410
    await button(page, 'Replay').click()
    await page.locator('.sent', {hasText: /^Sent again: answered 410 in \d+ ms/}).waitFor()
    expect(await page.getByRole('status').textContent()).toMatch(/Sent again: answered 410/)
    expect(receiver.seen.at(-1)).toMatchObject({url: '/hook', body, headers: {'x-scent-replay': '1'}})
    expect(await page.locator('.command').innerText()).toMatch(
      /^scent webhooks replay sent-again --to http:\/\/127/,
    )
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await button(page, 'Copy command').click()
    await page.locator('.sent', {hasText: 'The command is copied.'}).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain(
      'scent webhooks replay sent-again',
    )
    const alone = await paged(env)
    await page.goto(alone.url)
    await openRow(page, 0)
    expect(await button(page, 'Replay').count()).toBe(0)
    await alone.stop()
  })

  test('what was refused is sent on only after a question that says why', async () => {
    await listener.send(event({eventId: 'forged'}), {signature: 'v1=00'})
    await visit()
    await openRow(page, 0)
    const question = page.getByRole('dialog', {name: 'Send a refused delivery?'})
    await button(page, 'Replay').click()
    await question.waitFor()
    expect(await question.innerText()).toMatch(
      /It was refused here \(not a valid signature\)\. Nothing proves that the service sent it\.\s+http:\/\/127\.0\.0\.1:\d+\/hook gets it as it came\./,
    )
    expect(await violations(page)).toEqual([])
    // Enter alone sends nothing, nor does Escape.
    await page.keyboard.press('Enter')
    await expect.poll(() => question.count()).toBe(0)
    await page.keyboard.press('r')
    await question.waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => question.count()).toBe(0)
    expect(receiver.seen).toHaveLength(0)
    await button(page, 'Replay').click()
    await button(page, 'Send it').click()
    await page.locator('.sent', {hasText: 'Sent again: answered 200'}).waitFor()
    expect(receiver.seen).toHaveLength(1)
  })

  test('a listener that was stopped is told of within seconds, and the page goes on with it', async () => {
    await visit()
    const {pid} = await listener.saw('ready')
    process.kill(pid, 'SIGSTOP')
    try {
      // Silence of half a minute would do for a connection that is broken.
      await page.getByText('Not connected: the listener does not answer').waitFor({timeout: 20_000})
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    await page.getByText('signatures checked').waitFor()
    await send(event({eventType: 'after.all'}))
    await button(page, 'after.all').waitFor()
  })

  test('a type that is long leaves room for the other columns, and is whole beside them', async () => {
    const long = 'order.'.repeat(33)
    await send(event({eventType: 'order.completed'}), event({eventType: long}))
    await visit()
    const widths = () =>
      page.evaluate<number[]>(
        "[...document.querySelectorAll('.list tbody tr:last-child td')].map((one) => one.offsetWidth)",
      )
    await expect.poll(() => types(page)).toEqual([`${long.slice(0, 79)}…`, 'order.completed'])
    for (const width of await widths()) expect(width).toBeGreaterThan(60)
    await openRow(page, 0)
    await page.getByRole('heading', {name: long}).waitFor()
  })

  test('keys do all of it, and type into the filter', async () => {
    await send(event({eventType: 'a.first'}), event({eventType: 'b.second'}), event({eventType: 'c.third'}))
    await visit()
    const focused = () => page.evaluate('document.activeElement.textContent')
    await page.keyboard.press('j')
    expect(await focused()).toBe('c.third')
    for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key)
    expect(await focused()).toBe('b.second')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', {name: 'b.second'}).waitFor()
    await expect.poll(focused).toBe('b.second')
    await page.locator('.step').first().waitFor()
    await page.keyboard.press('r')
    await page.locator('.sent', {hasText: 'Sent again: answered 200'}).waitFor()
    await page.keyboard.press('j')
    expect(await focused()).toBe('a.first')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', {name: 'a.first'}).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator('.pane').count()).toBe(0)
    await expect.poll(focused).toBe('a.first')
    const before = receiver.seen.length
    await page.keyboard.press('/')
    await page.keyboard.type('jr?')
    expect(await page.getByLabel('Filter').inputValue()).toBe('jr?')
    await page.getByLabel('Filter').fill('')
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('r')
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    expect(receiver.seen).toHaveLength(before)
    expect(tab.troubles).toEqual([])
  })

  test('nothing is wider than a narrow window while the receiver is down', async () => {
    const down = await paged(env, '--forward-to', `http://127.0.0.1:${await freePort()}/hook`)
    for (const name of ['order.completed', 'shipment.delivered', 'notice.raised'])
      expect(await down.send(event({eventType: name}))).toBe(200)
    await down.send(event({eventType: 'order.forged'}), {signature: 'v1=00'})
    await down.saw('state', ({why}) => why === 'forward-failing')
    const own = await openTab(browser, {viewport: {width: 390, height: 800}})
    const beyond = () =>
      own.page.evaluate(`[...document.querySelectorAll('body *')].filter((one) =>
        one.getBoundingClientRect().right > innerWidth + 0.5 ||
        one.matches('.rows, .view, html') && one.scrollWidth > one.clientWidth
      ).map((one) => one.outerHTML.slice(0, 80))`)
    await own.page.goto(down.url)
    await own.page.getByText('no receiver').first().waitFor()
    await own.page
      .getByText(/degraded/i)
      .first()
      .waitFor()
    expect(await beyond()).toEqual([])
    await own.page.locator('summary').click()
    expect(await beyond()).toEqual([])
    expect((await own.page.locator('.health ul').boundingBox())?.x).toBeGreaterThanOrEqual(0)
    await own.page.locator('summary').click()
    await openRow(own.page, 1)
    expect(await beyond()).toEqual([])
    await own.close()
    await down.stop()
  })

  const screens = [
    ['light', 1280],
    ['dark', 390],
    ['dark', 1280],
    ['light', 390],
  ] as const
  test.each(screens.slice(0, effort({little: 2, all: 4})))(
    'nothing stands in the way of anybody: %s, %i pixels wide',
    async (colorScheme, width) => {
      await listener.send(event({eventType: 'order.forged'}), {signature: 'v1=00'})
      answers = 500
      await send(event())
      answers = 200
      const twice = event()
      await send(twice, twice)
      const own = await openTab(browser, {colorScheme, viewport: {width, height: 800}})
      const found: string[] = []
      const look = async (where: string) =>
        found.push(...(await violations(own.page)).map((one) => `${where}: ${one}`))
      await own.page.goto(listener.url)
      await expect.poll(() => rowsOf(own.page).count()).toBe(4)
      await look('list')
      await own.page.locator('summary').click()
      await look('reasons')
      await own.page.locator('summary').click()
      await openRow(own.page, 0)
      await look('timeline')
      for (const name of ['Body', 'Headers']) {
        await button(own.page, name).click()
        await own.page.locator(name === 'Body' ? 'pre' : '.headers').waitFor()
        await look(name)
      }
      const wide = await own.page.evaluate('document.documentElement.scrollWidth')
      expect(wide).toBeLessThanOrEqual(width)
      await button(own.page, 'Close').click()
      await button(own.page, 'Keys').click()
      await look('keys')
      expect(found).toEqual([])
      expect(await own.page.evaluate('document.getAnimations().length')).toBe(0)
      await own.close()
    },
  )
})

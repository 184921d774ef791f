// What the page of the listener costs in a browser; nothing is measured where there is none.
import {once} from 'node:events'
import {readFileSync, statSync} from 'node:fs'
import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'
import type {Page} from 'playwright-core'
import {fill, userIn} from './bench-desk.ts'
import {median, print} from './bench-figures.ts'
import {openBrowser, openTab} from './browser.ts'
import {noChromium} from './chromium.ts'
import {paged} from './page.ts'

const STORED = 10_000
const LIVE = 2_000

/** Milliseconds from the address to 100 rows. */
async function openMs(page: Page, url: string): Promise<number> {
  const start = performance.now()
  await page.goto(url)
  await page.locator('button.row').nth(99).waitFor()
  return performance.now() - start
}

async function heapMb(page: Page): Promise<number> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('HeapProfiler.collectGarbage')
  return (await devtools.send('Runtime.getHeapUsage')).usedSize / 1e6
}

/** The same page without a script, at an address of its own: no page that shows these rows could be there sooner. */
async function serveStill(page: Page): Promise<{url: string; close(): void}> {
  const html = (await page.content()).replace(/<script.*?<\/script>/, '')
  const server = createServer(({url}, response) => {
    const isStyle = url === '/page.css'
    response.setHeader('Content-Type', isStyle ? 'text/css' : 'text/html')
    response.end(isStyle ? readFileSync('dist/page.css') : html)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => server.close()}
}

export async function benchPage(env: NodeJS.ProcessEnv, folder: string): Promise<void> {
  console.log('\nPage')
  const script = statSync('dist/page.js').size / 1e3
  print('page.js, KB', script.toFixed(1), '<= 45', script <= 45)
  const missing = noChromium()
  if (missing) return console.log(`  ${missing}`)
  const user = userIn(folder, 'page', env)
  await fill(user.folders, 0, STORED)
  const [browser, listener] = await Promise.all([openBrowser(), paged(user.env)])
  const [times, least]: [number[], number[]] = [[], []]
  const opened = async (url: string) => {
    const tab = await openTab(browser)
    const ms = await openMs(tab.page, url)
    return {ms, tab}
  }
  const {tab: first} = await opened(listener.url)
  const still = await serveStill(first.page)
  await first.close()
  for (let n = 0; n < 9; n += 1)
    for (const [list, url] of [
      [times, listener.url],
      [least, still.url],
    ] as const) {
      const {ms, tab} = await opened(url)
      list.push(ms)
      await tab.close()
    }
  still.close()
  print('100 rows of 10,000, ms', median(times).toFixed(0), '<= 500', median(times) <= 500)
  print('  the same rows in a page without a script', median(least).toFixed(0))
  const {page} = await openTab(browser)
  await openMs(page, listener.url)
  const start = performance.now()
  const sent: Promise<number>[] = []
  for (let n = 0; n < LIVE; n += 1) {
    const wait = start + n * 5 - performance.now()
    if (wait > 0) await new Promise((wake) => setTimeout(wake, wait))
    sent.push(listener.send(JSON.stringify({eventId: `live-${n}`, eventType: 'order.completed'})))
    // The listener takes 32 at once.
    await sent[n - 16]
  }
  await Promise.all(sent)
  const end = performance.now()
  const all = page.locator('button.fresh', {hasText: `${LIVE.toLocaleString('en')} new: show`})
  await all.waitFor({timeout: 30_000})
  print('live, events a second', ((LIVE * 1000) / (end - start)).toFixed(0))
  print('the last of them counted after, ms', (performance.now() - end).toFixed(0))
  const heap = await heapMb(page)
  print('heap after that, MB', heap.toFixed(1), '<= 60', heap <= 60)
  await browser.close()
  await listener.stop()
}

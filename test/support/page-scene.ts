// What the pictures of the page show: a listener over a record of one morning, whose clock stands still.
import {createHash} from 'node:crypto'
import type {Browser} from 'playwright-core'
import {deskOf, HOUR, listened, noticeOf, receipt} from '../desk/records.ts'
import {openTab, type Tab} from './browser.ts'
import {frozenMachine} from './frozen.ts'
import {paged} from './page.ts'
import {userOf} from './service.ts'

const DAY = 24 * HOUR
/** Of yesterday, so that files that are written meanwhile are not old: no day is shown. */
const MIDNIGHT = (Math.floor(Date.now() / DAY) - 1) * DAY
const at = (time: string) => MIDNIGHT + (Date.parse(`1970-01-01T${time}Z`) % DAY)
const NOW = at('15:42:30')
const TO = 'http://127.0.0.1:3000/hook'
const ORDER = 'aab897a7-4d30-479b-85c5-5380b35917dc'

const NOTICE = 'c6c0dd6c-5d76-4b5d-9eff-250400d2b556'

type Made = Parameters<typeof receipt>[2] & {data?: object}

/** What came at a time of that day, and how the receiver answered it; `status` null if it was not handed on. */
function copyAt(
  time: string,
  eventType: string,
  eventId: string,
  status: number | null,
  {data = {}, ...more}: Made = {},
) {
  const came = at(time)
  const body = JSON.stringify({eventId, eventType, data: {orderId: ORDER, ...data}})
  const record = receipt(came, body, {
    headers: [
      ['Content-Type', 'application/json'],
      ['X-Service-Timestamp', String(Math.floor(came / 1000))],
      ['X-Service-Signature', `v1=${createHash('sha256').update(body).digest('hex')}`],
    ],
    ...more,
  })
  const {sha256, at: receivedAt} = record
  const handed = {
    kind: 'forwarded' as const,
    at: new Date(came + 20).toISOString(),
    receivedAt,
    sha256,
    to: TO,
  }
  return status === null ? [record] : [record, {...handed, status, ms: 9 + ((came / 1000) % 7), error: null}]
}

const records = [
  ...copyAt('15:31:05', 'shipment.delivered', '5b1de0a44c92', 200),
  ...copyAt('15:34:48', 'order.completed', 'c7702f9d1b3e', 200),
  ...copyAt('15:36:22', 'notice.raised', '9f2c41d07be3', 200, {
    data: {notice: noticeOf(NOTICE, at('15:36:22'))},
  }),
  ...copyAt('15:36:40', 'order.completed', '11ab0c9d7e21', 500),
  ...copyAt('15:38:02', 'return.requested', '30d9f5e6a178', 200),
  ...copyAt('15:41:40', 'order.completed', '11ab0c9d7e21', 200),
  ...copyAt('15:42:07', 'order.completed', '77e0a1b2c3d4', null, {
    trust: 'refused',
    why: 'body',
    scheme: null,
  }),
]

/** How it looks: its name, the width and height of the window, and what is done first. */
export interface View {
  name: string
  colorScheme: 'light' | 'dark'
  width: number
  height: number
  /** Whether an event is open. */
  opens: boolean
}

export const views: View[] = [
  {name: 'page-light', colorScheme: 'light', width: 1100, height: 440, opens: true},
  {name: 'page-dark', colorScheme: 'dark', width: 1100, height: 440, opens: true},
  {name: 'page-phone', colorScheme: 'light', width: 390, height: 560, opens: false},
]

/** Opens the page once for each view, and closes all at the end. */
export async function pageScene(browser: Browser) {
  const env = {...userOf('http://127.0.0.1:1'), TZ: 'UTC', ...frozenMachine(NOW).env}
  await listened(deskOf(env), {from: NOW - 90 * HOUR, to: NOW - 1, records})
  const listener = await paged(env, '--forward-to', TO)
  return {
    async show({colorScheme, width, height, opens}: View): Promise<Tab> {
      const viewport = {width, height}
      const tab = await openTab(browser, {colorScheme, viewport, deviceScaleFactor: 2, timezoneId: 'UTC'})
      await tab.page.clock.setFixedTime(NOW)
      await tab.page.goto(listener.url)
      await tab.page.getByText('signatures checked').waitFor()
      const rows = tab.page.locator('button.row')
      await rows.nth(6).waitFor()
      if (opens) {
        await rows.nth(1).click()
        await tab.page.locator('.step').nth(3).waitFor()
      }
      // Nothing lies under the mouse.
      await tab.page.mouse.move(0, 0)
      return tab
    },
    close: () => listener.stop(),
  }
}

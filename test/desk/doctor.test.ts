// What `doctor` says of the desk, by the built program.
import {appendFileSync, truncateSync, utimesSync} from 'node:fs'
import {expect, test} from 'vitest'
import {inboxJournal} from '../../src/desk/notices/records.ts'
import {reportReceipts} from '../../src/desk/report.ts'
import {bareHome} from '../support/keyring.ts'
import {scent} from '../support/scent.ts'
import {type Desk, deskOf, eventBody, HOUR, listened, noticeOf, receipt} from './records.ts'

const id = 'c6c0dd6c-5d76-4b5d-9eff-250400d2b556'
const now = Date.now()

/** The checks of the desk, for a user without a credential: the records are those of the identity `local`. */
async function checked(make: (desk: Desk) => unknown) {
  const env: NodeJS.ProcessEnv = bareHome()
  await make(deskOf(env))
  const {stdout} = await scent(env, ['doctor', '--json'])
  const {items} = JSON.parse(stdout) as {
    items: {check: string; state: string; detail: string; next: string | null}[]
  }
  const [receipts, inbox] = items.filter(({check}) => check === 'receipts' || check === 'inbox')
  return {receipts, inbox}
}

test('doctor says that nothing listens, and what else may hide a notice, in one line', async () => {
  expect(await checked(() => {})).toEqual({
    receipts: {check: 'receipts', state: 'ok', detail: 'Nothing listens. 0 files of receipts.', next: null},
    inbox: {
      ...{check: 'inbox', state: 'warning', next: '`scent notices inbox` says it all'},
      detail: expect.stringMatching(
        /^0 notices to answer\. Others may not be here: Nothing has listened for this inbox/,
      ),
    },
  })
})

test('doctor says who listens, what waits, and which answers may be lost', async () => {
  const {receipts, inbox} = await checked(async (desk) => {
    const records = [receipt(now - HOUR, eventBody('event-1', noticeOf(id, now - HOUR)))]
    await listened(desk, {from: now - 100 * HOUR, records})
    const answering = {
      kind: 'answering',
      at: new Date().toISOString(),
      attempt: 'a',
      id,
      choice: 'CancelWhole',
    } as const
    await inboxJournal(desk.folders, desk.identity).append(answering)
  })
  expect(receipts?.detail).toMatch(/^Listening: port 4750 since \d{4}-.*\. 1 file of receipts\.$/)
  expect(inbox).toMatchObject({
    state: 'warning',
    detail: '1 notice to answer. Of 1 answer it is not known whether it arrived.',
    next: `\`scent notices respond ${id}\``,
  })
})

test('doctor finds an inbox well that waits for nothing unknown, and sees all', async () => {
  const {receipts, inbox} = await checked((desk) =>
    listened(desk, {
      from: now - 100 * HOUR,
      records: [receipt(now - HOUR, eventBody('event-1', noticeOf(id, now - HOUR)))],
    }),
  )
  expect([receipts?.state, inbox]).toEqual([
    'ok',
    {check: 'inbox', state: 'ok', detail: '1 notice to answer.', next: null},
  ])
})

test('doctor names a damaged file, and says how to go on', async () => {
  const {receipts, inbox} = await checked(async (desk) =>
    appendFileSync(await listened(desk, {from: now - HOUR, to: now}), 'nonsense\n{}\n'),
  )
  expect(receipts).toMatchObject({
    state: 'failed',
    detail: expect.stringMatching(/\.ndjson is damaged\. .*CORRUPT_FILE/),
  })
  expect(receipts?.next).toContain('scent notices inbox --check')
  expect(inbox?.state).toBe('warning')
})

test('doctor and a listener tell the size of the receipts from 1 GiB on', async () => {
  let state = ''
  const {receipts} = await checked(async (desk) => {
    const path = await listened(desk, {from: now - HOUR, to: now})
    // A hole takes no room; and it is too old to be read.
    truncateSync(path, 1.5 * 1024 ** 3)
    utimesSync(path, 0, 0)
    state = desk.folders.state
  })
  expect(receipts).toMatchObject({state: 'ok', detail: expect.stringContaining('They take 1.5 GiB')})
  const {stderr} = await scent({...bareHome(), SCENT_STATE_DIR: state}, [
    'webhooks',
    'listen',
    '--port',
    '0',
    '--for',
    '1s',
  ])
  expect(stderr.replaceAll('\n', ' ')).toContain(
    'They take 1.5 GiB; nothing deletes them by itself. `scent webhooks prune',
  )
  expect(receipts?.next).toBe('`scent webhooks prune --older-than 90`')
})

test('doctor fails where the disk is nearly full', () => {
  const desk = {...deskOf(bareHome()), settings: undefined}
  const MIB = 1024 ** 2
  expect(() => reportReceipts(desk, 199.9 * MIB)).toThrow(/^199 MiB are free in /)
  expect(reportReceipts(desk, 200 * MIB).detail).toBe('Nothing listens. 0 files of receipts.')
})

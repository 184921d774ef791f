// What is kept beside a large file of receipts saves time, and never changes what is seen.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import {basename, dirname, join} from 'node:path'
import {crc32} from 'node:zlib'
import {describe, expect, test, vi} from 'vitest'
import {readEvidence} from '../../src/desk/notices/evidence.ts'
import {prune} from '../../src/desk/prune.ts'
import {encodeBody, sha256} from '../../src/desk/receipts/body.ts'
import {findCopies, recordedEvents} from '../../src/desk/receipts/recorded.ts'
import type {ReceiptRecord} from '../../src/desk/receipts/records.ts'
import {receiptsFile} from '../../src/desk/receipts/segment.ts'
import {effort} from '../support/effort.ts'
import {bareHome} from '../support/keyring.ts'
import {scentAmongMany as scent} from '../support/many.ts'
import {start} from '../support/scent.ts'
import {type Desk, deskOf, HOUR, listened, noticeOf, receipt} from './records.ts'

const PLACES = effort({little: 24, all: 2_000})
const noticeId = (n: number) => `c6c0dd6c-5d76-4b5d-9eff-${String(n).padStart(12, '0')}`
const order = 'aab897a7-4d30-479b-85c5-5380b35917dc'

/** A listener's records of all kinds, from a number on: some hundred bytes each. */
function recordsFrom(first: number, count: number, began: number): ReceiptRecord[] {
  return Array.from({length: count}, (_, index): ReceiptRecord[] => {
    const n = first + index
    const at = began + n * 1_000
    const copy = (data: object, more: object = {}, eventId = `event-${n}`) =>
      receipt(
        at,
        JSON.stringify({eventId, eventType: 'order.completed', data, filling: 'ü'.repeat(90)}),
        more,
      )
    const impact = {refund: {amount: 0.1, exact: 66.7}}
    const kinds: (() => ReceiptRecord[])[] = [
      () => [copy({notice: noticeOf(noticeId(n), at)})],
      () => [
        copy({
          notice: {
            ...noticeOf(noticeId(n - 1), at),
            status: 'Resolved',
            responseChoice: 'CancelWhole',
            impact,
          },
        }),
      ],
      () => [copy({notice: 'none'}, {eventType: 'notice.new'})],
      () => [copy({orderId: order}, {trust: 'refused', why: 'nothing'})],
      // The same event again, with other bytes.
      () => [copy({again: n}, {trust: n % 2 ? 'verified' : 'unchecked'}, `event-${n - 1}`)],
      () => {
        const one = copy({scentOrderId: order})
        const {sha256, at: receivedAt} = one
        const ended = {to: 'http://127.0.0.1:1/', status: 200, ms: 3, error: null}
        return [one, {kind: 'forwarded', at: one.at, sha256, receivedAt, ...ended}]
      },
      () => [receipt(at, '', {...encodeBody(Buffer.from([0xff, 0xfe, n % 256])), eventId: null})],
      () => [
        {kind: 'alive', at: new Date(at).toISOString(), dropped: n},
        {kind: 'pinned', at: new Date(at).toISOString(), scheme: 'default'},
      ],
    ]
    return kinds[n % 16]?.() ?? [copy({orderId: order})]
  }).flat()
}

/** A desk with one file of receipts that is large enough. */
async function aDesk(count = 600): Promise<Desk & {path: string; digest: string; began: number}> {
  const desk = deskOf(bareHome())
  const began = Date.now() - 2 * HOUR
  const path = await listened(desk, {
    from: began,
    to: Date.now(),
    records: recordsFrom(0, count, began) as never,
  })
  return {...desk, path, digest: `${path}.digest`, began}
}

/** All that is made of the records, as text: amounts with their digits. */
function seen({folders, identity}: Desk): string {
  const all = {since: 0, until: Number.POSITIVE_INFINITY}
  const evidence = readEvidence(folders, identity, 0)
  const copies = ['event-19', 'event-25'].map((id) => findCopies(folders, identity, id))
  const events = [all, {...all, order}, {...all, differs: true}].map((one) =>
    recordedEvents(folders, identity, one),
  )
  return JSON.stringify([evidence, [...evidence.imported], events, copies])
}

/** What is seen of the same records without anything beside them. */
function seenWithout(desk: Desk & {digest: string}): string {
  rmSync(desk.digest, {force: true, recursive: true})
  mkdirSync(desk.digest)
  const text = seen(desk)
  rmSync(desk.digest, {recursive: true})
  return text
}

/** Puts a text in the place of another one in a digest, and facts in its header, with the checksum that it needs. */
function forge({digest}: {digest: string}, from: string, to: string, more: object = {}): void {
  const text = readFileSync(digest, 'utf8')
  const end = text.indexOf('\n') + 1
  const {sum: _, ...found} = JSON.parse(text.slice(0, end))
  const facts = {...found, ...more}
  const body = text.slice(end).replaceAll(from, to)
  const sum = crc32(body, crc32(JSON.stringify(facts)))
  writeFileSync(digest, `${JSON.stringify({...facts, sum})}\n${body}`)
}

/** Waits until no change of the file could have the same time as the last one. */
const settled = ({path}: {path: string}) =>
  vi.waitFor(() => expect(Date.now() - statSync(path).ctimeMs).toBeGreaterThan(1_200), 30_000)

describe('what is kept beside a file of receipts', () => {
  test('changes nothing of what is seen, and is used', async () => {
    const desk = await aDesk()
    const before = seenWithout(desk)
    expect(seen(desk)).toBe(before)
    expect(existsSync(desk.digest)).toBe(true)
    expect(seen(desk)).toBe(before)
    forge(desk, 'order.completed', 'order.forgotten')
    expect(seen(desk)).toContain('order.forgotten')
  })

  test('is not made of a small file', async () => {
    const desk = await aDesk(100)
    seen(desk)
    expect(existsSync(desk.digest)).toBe(false)
  })

  test(`counts for nothing when it is damaged at any of ${PLACES} bytes, or cut there`, async () => {
    const desk = await aDesk()
    const before = seen(desk)
    const whole = readFileSync(desk.digest)
    for (let n = 0; n < PLACES; n += 1) {
      const at = Math.floor((n / PLACES) * whole.length)
      const damaged = Buffer.from(whole)
      damaged[at] = (damaged[at] ?? 0) ^ 1
      for (const bytes of [damaged, whole.subarray(0, at)]) {
        writeFileSync(desk.digest, bytes)
        expect(JSON.stringify(readEvidence(desk.folders, desk.identity, 0))).toBe(
          JSON.stringify(JSON.parse(before)[0]),
        )
      }
    }
    expect(seen(desk)).toBe(before)
  })

  test('counts for nothing under another header, or without one', async () => {
    const desk = await aDesk()
    const before = seen(desk)
    const heads = [
      ...[{digest: 0}, {clientId: 'another'}, {onBehalfOf: 'another'}, {covered: 0}, {covered: -1}],
      ...[{covered: '1'}, {covered: 1e15}, {covered: null}, {source: null}, {more: 1}],
    ]
    const whole = readFileSync(desk.digest, 'utf8')
    for (const more of heads) {
      // It says something else, and its checksum fits: its header alone keeps it from being used.
      forge(desk, 'order.completed', 'order.forged', {stamp: null, ...more})
      expect(seen(desk)).toBe(before)
      writeFileSync(desk.digest, whole)
    }
    const [head = ''] = whole.split('\n', 1)
    for (const text of [
      '',
      'null',
      '{}',
      '[',
      '\0'.repeat(head.length),
      head.replace(/"sum":\d+/, '"sum":1'),
    ]) {
      writeFileSync(
        desk.digest,
        whole.replace(head, () => text),
      )
      expect(seen(desk)).toBe(before)
    }
  })

  test('is used without another look at the file, for as long as that stays as it is', async () => {
    const desk = await aDesk()
    await settled(desk)
    const before = seen(desk)
    expect(JSON.parse(readFileSync(desk.digest, 'utf8').split('\n', 1)[0] ?? '').stamp).toEqual(
      expect.any(String),
    )
    // What only a look at the file would show to be wrong.
    forge(desk, 'order.completed', 'order.forgotten', {source: 0})
    expect(seen(desk)).toContain('order.forgotten')
    const {atime, mtime} = statSync(desk.path)
    utimesSync(desk.path, atime, mtime)
    expect(seen(desk)).toBe(before)
  })

  test.each(['fresh', 'settled'])(
    'hides no damage of a %s file itself, and nothing that is cut off it',
    async (which) => {
      const desk = await aDesk()
      if (which === 'settled') await settled(desk)
      seen(desk)
      const [bytes, digest] = [readFileSync(desk.path), readFileSync(desk.digest)]
      const {covered} = JSON.parse(digest.subarray(0, digest.indexOf(10)).toString())
      for (let n = 0; n < PLACES / 4; n += 1) {
        const at = bytes.indexOf(10) + 1 + (Math.floor(((covered + 2_000) * n) / (PLACES / 4)) % bytes.length)
        const damaged = Buffer.from(bytes)
        damaged[at] = (damaged[at] ?? 0) ^ 1
        for (const content of [
          damaged,
          bytes.subarray(0, at),
          Buffer.concat([bytes.subarray(0, at), bytes]),
        ]) {
          writeFileSync(desk.path, content)
          const without = seenWithout(desk)
          writeFileSync(desk.digest, digest)
          expect(seen(desk)).toBe(without)
        }
      }
    },
  )

  test('is no error where it can be neither read nor written', async () => {
    const desk = await aDesk()
    const before = seenWithout(desk)
    const elsewhere = join(dirname(desk.path), 'elsewhere')
    writeFileSync(elsewhere, 'mine')
    const hindrances = [() => mkdirSync(desk.digest), () => symlinkSync(elsewhere, desk.digest)]
    for (const hinder of hindrances) {
      rmSync(desk.digest, {force: true, recursive: true})
      hinder()
      expect(seen(desk)).toBe(before)
      expect(readFileSync(elsewhere, 'utf8')).toBe('mine')
    }
    rmSync(desk.digest, {force: true, recursive: true})
    chmodSync(dirname(desk.path), 0o500)
    try {
      expect(seen(desk)).toBe(before)
    } finally {
      chmodSync(dirname(desk.path), 0o700)
    }
    expect(leftOvers(desk)).toEqual([])
  })

  test('grows with the file, also past a last line that was cut', async () => {
    const desk = await aDesk()
    const coveredBy = () => JSON.parse(readFileSync(desk.digest, 'utf8').split('\n', 1)[0] ?? '').covered
    seen(desk)
    const [size, covered] = [readFileSync(desk.path).length, coveredBy()]
    expect(covered).toBeLessThan(size)
    for (const [first, torn] of [
      [2_000, 1],
      [3_000, 40],
    ] as const) {
      truncateSync(desk.path, readFileSync(desk.path).length - torn)
      expect(seen(desk)).toBe(seenWithout(desk))
      const file = receiptsFile(desk.path, desk.identity)
      await file.append(recordsFrom(first, 500, desk.began))
      const text = seen(desk)
      expect(coveredBy()).toBeGreaterThan(covered)
      expect(text).toBe(seenWithout(desk))
      seen(desk)
    }
  })

  test('is of another version once anything else is read out of a body', async () => {
    const desk = deskOf(bareHome())
    const began = Date.parse('2026-11-20T09:00:00Z')
    const records = recordsFrom(0, 1_200, began) as never
    const path = await listened(desk, {from: began, to: began + HOUR, records})
    seen({...desk})
    const text = readFileSync(`${path}.digest`, 'utf8')
    const end = text.indexOf('\n')
    const {digest} = JSON.parse(text.slice(0, end))
    // If the text is another one: raise FORMAT in glances.ts, and write both down here.
    expect([digest, sha256(text.slice(end))]).toEqual([
      2,
      '65435fc0dcf3e4379e30c38dee7d38556753422e29dea91a410b3a266d50d643',
    ])
  })

  test('goes with its file', async () => {
    const desk = await aDesk()
    seen(desk)
    prune({paths: [desk.path], events: 0, bytes: 0, kept: 0})
    expect([existsSync(desk.path), existsSync(desk.digest)]).toEqual([false, false])
  })
})

/** Files that writers who were killed have left. */
const leftOvers = ({path}: {path: string}) =>
  readdirSync(dirname(path)).filter((name) => name.includes('.digest.') || name.endsWith('.tmp'))

describe('inboxes that are asked for at once', () => {
  const shown = (text: string) =>
    JSON.parse(text).items.map(({id, desk}: {id: string; desk: {state: string}}) => [id, desk.state])

  test('show the same while each writes what it has read, and although some are killed', async () => {
    const env = bareHome()
    const desk = deskOf(env)
    const began = Date.now() - 2 * HOUR
    const path = await listened(desk, {
      from: began,
      to: Date.now(),
      records: recordsFrom(0, 3_200, began) as never,
    })
    // Of 16 records one raises a notice, and the next one closes it.
    const count = 200
    const whole = shown((await scent(env, ['notices', 'inbox', '--all', '--json'])).stdout)
    expect(whole).toHaveLength(count)
    for (let round = 0; round < effort({little: 2, all: 20}); round += 1) {
      rmSync(`${path}.digest`, {force: true})
      const runs = Array.from({length: 4}, () => start(env, ['notices', 'inbox', '--all', '--json']))
      // The first is killed somewhere between its start and its end.
      setTimeout(() => runs[0]?.child.kill('SIGKILL'), 100 + 100 * round)
      for (const {stdout, signal} of await Promise.all(runs.map(({ended}) => ended)))
        if (signal === null) expect(shown(stdout)).toEqual(whole)
      expect(shown((await scent(env, ['notices', 'inbox', '--all', '--json'])).stdout)).toEqual(whole)
    }
    // What a killed one has left is gone some time later.
    const left = join(dirname(path), `.${basename(path)}.digest.1-abc.tmp`)
    writeFileSync(left, '')
    utimesSync(left, 0, 0)
    rmSync(`${path}.digest`)
    await scent(env, ['notices', 'inbox'])
    expect(existsSync(left)).toBe(false)
    expect(existsSync(`${path}.digest`)).toBe(true)
  })
})

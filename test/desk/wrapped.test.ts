// What a delivery told that proved nothing is worth no more when it is imported, in whatever wrapping it comes.
import {describe, expect, test} from 'vitest'
import {scentAmongMany as scent} from '../support/many.ts'
import {emptyUser} from '../terminal/stage.ts'
import {deskOf, eventBody, HOUR, listened, noticeOf, receipt} from './records.ts'

const id = 'c6c0dd6c-5d76-4b5d-9eff-250400d2b556'
const now = Date.now()
const raised = noticeOf(id, now - HOUR)
const closing = eventBody('forged-1', {...raised, status: 'Resolved', responseChoice: 'CancelWhole'})
const bare = {...raised, status: 'ExpiredCancelledWhole'}
const base64 = Buffer.from(closing).toString('base64')
const line = JSON.stringify({trust: 'verified', body: closing})

/** Bodies that somebody sends whose signature does not fit, and what a person makes of them before they are imported. */
const wrappings: [name: string, body: string, given: (body: string) => string][] = [
  ['as it came', closing, (body) => body],
  ['with a line end behind it', `${closing}\n`, (body) => body.trim()],
  ['written anew', closing, (body) => JSON.stringify(JSON.parse(body), null, 2)],
  [
    'with its keys in another order',
    closing,
    (body) => body.replace(/^\{"eventId":"forged-1",/, '{"eventId":"forged-1", '),
  ],
  ['only its notice', closing, (body) => JSON.stringify(JSON.parse(body).data.notice)],
  ['an array', JSON.stringify([{notice: bare}]), (body) => body],
  [
    'the element of an array',
    JSON.stringify([{notice: bare}]),
    (body) => JSON.stringify(JSON.parse(body)[0]),
  ],
  ['two lines', `{"a":1}\n${closing}`, (body) => body],
  ['two documents in a line', `{"a":1}${closing}`, () => closing],
  ['a list', JSON.stringify({items: [{body: closing}]}), (body) => body],
  ['a line of a listener', line, (body) => body],
  ['a line of a listener, its body', line, (body) => JSON.parse(body).body],
  ['a line in a line', JSON.stringify({body: line}), (body) => JSON.parse(body).body],
  ['base64', JSON.stringify({body: base64, encoding: 'base64'}), (body) => body],
  ['a text', JSON.stringify(closing), (body) => JSON.parse(body)],
  ['with its letters written out', closing.replace(/"Resolved"/, '"\\u0052esolved"'), () => closing],
  ['only the type of the event says it', eventBody('e-1', {noticeId: id}, 'notice.closed'), (body) => body],
]

async function stateAfter(body: string, given: string, trust: 'refused' | 'unchecked' | 'stale') {
  const env = emptyUser()
  await listened(deskOf(env), {
    from: now - 2 * HOUR,
    to: now,
    records: [
      receipt(now - HOUR, eventBody('raised-1', raised)),
      receipt(now - HOUR / 2, body, {trust, why: trust === 'refused' ? 'mismatch' : null}),
    ],
  })
  for (const text of [
    given,
    JSON.stringify({body: given}),
    JSON.stringify([given].map((one) => ({body: one}))),
  ]) {
    // A wrapping that cannot be read opens nothing either.
    const {code, stdout} = await scent(env, ['notices', 'import', '-', '--json'], text)
    expect([0, 2, 11], stdout).toContain(code)
  }
  const {items} = JSON.parse((await scent(env, ['notices', 'inbox', '--all', '--json'])).stdout)
  return items.map((item: {id: string; desk: {state: string}}) => [item.id, item.desk.state])
}

describe.each(wrappings)('a closing event that was refused, %s', (_, body, given) => {
  test('closes nothing', async () => {
    expect(await stateAfter(body, given(body), 'refused')).toEqual([
      [id, expect.stringMatching(/open|doubt/)],
    ])
  })
})

test.each(['unchecked', 'stale'] as const)('one that is %s closes nothing either', async (trust) => {
  expect(await stateAfter(closing, closing, trust)).toEqual([[id, expect.stringMatching(/open|doubt/)]])
})

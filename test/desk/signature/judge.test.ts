import {createHmac, randomBytes, randomInt} from 'node:crypto'
import {Webhook} from 'standardwebhooks'
import {describe, expect, test} from 'vitest'
import {type Arrived, type Judging, judge, TOLERANCE} from '../../../src/desk/signature/judge.ts'
import {secretsOf} from '../../../src/desk/signature/keys.ts'
import {parseScheme, schemes} from '../../../src/desk/signature/schemes.ts'
import {at, headers, id, names, now, sent} from './sender.ts'

const secret = `whsec_${Buffer.from('a secret of the tests, 32 bytes!').toString('base64')}`
const body = '{"eventId":"e1","data":{"total":66.70}}'

const judging = (facts: Partial<Judging> = {}): Judging => ({
  ...{secrets: [secret], scheme: undefined, tolerance: TOLERANCE, now},
  ...facts,
})
const verdictOf = (delivery: Arrived, facts?: Partial<Judging>) => {
  const {trust, why, scheme} = judge(delivery, judging(facts))
  return {trust, why, scheme: scheme?.name ?? null}
}
const refused = (why: string) => ({trust: 'refused', why, scheme: null})

describe('the vectors that are published', () => {
  const vectors: [string, string, Arrived, number][] = [
    [
      'standard',
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      {
        headers: headers('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=', '1614265330'),
        body: Buffer.from('{"test": 2432232314}'),
        id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      },
      1_614_265_330,
    ],
    [
      'github',
      "It's a Secret to Everybody",
      {
        headers: headers('sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'),
        body: Buffer.from('Hello, World!'),
      },
      at,
    ],
    [
      'slack',
      '8f742231b10e8888abcd99yyyzzz85a5',
      {
        headers: headers('v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503', '1531420618'),
        body: Buffer.from(
          'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
        ),
      },
      1_531_420_618,
    ],
    ['stripe', secret, sent('stripe', {body, secret}), at],
    ['default', secret, sent('default', {body, secret}), at],
  ]

  test.each(vectors)('%s fits, by its name and, if it signs a time, without', (name, key, delivery, time) => {
    const facts = {secrets: [key], now: time * 1000}
    const fits = {trust: 'verified', why: null, scheme: name}
    expect(verdictOf(delivery, {...facts, scheme: parseScheme(name)})).toEqual(fits)
    if (name === 'github') expect(verdictOf(delivery, facts)).toEqual(refused('mismatch'))
    else expect(verdictOf(delivery, facts)).toEqual(fits)
  })

  test.each(vectors)('%s fits no other scheme', (name, key, delivery, time) => {
    for (const scheme of schemes.filter((one) => one.name !== name))
      expect(verdictOf(delivery, {secrets: [key], now: time * 1000, scheme}).trust).toBe('refused')
  })

  test('500 that the package standardwebhooks signs fit, and it takes 500 of ours', () => {
    const scheme = parseScheme('{id}.{timestamp}.{body} sha256 base64 v1, secret=base64')
    for (let n = 0; n < 500; n += 1) {
      const key = `whsec_${randomBytes(24 + (n % 40)).toString('base64')}`
      const webhook = new Webhook(key)
      const messageId = `msg_${randomBytes(9).toString('base64url')}`
      const time = Math.floor(Date.now() / 1000) - randomInt(200)
      const text = JSON.stringify({n, text: randomBytes(randomInt(300)).toString(), total: n / 7})
      const signature = webhook.sign(messageId, new Date(time * 1000), text)
      const theirs = {headers: headers(signature, String(time)), body: Buffer.from(text), id: messageId}
      const facts = {secrets: ['another', key], now: time * 1000}
      expect(verdictOf(theirs, facts)).toEqual({trust: 'verified', why: null, scheme: 'standard'})
      expect(verdictOf(theirs, {...facts, scheme}).trust).toBe('verified')
      const mac = createHmac('sha256', Buffer.from(key.slice(6), 'base64'))
      const ours = `v1,${mac.update(`${messageId}.${time}.${text}`).digest('base64')}`
      expect(ours).toBe(signature)
      const told = {'webhook-id': messageId, 'webhook-timestamp': String(time), 'webhook-signature': ours}
      expect(webhook.verify(text, told)).toEqual(JSON.parse(text))
      const spoilt = Buffer.from(text)
      spoilt[n % spoilt.length] = (spoilt[n % spoilt.length] ?? 0) ^ 1
      expect(verdictOf({...theirs, body: spoilt}, facts).trust).toBe('refused')
    }
    console.log(`vectors: ${vectors.length} published, 500 of standardwebhooks and 500 for it`)
  })
})

describe('a delivery', () => {
  const good = sent('default', {body, secret})
  const [, , [, signature = ''] = []] = good.headers

  test('is worth nothing checked without a secret', () => {
    expect(verdictOf(good, {secrets: []})).toEqual({trust: 'unchecked', why: 'no-secret', scheme: null})
  })

  test('fits with any of the secrets that are in force', () => {
    expect(verdictOf(good, {secrets: secretsOf(`older\r\n\n${secret}\n`)}).trust).toBe('verified')
    expect(verdictOf(good, {secrets: ['older']})).toEqual(refused('mismatch'))
  })

  test.each([
    [300, 'verified'],
    [301, 'stale'],
    [-300, 'verified'],
    [-301, 'stale'],
  ])('that is %i s old is %s', (age, trust) => {
    expect(judge(good, judging({now: (at + age) * 1000}))).toMatchObject({trust, ageSeconds: age})
    expect(judge(good, judging({now: (at + age) * 1000, tolerance: Number.POSITIVE_INFINITY})).trust).toBe(
      'verified',
    )
  })

  test('with several signatures fits if one of them does, as while a key is changed', () => {
    const standard = sent('standard', {body, secret}).headers[2]?.[1] ?? ''
    const wrong = `v1,${randomBytes(32).toString('base64')}`
    const list = {headers: headers(`v1a,x ${wrong} ${standard}`), body: Buffer.from(body), id}
    expect(verdictOf(list).trust).toBe('verified')
    const pairs = {
      headers: headers(`t=${at},v1=${'0'.repeat(64)},v1=${signature.slice(3)}`),
      body: Buffer.from(body),
    }
    expect(verdictOf(pairs)).toEqual({trust: 'verified', why: null, scheme: 'stripe'})
  })

  test.each<[string, [string, string][], string]>([
    ['no signature', [['X-Service-Timestamp', String(at)]], 'no-signature'],
    ['an empty signature', headers('  '), 'no-signature'],
    ['a cut signature', headers(signature.slice(0, 40)), 'form'],
    ['a signature in capitals', headers(`v1=${signature.slice(3).toUpperCase()}`), 'form'],
    ['two signatures', [...headers(signature), ['X-SERVICE-SIGNATURE', signature]], 'form'],
    ['two timestamps', [...headers(signature), ['X-Service-Timestamp', String(at)]], 'form'],
    ['signatures joined by a comma', headers(`${signature},${signature}`), 'form'],
    ['a signature of SHA-1', headers('v1=0a4d55a8d778e5022fab701977c5d840bbc486d0'), 'form'],
    ['a signature of 1 MiB', headers('a'.repeat(1 << 20)), 'form'],
    ['a signature of 2,000 words', headers('v1,a '.repeat(2000)), 'form'],
    ['a timestamp in milliseconds', headers(signature, `${at}000`), 'timestamp'],
    ['an ISO timestamp', headers(signature, '2025-11-22T08:26:40Z'), 'timestamp'],
    ['a timestamp with a sign', headers(signature, `+${at}`), 'timestamp'],
    ['a timestamp of 10,000 digits', headers(signature, '1'.repeat(10_000)), 'timestamp'],
    ['no timestamp', [['X-Service-Signature', signature]], 'no-timestamp'],
    ['another timestamp', headers(signature, String(at + 1)), 'mismatch'],
    ['control characters in its signature', headers('v1=\u001b]0;x\u0007'), 'form'],
  ])('with %s is refused', (_, pairs, why) => {
    expect(verdictOf({headers: pairs, body: Buffer.from(body)})).toEqual(refused(why))
  })

  test('of another body is refused, whatever its bytes are', () => {
    const bodies = [
      '',
      ' ',
      `${body} `,
      '[[[['.repeat(1 << 18),
      Buffer.from([0xff, 0xfe, 0x00]),
      randomBytes(1 << 20),
    ]
    for (const one of bodies)
      expect(verdictOf({headers: good.headers, body: Buffer.from(one)})).toEqual(refused('mismatch'))
  })

  test.each(names)('whose body is empty, not UTF-8 or 1 MiB fits as %s', (name) => {
    for (const one of [Buffer.alloc(0), Buffer.from([0xff, 0xfe, 0x00]), randomBytes(1 << 20)])
      expect(verdictOf(sent(name, {body: one, secret}), {scheme: parseScheme(name)}).trust).toBe('verified')
  })

  test('is not verified by a secret that leaves an empty key: anybody has that', () => {
    const empty = createHmac('sha256', Buffer.alloc(0)).update(`${id}.${at}.${body}`).digest('base64')
    const forged = {headers: headers(`v1,${empty}`), body: Buffer.from(body), id}
    for (const bad of ['whsec_', 'whsec_!!!!', 'whsec_=', '==', ' '])
      expect(verdictOf(forged, {secrets: [bad], scheme: parseScheme('standard')})).toEqual(
        refused('mismatch'),
      )
    expect(secretsOf(' \n""\r\n\n')).toEqual([])
  })
})

describe('a scheme', () => {
  test.each([
    '{timestamp}.{body} sha256 hex v1=',
    '{body} sha1 HEX',
    'v0:{timestamp}:{body} sha512 base64 sig=',
    '{timestamp}\\n{body} sha384 unpadded v1, secret=hex timestamp=ms',
    '{method}{path}{timestamp}{bodyhash} sha256 base64url secret=base64 timestamp=iso',
  ])('%s is read from its written form, and named by it', (text) => {
    expect(parseScheme(text).name).toBe(text)
    expect(parseScheme(`  ${text.replaceAll(' ', '  ')} `)).toEqual(parseScheme(text))
  })

  test.each([
    '',
    'x',
    'Default',
    '{timestamp} sha256 hex',
    '{timestamp}.{body} md5 hex',
    '{timestamp}.{body} sha256 octal',
    '{timestamp}.{nobody} sha256 hex',
    '{timestamp}.{__proto__}{body} sha256 hex',
    '{timestamp}.{body} sha256 hex a b',
    '{timestamp}.{body} sha256 hex secret=rot13',
    '{timestamp}.{body} sha256 hex timestamp=',
  ])('"%s" is refused with what may be given', (text) => {
    expect(() => parseScheme(text)).toThrow(`"${text}" is not a valid scheme.`)
  })

  test('that is written judges in its own form of time', () => {
    const ms = `${at}250`
    const mac = createHmac('sha256', secret).update(`${ms}.${body}`).digest('hex')
    const delivery = {headers: headers(`sig=${mac}`, ms), body: Buffer.from(body)}
    const scheme = parseScheme('{timestamp}.{body} sha256 hex sig= timestamp=ms')
    expect(judge(delivery, judging({scheme}))).toMatchObject({trust: 'verified', ageSeconds: 3})
    expect(judge(delivery, judging({scheme, now: now + 400_000})).trust).toBe('stale')
  })
})

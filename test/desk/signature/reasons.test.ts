import {createHmac, randomBytes} from 'node:crypto'
import {afterAll, describe, expect, test} from 'vitest'
import {whyLines} from '../../../src/desk/screens/signature.ts'
import {type Arrived, judge, signatureIn, TOLERANCE} from '../../../src/desk/signature/judge.ts'
import {explain, type Why} from '../../../src/desk/signature/reasons.ts'
import {parseScheme} from '../../../src/desk/signature/schemes.ts'
import {discover} from '../../../src/desk/signature/search.ts'
import {at, changed, headers, id, names, now, sent} from './sender.ts'

const bytes = Buffer.from('a secret of the tests, 32 bytes!')
const secret = `whsec_${bytes.toString('base64')}`
const event = {
  eventType: 'order.completed',
  eventId: id,
  data: {name: 'Noé & Söhne', url: 'https://x/y', lines: [{n: 1}, {}, []]},
}
const compact = JSON.stringify(event)
const indented = (by: number) => JSON.stringify(event, null, by)
const spaced = compact.replace(/(,|":)/g, '$1 ')
const ascii = (text: string) =>
  text.replace(/[^\0-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
const sorted = JSON.stringify({
  data: {lines: [{n: 1}, {}, []], name: 'Noé & Söhne', url: 'https://x/y'},
  eventId: id,
  eventType: 'order.completed',
})

/** What undoes a change, the body as it was signed, and the body as it arrives. */
const changes: [change: string, signed: string | Buffer, here: string | Buffer][] = [
  ['newline', `${compact}\n`, compact],
  ['newline', compact, `${compact}\r\n`],
  ['crlf', indented(2).replaceAll('\n', '\r\n'), indented(2)],
  ['crlf', indented(2), indented(2).replaceAll('\n', '\r\n')],
  ['bom', `\ufeff${compact}`, compact],
  ['bom', compact, `\ufeff${compact}`],
  ['latin1', compact, Buffer.from(compact, 'latin1')],
  ['latin1', Buffer.from(compact, 'latin1'), compact],
  ['percent', compact, encodeURIComponent(compact)],
  ['percent', compact, encodeURIComponent(compact).replaceAll('%20', '+')],
  ['compact', compact, indented(4)],
  ['compact', compact, spaced],
  ['compact+escapes', compact, ascii(spaced)],
  ['spaced', spaced, compact],
  ['indent2', indented(2), compact],
  ['indent4', indented(4), spaced],
  ['sorted', sorted, compact],
  ['escapes', ascii(compact), compact],
  ['escapes', compact, ascii(compact)],
  [
    'escapes',
    ascii(compact).replaceAll('\\u00e9', '\\u00E9').replace('\\u00f6', '\\u00F6').replace('&', '\\u0026'),
    compact,
  ],
  ['escapes', compact.replace('&', '\\u0026'), compact],
  ['slashes', compact.replaceAll('/', '\\/'), compact],
  ['slashes', compact, compact.replaceAll('/', '\\/')],
  ['numbers', compact.replace('"n":1', '"n":66.7'), compact.replace('"n":1', '"n":66.70')],
  ['decimals', compact.replace('"n":1', '"n":66.70'), compact.replace('"n":1', '"n":66.7')],
  ['indent2+newline', `${indented(2)}\n`, compact],
  ['spaced+escapes', ascii(spaced), compact],
  ['compact+slashes', compact.replaceAll('/', '\\/'), spaced],
  ['indent2+sorted', JSON.stringify(JSON.parse(sorted), null, 2), compact],
  ['compact+decimals', compact.replace('"n":1', '"n":66.70'), indented(2).replace('"n": 1', '"n": 66.7')],
]

const reasonOf = (delivery: Arrived, scheme?: string, secrets = [secret], time = now): Why =>
  explain(delivery, {
    ...{secrets, scheme: scheme === undefined ? undefined : parseScheme(scheme)},
    ...{tolerance: TOLERANCE, now: time},
  })

let told = 0
afterAll(() => console.log(`reasons told right: ${told}, and 1,000 wrong secrets that nothing fits`))

describe.each(names)('a delivery that is signed as %s', (name) => {
  test.each(changes)('and changed on the way says so, and what undoes it: %s', (change, signed, here) => {
    const delivery = changed(sent(name, {body: signed, secret}), here)
    for (const scheme of [name, undefined]) {
      const why = reasonOf(delivery, scheme)
      expect(why).toMatchObject({reason: 'body', change})
      // A signature in the form of GitHub is that of the default scheme as well, which is tried first.
      expect(why.scheme).toBe(name)
      const [before, after] = [Buffer.from(signed), Buffer.from(here)]
      const place = why.at ?? -1
      expect(before.subarray(0, place).equals(after.subarray(0, place))).toBe(true)
      expect(before[place]).not.toBe(after[place])
      told += 1
    }
  })

  const readings: [reading: string, given: string][] =
    name === 'standard'
      ? [
          ['hex', `whsec_${bytes.toString('hex')}`],
          ['text', bytes.toString()],
        ]
      : [
          ['trimmed', ` ${secret}`],
          ['trimmed', `"${secret}"`],
          ['bare', `whsec_${secret}`.replace('whsec_whsec_', 'whsec_')],
          ['prefixed', secret.slice(6)],
          ['base64', Buffer.from(secret).toString('base64')],
          ['hex', Buffer.from(secret).toString('hex')],
        ]
  test.each(readings)('with the secret read as %s says so, and pins what takes it', (reading, given) => {
    // The one that is without its prefix where it was signed.
    const key = reading === 'bare' ? secret.slice(6) : secret
    const delivery = sent(name, {body: compact, secret: key})
    const why = reasonOf(delivery, name, [given])
    expect(why).toMatchObject({reason: 'secret', change: reading, scheme: name})
    const pinned = {secrets: [given], scheme: parseScheme(why.pin ?? ''), tolerance: TOLERANCE, now}
    expect(judge(delivery, pinned).trust).toBe('verified')
  })

  test('and judged by another scheme names the one that fits', () => {
    const delivery = sent(name, {body: compact, secret})
    for (const other of names.filter((one) => one !== name))
      expect(reasonOf(delivery, other)).toMatchObject({reason: 'scheme', scheme: name, pin: name})
  })

  test('in another form says what is wrong with the form', () => {
    const delivery = sent(name, {body: compact, secret})
    const signature = delivery.headers[2]?.[1] ?? ''
    const why = (written: string) => reasonOf({...delivery, headers: headers(written)}, name)
    expect(why('')).toEqual({reason: 'no-signature'})
    const cut = name === 'stripe' ? signature.replace(/,v0.*$/, '').slice(0, -20) : signature.slice(0, -20)
    const of = name === 'standard' ? 44 : 64
    expect(why(cut)).toMatchObject({reason: 'form', change: 'cut', digits: of - 20, of})
    expect(why(signature.replace(/(v1[=,]|v0=|256=)[^,]+/, '$1**not digits**'))).toMatchObject({
      reason: 'form',
      change: 'letters',
    })
    expect(reasonOf({...delivery, headers: [...delivery.headers, ...delivery.headers]}, name)).toEqual({
      ...{reason: 'form', change: 'two'},
    })
    if (name === 'standard' || name === 'stripe') return
    const [prefix = '', digits = ''] = signature.split('=')
    expect(why(`${prefix}=${digits.toUpperCase()}`)).toMatchObject({reason: 'form', change: 'upper'})
    const foreign = reasonOf({...delivery, headers: headers(`${prefix}=${digits.toUpperCase()}`)}, name, [
      'x',
    ])
    expect(foreign).toMatchObject({reason: 'nothing', change: 'upper', fingerprints: [expect.any(String)]})
    expect(whyLines(foreign, 200)[0]).toBe(
      'The signature does not fit in any reading, and is written in capitals besides.',
    )
    const base64 = Buffer.from(digits, 'hex').toString('base64')
    const other = why(`${prefix}=${base64}`)
    expect(other).toMatchObject({reason: 'scheme', scheme: name})
    expect(parseScheme(other.pin ?? '')).toMatchObject({encoding: 'base64', prefixes: [`${prefix}=`]})
  })
})

describe.each(['sha1', 'sha384', 'sha512'])('a delivery that is signed with %s', (hash) => {
  const title = hash.replace('sha', 'SHA-')
  const mac = (key: string, encoding: 'hex' | 'base64') =>
    createHmac(hash, key).update(`${at}.${compact}`).digest(encoding)
  test.each(['v1=', ''])('says so, and pins what takes it: behind "%s"', (prefix) => {
    for (const encoding of ['hex', 'base64'] as const)
      for (const scheme of ['default', undefined]) {
        const delivery = {headers: headers(`${prefix}${mac(secret, encoding)}`), body: Buffer.from(compact)}
        const why = reasonOf(delivery, scheme)
        expect(why).toMatchObject({reason: 'scheme', change: hash})
        expect(whyLines(why, 200)[0]).toContain(`made with ${title}, where SHA-256 is expected`)
        const pinned = {secrets: [secret], scheme: parseScheme(why.pin ?? ''), tolerance: TOLERANCE, now}
        expect(judge(delivery, pinned).trust).toBe('verified')
      }
  })

  test('and with another secret is not told as cut or too long', () => {
    const digits = mac('another', 'hex')
    const why = reasonOf({headers: headers(`v1=${digits}`), body: Buffer.from(compact)}, 'default')
    expect(why).toMatchObject({reason: 'form', change: hash, digits: digits.length, of: 64})
    expect(whyLines(why, 200).join(' ')).toMatch(
      new RegExp(`has ${digits.length} digits, as one that is made with ${title}, .* secret is another one`),
    )
  })
})

// GitHub's form carries no time.
describe.each(names.filter((name) => name !== 'github'))('a delivery that is signed as %s', (name) => {
  test('with its time in another form says which', () => {
    for (const [form, written] of [
      ['ms', `${at}000`],
      ['iso', new Date(at * 1000).toISOString()],
    ] as const) {
      const delivery = sent(name, {body: compact, secret, timestamp: written})
      const why = reasonOf(delivery, name)
      expect(why).toMatchObject({reason: 'timestamp', change: form})
      const pinned = {secrets: [secret], scheme: parseScheme(why.pin ?? ''), tolerance: TOLERANCE, now}
      expect(judge(delivery, pinned).trust).toBe('verified')
      // The time was written anew on the way: it was signed in seconds.
      if (name === 'stripe') continue
      const signed = sent(name, {body: compact, secret})
      const rewritten = {...signed, headers: headers(signed.headers[2]?.[1] ?? '', written)}
      expect(reasonOf(rewritten, name)).toMatchObject({reason: 'timestamp', change: form})
    }
  })

  test('too long ago, or ahead, is stale and tells by how much', () => {
    const delivery = sent(name, {body: compact, secret})
    expect(reasonOf(delivery, name, [secret], now + 400_000)).toMatchObject({
      reason: 'stale',
      ageSeconds: 403,
    })
    expect(reasonOf(delivery, name, [secret], now - 400_000)).toMatchObject({
      reason: 'stale',
      ageSeconds: -397,
    })
  })
})

describe('a delivery', () => {
  const good = sent('default', {body: compact, secret})

  test('signed with another secret says so for 1,000 of them, and never finds a reading', () => {
    const reasons = new Set<string>()
    for (let n = 0; n < 1000; n += 1) {
      const wrong = [randomBytes(24).toString('base64'), randomBytes(20).toString('hex')][n % 2] ?? ''
      const name = names[n % names.length] ?? ''
      const why = reasonOf(sent(name, {body: compact, secret: `whsec_${wrong}`}), n % 3 ? undefined : name)
      reasons.add(why.reason)
      expect(why.tried).toBeGreaterThan(40)
    }
    expect([...reasons]).toEqual(['nothing'])
  })

  test('tells two secrets apart by their fingerprints, and tells neither', () => {
    const why = reasonOf(good, 'default', ['one', 'another'])
    expect(why.fingerprints).toHaveLength(2)
    expect(JSON.stringify(why)).not.toMatch(/one|another/)
  })

  test('without what it needs says what that is', () => {
    expect(reasonOf({...good, headers: []})).toEqual({reason: 'no-signature'})
    const untimed = good.headers.filter(([name]) => name !== 'X-Service-Timestamp')
    expect(reasonOf({...good, headers: untimed})).toMatchObject({reason: 'no-timestamp'})
    expect(reasonOf(good, 'default', [])).toEqual({reason: 'no-secret'})
    expect(reasonOf(sent('github', {body: compact, secret}))).toMatchObject({reason: 'scheme', pin: 'github'})
  })

  test('that is compressed or cut says so, and nothing is unpacked', () => {
    const zipped = {
      ...good,
      body: randomBytes(80),
      headers: [...good.headers, ['Content-Encoding', 'gzip'] as const],
    }
    expect(reasonOf(zipped)).toMatchObject({reason: 'body', change: 'encoded'})
    const length = ['Content-Length', String(good.body.length)] as const
    const cut = {...good, body: good.body.subarray(0, 40), headers: [...good.headers, length]}
    expect(reasonOf(cut)).toMatchObject({reason: 'body', change: 'length', digits: 40, of: good.body.length})
  })

  test.each<[string, string | Buffer]>([
    ['1 MiB of JSON', JSON.stringify({a: Array.from({length: 60_000}, (_, n) => `é/${n}.50`)})],
    ['a million brackets', '['.repeat(1 << 20)],
    ['100,000 brackets, closed', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['a million quotes', '"'.repeat(1 << 20)],
    ['a million backslashes', `"${'\\'.repeat(1 << 20)}"`],
    ['a million percents', '%'.repeat(1 << 20)],
    ['a million digits', '9'.repeat(1 << 20)],
    ['a million newlines', '\n'.repeat(1 << 20)],
    ['a million newlines before a letter', `${'\n'.repeat(1 << 20)}x\n`],
    ['a million carriage returns', `${'\r'.repeat(1 << 20)}\n`],
    ['random bytes', randomBytes(1 << 20)],
    ['a key __proto__', '{"__proto__":{"eventId":1},"eventId":{"__proto__":null}}'],
  ])('whose body is %s is told within seconds', (_, body) => {
    const delivery = changed(good, body)
    const began = process.cpuUsage()
    expect(reasonOf(delivery).reason).toBe('nothing')
    const seen = signatureIn(delivery)
    if ('why' in seen) throw new Error(seen.why)
    expect(discover(delivery, seen, [secret], now).items).toEqual([])
    expect(process.cpuUsage(began).user / 1e6).toBeLessThan(15)
  })

  test.each([
    ['a'.repeat(4000), 'one long word'],
    [`${'a'.repeat(40)} `.repeat(90), 'many words'],
    [',=+/'.repeat(900), 'many marks'],
    ['\u001b]0;owned\u0007\u202e', 'control characters'],
    ['t=1,v1='.repeat(500), 'many times'],
  ])('whose signature is hostile is told at once: %#', (signature) => {
    const began = process.cpuUsage()
    const why = reasonOf({...good, headers: headers(signature, '\u001b[2J')})
    expect(why.reason).toMatch(/form|nothing|timestamp/)
    expect(process.cpuUsage(began).user / 1e6).toBeLessThan(2)
  })
})

describe('a search', () => {
  const searched = (delivery: Arrived, secrets = [secret]) => {
    const seen = signatureIn(delivery)
    if ('why' in seen) throw new Error(seen.why)
    return discover(delivery, seen, secrets, now)
  }

  test.each(names)('finds %s as the only scheme that fits, in a form that takes it', (name) => {
    const delivery = sent(name, {body: compact, secret})
    const {items, tried} = searched(delivery)
    expect(items).toHaveLength(1)
    expect(items[0]?.change).toBe(null)
    const pinned = {secrets: [secret], scheme: parseScheme(items[0]?.scheme ?? ''), tolerance: TOLERANCE, now}
    expect(judge(delivery, pinned).trust).toBe('verified')
    expect(tried).toBeGreaterThan(1000)
  })

  test.each(['sha256', 'sha512', 'sha1', 'sha384'])('finds what nobody would name, with %s', (hash) => {
    const key = Buffer.from(secret.slice(6), 'base64')
    const text = `POST\n/hook/7\n${at}\n${compact}`
    const mac = createHmac(hash, key).update(text).digest('base64url')
    const delivery = {
      headers: headers(`hmac:${mac}`),
      body: Buffer.from(compact),
      method: 'POST',
      path: '/hook/7',
    }
    const {items} = searched(delivery)
    expect(items).toMatchObject([{change: null, ageSeconds: 3}])
    expect(items[0]?.scheme).toMatch(`{method}\\n{path}\\n{timestamp}\\n{body} ${hash} base64`)
    const scheme = parseScheme(items[0]?.scheme ?? '')
    expect(judge(delivery, {secrets: [secret], scheme, tolerance: TOLERANCE, now}).trust).toBe('verified')
  })

  test('sees through a change of the body', () => {
    const {items} = searched(changed(sent('slack', {body: compact, secret}), spaced))
    expect(items).toMatchObject([{scheme: 'v0:{timestamp}:{body} sha256 hex v0=', change: 'compact'}])
  })
})

describe.each([80, 40, 32])('a screen of %i columns', (room) => {
  test('holds every reason, and lets nothing hostile through', () => {
    const hostile = '{"a":"\u001b]0;owned\u0007\u202e\u0085"}'
    const whys: Why[] = [
      reasonOf(changed(sent('default', {body: `${hostile}\n`, secret}), hostile)),
      ...changes.map(([, signed, here]) => reasonOf(changed(sent('default', {body: signed, secret}), here))),
      ...[{reason: 'stale', ageSeconds: -400, scheme: 'slack'} as const, {reason: 'no-signature'} as const],
      ...[{reason: 'no-timestamp'} as const, {reason: 'no-secret'} as const, {reason: 'timestamp'} as const],
      ...['two', 'upper', 'letters', 'cut', 'long'].map(
        (change) => ({reason: 'form', change, digits: 9, of: 64}) as const,
      ),
      ...['encoded', 'length'].map((change) => ({reason: 'body', change, digits: 9, of: 64}) as const),
      ...['text', 'trimmed', 'bare', 'prefixed', 'base64', 'hex'].map(
        (change) => ({reason: 'secret', change, pin: 'default', scheme: 'default'}) as const,
      ),
      ...['ms', 'iso', 'seconds'].map((change) => ({reason: 'timestamp', change}) as const),
      ...[
        {reason: 'scheme', scheme: 'github', pin: 'github'} as const,
        {reason: 'nothing', tried: 61} as const,
      ],
    ]
    for (const why of whys) {
      const lines = whyLines(why, room).join('\n').split('\n')
      expect(lines.join('\n')).not.toMatch(/undefined|[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
      expect(lines.filter((line) => line.length > room)).toEqual([])
      expect(lines[0]).not.toBe('')
    }
  })
})

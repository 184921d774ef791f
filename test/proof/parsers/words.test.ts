// Words of a command line, of a query, of an answer: whatever they are, they are read as they are meant, or refused by name.
import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {mappingOf} from '../../../src/bulk/file/header.ts'
import {readAnswer} from '../../../src/client/answer.ts'
import {queryOf} from '../../../src/client/query.ts'
import {proxyFor, requireSafe} from '../../../src/client/reach.ts'
import {headersOf, prepare} from '../../../src/client/request.ts'
import {checkAddress, international} from '../../../src/contract/address.ts'
import {api} from '../../../src/contract/api.ts'
import {guarded, isUuid, millis, momentOf, unguarded, writtenOut} from '../../../src/contract/forms.ts'
import {digits, exact, parseJson, printJson, withDecimals} from '../../../src/contract/money.ts'
import type {Operation} from '../../../src/contract/operation.ts'
import {parseScheme, schemes, writtenForm} from '../../../src/desk/signature/schemes.ts'
import {assume} from '../../../src/sandbox/core/assumptions.ts'
import {readQuery} from '../../../src/sandbox/door/query.ts'
import {baseUrlOf, requireName} from '../../../src/store/profiles.ts'
import {amountFlag, ratioFlag} from '../../../src/terminal/amounts.ts'
import {jsonText} from '../../../src/terminal/output.ts'
import {inAnyCase} from '../../../src/terminal/parsing.ts'
import {openQuery} from '../../../src/terminal/query/query.ts'
import {commandLines, cut, pad, safe, width, wrap} from '../../../src/terminal/text.ts'
import {momentIn, periodIn} from '../../../src/terminal/times.ts'
import {document, goodText, holds, isRefused, nearlyJson, oddText, refusalOr, tellRuns} from './chance.ts'

tellRuns('parsers of words')

describe('JSON', () => {
  const digitText = fc
    .tuple(fc.bigInt({min: -(10n ** 30n), max: 10n ** 30n}), fc.option(fc.stringMatching(/^\d{1,20}$/)))
    .map(([whole, rest]) => (rest === null ? String(whole) : `${whole}.${rest}`))

  test('comes back as it was', () =>
    holds(document, (value) => {
      const text = JSON.stringify(value)
      expect(JSON.parse(printJson(parseJson(text)))).toEqual(JSON.parse(text))
    }))

  test('is JSON for us if it is for the engine, and for no other reason', () =>
    holds(fc.oneof(nearlyJson, oddText), (text) => {
      const judged = (by: (text: string) => unknown) => {
        try {
          by(text)
          return true
        } catch (error) {
          expect(error).toBeInstanceOf(SyntaxError)
          return false
        }
      }
      expect(judged(parseJson)).toBe(judged(JSON.parse))
    }))

  test('keeps the digits of every number', () =>
    holds(fc.array(digitText, {minLength: 1, maxLength: 5}), (numbers) => {
      const text = `[${numbers.join(',')}]`
      expect(printJson(parseJson(text), 0)).toBe(text)
    }))

  test('that is printed holds nothing that a terminal acts on, and no half of a character', () =>
    holds(fc.oneof(document, oddText), (value) => {
      expect(jsonText(value)).not.toMatch(
        /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u200b\p{Surrogate}]/u,
      )
    }))
})

describe('money', () => {
  const cents = fc.bigInt({min: -(10n ** 18n), max: 10n ** 18n})
  const text = (amount: bigint) => {
    const plain = String(amount < 0n ? -amount : amount).padStart(3, '0')
    return `${amount < 0n ? '-' : ''}${plain.slice(0, -2)}.${plain.slice(-2)}`
  }

  test('is added exactly', () =>
    holds(fc.array(cents, {maxLength: 20}), (all) => {
      const sum = all.reduce((total, one) => total.plus(exact(digits(text(one)))), exact(0))
      expect(sum.eq(exact(text(all.reduce((total, one) => total + one, 0n))))).toBe(true)
    }))

  test('has two decimals or those that came, and its value stays', () =>
    holds(fc.tuple(cents, fc.constantFrom('', '.5', '.50', '.505')), ([whole, rest]) => {
      const shown = withDecimals(`${whole}${rest}`)
      expect(shown).toMatch(/\.\d\d/)
      expect(exact(shown).eq(exact(`${whole}${rest}`))).toBe(true)
    }))

  test('of a flag is plain digits, or refused with what was typed', () =>
    holds(fc.oneof(oddText, fc.stringMatching(/^\d{1,14}(\.\d{0,7})?%?$/)), async (typed) => {
      for (const read of [() => amountFlag('--max-total', typed), () => ratioFlag('--max-drift', typed)]) {
        const value = await refusalOr<unknown>(read)
        if (isRefused(value)) expect(value.refused).toContain(typed)
        else expect(value).toMatch(/^\d+(\.\d+)?$/)
      }
    }))
})

describe('times', () => {
  const now = Date.UTC(2026, 10, 23, 3)
  const moment = fc.date({
    min: new Date('0001-01-01T00:00:00Z'),
    max: new Date('9999-12-31T00:00:00Z'),
    noInvalidDate: true,
  })

  test('of the form that is sent come back, with any offset', () =>
    holds(fc.tuple(moment, fc.integer({min: -23 * 60 - 59, max: 23 * 60 + 59})), ([date, offset]) => {
      expect(momentOf(date.toISOString())).toBe(date.getTime())
      const local = new Date(date.getTime() + offset * 60_000)
      if (local.getUTCFullYear() < 1 || local.getUTCFullYear() > 9999) return
      const two = (count: number) => String(count).padStart(2, '0')
      const size = Math.abs(offset)
      const sign = offset < 0 ? '-' : '+'
      const text = `${local.toISOString().slice(0, -1)}${sign}${two(Math.floor(size / 60))}:${two(size % 60)}`
      expect(momentOf(text)).toBe(date.getTime())
      expect(millis(text)).toBe(date.getTime())
    }))

  test('of any text are a moment that can be sent, or none', () =>
    holds(
      fc.oneof(
        oddText,
        fc.stringMatching(/^\d{4}-\d\d(-\d\d)?(T\d\d:\d\d)?$/),
        fc.stringMatching(/^(\d{1,9}(w|d|h|min|m|s)){1,3}$/),
      ),
      (text) => {
        for (const isAhead of [true, false]) {
          const read = momentIn(text as string | undefined, now, {isAhead})
          if (read !== undefined) expect(momentOf(read)).toEqual(expect.any(Number))
        }
      },
    ))

  test('of a span are as long as its parts together', () =>
    holds(
      fc.array(
        fc.tuple(
          fc.nat(999),
          fc.constantFrom(['w', 604_800_000], ['d', 86_400_000], ['h', 3_600_000], ['min', 60_000], [
            's',
            1000,
          ] as const),
        ),
        {minLength: 1, maxLength: 4},
      ),
      (parts) => {
        const text = parts.map(([count, [unit]]) => `${count}${unit}`).join('')
        const ms = parts.reduce((sum, [count, [, size]]) => sum + count * Number(size), 0)
        expect(momentIn(text, now)).toBe(new Date(now - ms).toISOString())
      },
    ))

  test('of a month end where the next one begins', () =>
    holds(fc.tuple(fc.integer({min: 1, max: 9998}), fc.integer({min: 1, max: 12})), ([year, month]) => {
      const text = `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}`
      const {from = '', to = ''} = periodIn({from: undefined, to: undefined, month: text}, now)
      expect(momentOf(to)).toBe(new Date(momentOf(from) ?? 0).setUTCMonth(month))
    }))
})

describe('hosts and URLs', () => {
  const host = fc.oneof(
    fc.webUrl({validSchemes: ['http', 'https', 'ftp'], withQueryParameters: true, withFragments: true}),
    fc
      .tuple(
        fc.constantFrom('http://', 'https://', '', 'HTTPS:'),
        fc.constantFrom(
          'localhost',
          '127.0.0.1',
          '[::1]',
          'localhost.evil.example',
          '127.1',
          '2130706433',
          'user:pw@a.example',
          'a.example',
        ),
        oddText,
      )
      .map((parts) => parts.join('')),
    oddText,
  )

  test('of the service are kept in one form, and are safe for a secret', () =>
    holds(host, async (text) => {
      const url = await refusalOr(() => baseUrlOf(text), 'INVALID_INPUT', 'INSECURE_URL')
      if (isRefused(url)) return
      expect(baseUrlOf(url)).toBe(url)
      const {protocol, username, password, search, hash} = new URL(url)
      expect([username, password, search, hash]).toEqual(['', '', '', ''])
      if (protocol !== 'https:')
        expect(new URL(url).hostname).toMatch(/^(?:localhost|\[::1\]|127(\.\d+){3})$/)
      requireSafe(new URL(url), {})
    }))

  test('have the proxy of the environment, none, or a refusal that repeats no password', () =>
    holds(fc.tuple(fc.webUrl(), oddText, oddText), async ([url, proxy, exempt]) => {
      const found = await refusalOr(() =>
        proxyFor(new URL(url), {HTTP_PROXY: proxy, HTTPS_PROXY: proxy, NO_PROXY: exempt}),
      )
      if (typeof found === 'string') expect(URL.canParse(found)).toBe(true)
    }))

  test('of a request mean the path that was filled in', () =>
    holds(
      fc.tuple(
        fc.constantFrom(
          ...(Object.values(api) as Operation[]).filter(({path}) => path.includes('{customerRef}')),
        ),
        oddText,
        fc.uuid(),
      ),
      async ([operation, customerRef, variantId]) => {
        const {body: _, ...bare} = operation
        const sent = await refusalOr(() =>
          prepare('https://a.example', bare as Operation, {params: {customerRef, variantId}}),
        )
        if (isRefused(sent)) return
        const parts = new URL(sent.url).pathname.split('/').map(decodeURIComponent)
        expect(parts).toContain(customerRef)
        expect(parts).toHaveLength(operation.path.split('/').length)
      },
    ))

  test('of headers split nothing', () =>
    holds(fc.dictionary(oddText, oddText, {maxKeys: 3}), async (given) => {
      const headers = await refusalOr(() => headersOf(given))
      if (!isRefused(headers)) expect(JSON.stringify(headers)).not.toMatch(/\\[rn]/)
    }))
})

describe('queries', () => {
  const operations = (Object.values(api) as Operation[]).filter(({query}) => query !== undefined)
  const operation = fc.constantFrom(...operations)
  const names = [...new Set(operations.flatMap(({query = {}}) => Object.keys(query)))]
  const value = fc.oneof(
    oddText,
    fc.uuid(),
    fc.constantFrom('1', '0', '100', 'true', '2026-01-31', 'pricing,tax', '10.50', 'Debit'),
  )
  const search = fc
    .array(fc.tuple(fc.oneof(fc.constantFrom(...names), oddText), value), {maxLength: 5})
    .map((pairs) =>
      pairs
        .map((pair) => pair.map((one) => encodeURIComponent(one.replace(/\p{Surrogate}/gu, ''))).join('='))
        .join('&'),
    )

  test('of any text are read, or refused with the name that is wrong', () =>
    holds(fc.tuple(operation, fc.oneof(search, oddText)), async ([one, text]) => {
      const codes = ['DATE', 'PAGE_SIZE', 'PAGE', 'QUERY_PARAMETER'].map(
        (name) => `VALIDATION_INVALID_${name}`,
      )
      const more = (Object.values(one.query ?? {}) as {own?: string}[]).flatMap(({own}) => own ?? [])
      const read = await refusalOr(
        () => readQuery(one, text),
        ...codes,
        ...more,
        'VALIDATION_UNKNOWN_INCLUDE',
        'VALIDATION_UNKNOWN_QUERY_PARAMETER',
        'VALIDATION_MISSING_REPORT_RANGE',
      )
      if (!isRefused(read)) expect(Object.keys(read)).toEqual(Object.keys(one.query ?? {}))
    }))

  test('that the client writes, the sandbox reads with the same values', () =>
    holds(
      fc.record({
        page: fc.integer({min: 1, max: 2 ** 31 - 1}),
        pageSize: fc.integer({min: 1, max: 100}),
        search: goodText.filter((text) => text !== ''),
      }),
      ({page, pageSize, search: text}) => {
        const {query = {}} = api.listVariants as Operation
        const pairs = queryOf(query, {page, pageSize})
        const written = pairs.map(([name, one]) => `${name}=${encodeURIComponent(one)}`).join('&')
        expect(readQuery(api.listVariants, written)).toMatchObject({page, pageSize})
        expect(new URLSearchParams(`x=${encodeURIComponent(text)}`).get('x')).toBe(text)
      },
    ))

  test('of --query are an expression that gives JSON, or are refused', () => {
    const part = fc.constantFrom(
      'items',
      '[*]',
      '[]',
      '[0]',
      '[-1]',
      '[?a > `1`]',
      '.a',
      '|',
      ' ',
      'length(@)',
      'sum(@)',
      'sort(@)',
      '`1e999999999`',
      '`{"a":1}`',
      "'x'",
      '@',
      '&a',
      '{a: b}',
      '*',
      '!',
      '&&',
      'merge(@, @)',
      'keys(@)',
      'join(`","`, @)',
      'to_string(@)',
      '[::2]',
      '"__proto__"',
      '(',
      ')',
    )
    const expression = fc.oneof(
      fc.array(part, {minLength: 1, maxLength: 6}).map((parts) => parts.join('')),
      oddText,
    )
    return holds(fc.tuple(expression, document), async ([text, value]) => {
      const query = await refusalOr(() => openQuery(text))
      if (isRefused(query)) return
      try {
        JSON.parse(printJson(query(value)))
      } catch (error) {
        expect(error).toMatchObject({code: 'INVALID_INPUT'})
      }
    })
  })
})

describe('an answer of the service', () => {
  test('of any bytes is an envelope, or a failure with a code', () =>
    holds(
      fc.tuple(
        fc.integer({min: 100, max: 599}),
        fc.oneof(
          nearlyJson,
          oddText,
          document.map((payload) => JSON.stringify({state: 'SUCCESS', payload})),
        ),
        oddText,
      ),
      ([status, body, header]) => {
        try {
          expect(
            readAnswer(
              {status, body, headers: {'retry-after': header, date: header, 'x-request-id': header}},
              0,
            ).state,
          ).toMatch(/^(SUCCESS|CREATED)$/)
        } catch (error) {
          expect(error).toMatchObject({code: expect.any(String), exitCode: expect.any(Number)})
        }
      },
    ))
})

describe('names', () => {
  test('of profiles, schemes, columns and assumptions are taken as they are, or refused', () =>
    holds(
      fc.oneof(
        oddText,
        fc.tuple(oddText, oddText).map((two) => two.join('=')),
      ),
      async (text) => {
        for (const read of [
          () => requireName(text),
          () => mappingOf([text], ['sku', 'quantity']),
          () => assume([text]),
          () => parseScheme(text),
        ])
          await refusalOr<unknown>(read)
        const found = inAnyCase(text, ['Debit', 'Credit'])
        if (found !== undefined) expect(found.toLowerCase()).toBe(text.trim().toLowerCase())
      },
    ))

  test('of schemes come back from their written form', () =>
    holds(fc.constantFrom(...schemes), (scheme) => {
      expect(parseScheme(writtenForm(scheme))).toMatchObject({
        input: scheme.input,
        hash: scheme.hash,
        encoding: scheme.encoding,
      })
    }))

  test('that are ids have the form of ids, whatever their case', () =>
    holds(
      fc.oneof(
        oddText,
        fc.uuid(),
        fc.uuid().map((id) => id.toUpperCase()),
      ),
      (text) => {
        expect(isUuid(text)).toBe(
          /^[\da-f-]{36}$/i.test(text) &&
            text
              .split('-')
              .map(({length}) => length)
              .join() === '8,4,4,4,12',
        )
      },
    ))

  test('of an address are the fields that it has, or are refused by name', () =>
    holds(
      fc.oneof(
        document,
        fc.dictionary(
          fc.constantFrom(
            'recipient',
            'line1',
            'city',
            'phone',
            'countryCode',
            'nationalAddress',
            '__proto__',
            'x',
          ),
          fc.oneof(oddText, fc.constant('SAU'), fc.constant('+966501234567')),
        ),
      ),
      async (value) => {
        await refusalOr(() => checkAddress(value))
      },
    ))

  test('of phones stay, or get their country code once', () =>
    holds(fc.oneof(oddText, fc.stringMatching(/^0{0,2}\d{6,12}$/)), (phone) => {
      expect(international(international(phone))).toBe(international(phone))
    }))
})

describe('text', () => {
  const acting =
    /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\p{Surrogate}]/u

  test('is safe for a terminal, and stays as it is once it is', () =>
    holds(oddText, (text) => {
      expect(safe(text)).not.toMatch(acting)
      expect(safe(safe(text))).toBe(safe(text))
      if (/^[\x20-\x7e]*$/.test(text)) expect(writtenOut(text)).toBe(text)
    }))

  test('fits its room: cut, padded, wrapped', () =>
    holds(fc.tuple(oddText, fc.integer({min: 4, max: 60})), ([text, room]) => {
      const shown = safe(text)
      expect(width(cut(shown, room))).toBeLessThanOrEqual(room)
      expect(width(pad(cut(shown, room), room))).toBe(room)
      // One grapheme may be wider than any room.
      for (const line of wrap(shown, room).split('\n'))
        expect(width(line) <= room || !/\s/.test(line.trim()) || line.includes('`')).toBe(true)
    }))

  test('loses no letter when it wraps', () =>
    holds(
      fc.tuple(
        oddText.map((text) => text.replaceAll('`', '')),
        fc.integer({min: 10, max: 60}),
      ),
      ([text, room]) => {
        const letters = (one: string) => one.replace(/\s/g, '')
        expect(letters(wrap(safe(text), room))).toBe(letters(safe(text)))
      },
    ))

  test('of a command is the same command on its lines', () =>
    holds(
      fc.tuple(
        fc.array(fc.stringMatching(/^[\w=,./-]{1,12}$/), {minLength: 1, maxLength: 8}),
        fc.integer({min: 20, max: 60}),
      ),
      ([words, room]) => {
        const joined = commandLines(words.join(' '), room)
          .join('\n')
          .replace(/\\\n *(?=\S)/g, '')
        expect(joined.split(/ +/)).toEqual(words)
      },
    ))

  test('of a cell runs nowhere as a formula, and is given back', () =>
    holds(oddText, (text) => {
      expect(unguarded(guarded(text))).toBe(text)
      expect(guarded(text)).not.toMatch(/^[=+\-@\t\r\n]/)
    }))
})

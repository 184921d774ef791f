import {execFileSync} from 'node:child_process'
import {createHash} from 'node:crypto'
import {appendFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {Readable} from 'node:stream'
import {describe, expect, test, vi} from 'vitest'
import {openRows, type Row} from '../../src/store/rows.ts'
import {folder, program} from '../support/program.ts'

const none = Readable.from([])

function written(bytes: string | Buffer): string {
  const path = join(folder(), 'rows')
  writeFileSync(path, bytes)
  return path
}

/** Rows as `line: cells`, or `line! problem`. */
const told = ({line, fields, problem}: Row) =>
  problem === undefined ? `${line}: ${Object.values(fields).join(' | ')}` : `${line}! ${problem}`

async function all(path: string, stdin = none): Promise<Row[]> {
  const file = await openRows(path, stdin)
  try {
    const rows: Row[] = []
    for await (const row of file.rows()) rows.push(row)
    return rows
  } finally {
    await file.close()
  }
}

const rows = async (bytes: string | Buffer) => (await all(written(bytes))).map(told)

describe('a CSV file', () => {
  test.each([
    ['line feeds', 'a,b\n1,2\n3,4\n'],
    ['carriage returns and line feeds', 'a,b\r\n1,2\r\n3,4\r\n'],
    ['carriage returns', 'a,b\r1,2\r3,4\r'],
    ['no end in its last line', 'a,b\n1,2\n3,4'],
    ['a byte order mark', '\ufeffa,b\n1,2\n3,4\n'],
    ['a byte order mark and quotes', '\ufeff"a","b"\n"1","2"\n"3","4"\n'],
    ['spaces around the names', ' a , b\n1,2\n3,4\n'],
    ['columns without a name, and nothing in them', 'a,b,,\n1,2,,\n3,4,,\n'],
  ])('may have %s', async (_, text) => {
    expect((await all(written(text))).map(({line, fields}) => [line, fields.a, fields.b])).toEqual([
      [2, '1', '2'],
      [3, '3', '4'],
    ])
  })

  test('has the line in which a record begins, whatever its cells and the lines before hold', async () => {
    const text = '\n\na,b\r\n"x\r\ny","\n\n"\r\n\r\n1,2\n,\n   \n"say ""hi""",🌹\r"\r",2\n5,6'
    expect(await rows(text)).toEqual([
      '4: x\r\ny | \n\n',
      '9: 1 | 2',
      '12: say "hi" | 🌹',
      '13: \r | 2',
      '15: 5 | 6',
    ])
  })

  test('names a row of too many or too few cells, and goes on', async () => {
    expect(await rows('a,b\n1\n1,2\n1,2,3\n1,2,\n3,4\n')).toEqual([
      '2! has 1 cell, but the header has 2',
      '3: 1 | 2',
      '4! has 3 cells, but the header has 2',
      '5! has 3 cells, but the header has 2',
      '6: 3 | 4',
    ])
  })

  test('names a value in a column without a name', async () => {
    expect(await rows('a,,b\n1,x,2\n')).toEqual(['2! has a value in column 2, which has no name'])
  })

  test.each([
    ['never closed', 'a,b\n1,2\n3,"4\n5,6\n', /^3! opens a quotation mark that is never closed/],
    ['followed by letters', 'a,b\n1,2\n3,"4"x\n5,6\n', /^3! has a quotation mark inside a cell/],
    ['inside a bare cell', 'a,b\n1,2\n3,5" bottle\n5,6\n', /^3! has a quotation mark inside a cell/],
  ])('ends at a quotation mark that is %s, after the rows before it', async (_, text, problem) => {
    expect(await rows(text)).toEqual(['2: 1 | 2', expect.stringMatching(problem)])
    const long = `a,b\n${'1,2\n'.repeat(50_000)}${text.slice(4)}`
    const told = await rows(long)
    expect(told).toHaveLength(50_002)
    expect(told.at(-1)).toMatch(/^50003! /)
  })

  test('keeps cells as they are: spaces, emoji, formulas, apostrophes, a mark in the middle', async () => {
    const cells = ['  x ', '👩🏽‍🚀', '=1+1', "'+966", 'a\ufeffb', '\u200f', '½']
    expect((await all(written(`a,b,c,d,e,f,g\n${cells.join(',')}\n`)))[0]?.fields).toEqual(
      Object.fromEntries(cells.map((cell, at) => ['abcdefg'[at], cell])),
    )
  })

  test('has no column that is more than its name', async () => {
    const [row] = await all(written('__proto__,constructor\n1,2\n'))
    expect(Object.entries(row?.fields ?? {})).toEqual([
      ['__proto__', '1'],
      ['constructor', '2'],
    ])
  })

  test('names the columns of its header, duplicates too', async () => {
    const file = await openRows(written('\na,b,a,\n'), none)
    expect([file.form, file.header]).toEqual(['csv', {line: 2, columns: ['a', 'b', 'a', '']}])
    await file.close()
  })
})

describe('a spreadsheet of any country', () => {
  const cells = ['نورة', 'a;b, c\td', 'say "hi"', 'two\r\nlines', '+966501234567', '']
  /** As Excel and LibreOffice write it: quoted if it has to be. */
  const written = (rows: string[][], separator: string) =>
    rows.map((row) => row.map((cell) => quoted(cell, separator)).join(separator)).join('\r\n')
  const quoted = (cell: string, separator: string) =>
    cell.includes(separator) || /["\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
  const header = ['a', 'b', 'c; or d', 'e', 'f', 'g']
  const encodings: {[name: string]: (text: string) => Buffer} = {
    'UTF-8': (text) => Buffer.from(text),
    'UTF-8 with a mark': (text) => Buffer.from(`\ufeff${text}`),
    'UTF-16 with a mark': (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
    'UTF-16 without a mark': (text) => Buffer.from(text, 'utf16le'),
    'UTF-16 the other way round': (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
  }
  for (const [separator, name] of [
    [',', 'commas'],
    [';', 'semicolons'],
    ['\t', 'tabs'],
    ['|', 'bars'],
  ] as const)
    test.each(Object.keys(encodings))(`may be written with ${name} in %s`, async (encoding) => {
      const text = written([header, cells, ['1', '2', '3', '4', '5', '6']], separator)
      const bytes = encodings[encoding]?.(`${text}\r\n`) ?? ''
      const path = join(folder(), 'rows')
      for (const source of [bytes, encodings[encoding]?.(`sep=${separator}\r\n${text}`) ?? '']) {
        writeFileSync(path, source)
        const read = await all(path)
        expect(read.map(({fields}) => Object.values(fields))).toEqual([cells, ['1', '2', '3', '4', '5', '6']])
        expect(Object.keys(read[0]?.fields ?? {})).toEqual(header)
        const first = source === bytes ? 2 : 3
        expect(read.map(({line}) => line)).toEqual([first, first + 2])
      }
    })

  test('comes through a pipe a byte at a time', async () => {
    const bytes = Buffer.from('\ufeffa;b\r\nنورة;2\r\n', 'utf16le')
    const file = await openRows('-', Readable.from([...bytes].map((byte) => Buffer.from([byte]))))
    expect((await file.rows().next()).value).toEqual({line: 2, fields: {a: 'نورة', b: '2'}})
    expect(file.hash).toBe(createHash('sha256').update(bytes).digest('hex'))
    await file.close()
  })

  test('may be NDJSON in UTF-16, and half a character of it is judged', async () => {
    const bytes = Buffer.concat([Buffer.from('\ufeff{"a":"نورة"}\n', 'utf16le'), Buffer.from([0x7b])])
    expect(await rows(bytes)).toEqual(['1: نورة', expect.stringMatching(/^2! is not a JSON object/)])
  })

  test('names a header that stands there once more', async () => {
    expect(await rows('a;b\n1;2\na;b\n3;4\n')).toEqual(['2: 1 | 2', '3! is the header once more', '4: 3 | 4'])
  })
})

describe('an NDJSON file', () => {
  test('has an object a line, its numbers digit for digit', async () => {
    const [row, last] = await all(written('\ufeff\n {"n":1.10,"id":9007199254740993}\r\n\n{"last":true}'))
    expect(row).toMatchObject({line: 2})
    expect(Object.values(row?.fields ?? {}).map(String)).toEqual(['1.10', '9007199254740993'])
    expect(last).toEqual({line: 4, fields: {last: true}})
  })

  test('names a line that is not an object, and goes on', async () => {
    const lines = [
      '{"a":1}',
      '[]',
      '7',
      'null',
      '{"a":1}}',
      'a,b',
      '{"a":1,"a":2}',
      '{"a":NaN}',
      `${'{"a":'.repeat(100_000)}`,
      '{"a":2}',
    ]
    const told = await rows(`${lines.join('\n')}\n`)
    expect(told.map((one) => one.slice(0, 28))).toEqual([
      '1: 1',
      '2! must be one JSON object',
      '3! must be one JSON object',
      '4! must be one JSON object',
      '5! is not a JSON object: Exp',
      '6! is not a JSON object: JSO',
      '7! is not a JSON object: Key',
      '8! is not a JSON object: Obj',
      '9! nests too deep',
      '10: 2',
    ])
  })

  test('has no member that is more than its name', async () => {
    const [row] = await all(written('{"__proto__":{"quantity":1}}\n'))
    expect(row?.fields.quantity).toBeUndefined()
    expect(Object.keys(row?.fields ?? {})).toEqual(['__proto__'])
  })

  test('keeps half a character for those who judge it', async () => {
    expect((await all(written('{"a":"\\ud800"}\n')))[0]?.fields.a).toBe('\ud800')
  })
})

describe('bytes that are not UTF-8 are kept as U+FFFD, for the check that follows,', () => {
  test.each<[string, Buffer, string]>([
    ['Windows-1256', Buffer.from([0x61, 0x0a, 0xe3, 0xcd, 0xe3, 0x0a]), '2: \ufffd\ufffd\ufffd'],
    ['half a character', Buffer.from('a\n🌹').subarray(0, 4), '2: \ufffd'],
    ['a surrogate', Buffer.from([0x61, 0x0a, 0xed, 0xa0, 0x80]), '2: \ufffd\ufffd\ufffd'],
    ['half a character before a comma', Buffer.from('a,b\n\xf0\x9f,2\n', 'latin1'), '2: \ufffd | 2'],
    ['half a character in JSON', Buffer.from('{"a":"\xf0\x9f"}\n', 'latin1'), '1: \ufffd'],
  ])('such as %s', async (_, bytes, told) => {
    expect(await rows(Buffer.concat([bytes, Buffer.from('\n')]))).toEqual([told])
  })

  test('also between two chunks of the file', async () => {
    const cell = '🌹'.repeat(5)
    const text = `a,b\n${`${cell},x\n`.repeat(20_000)}`
    for (const row of await all(written(text))) if (row.fields.a !== cell) throw new Error(`line ${row.line}`)
  })
})

describe('a file is refused', () => {
  const long = 'x'.repeat(1024 * 1024)
  test.each<[string, string | Buffer, RegExp, RegExp?]>([
    ['empty', '', /is empty/],
    ['blank', ' \n\r\n\t\n', /is empty/],
    ['nothing but a byte order mark', '\ufeff', /is empty/],
    [
      'a workbook of Excel',
      Buffer.from('PK\u0003\u0004\u0014\u0000', 'latin1'),
      /it is a workbook; save it as CSV/,
    ],
    ['a workbook of an old Excel', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1]), /it is a workbook/],
    ['NUL in UTF-16', Buffer.from('\ufeffa,b\n1,\u0000\n', 'utf16le'), /it holds a NUL character \(line 2\)/],
    ['an endless line of UTF-16', Buffer.from(`a,b\n1,${long}${long}`, 'utf16le'), /line 2 is over 1 MiB/],
    [
      'a header in Windows-1256',
      Buffer.from([0x61, 0x2c, 0xe3, 0xcd, 0xe3, 0x0a]),
      /a header that is not UTF-8\.$/,
      /\(Excel: "CSV UTF-8"\), or convert it: `iconv -f WINDOWS-1256 -t UTF-8 ".*" > utf8\.csv`\. .* Arabic; /,
    ],
    [
      'a header in Windows-1252',
      Buffer.from('Empf\xe4nger,Stra\xdfe\n', 'latin1'),
      /a header that is not UTF-8\.$/,
      /`iconv -f WINDOWS-1252 -t UTF-8 ".*" > utf8\.csv`\. .* western; /,
    ],
    ['NUL', `a,b\n1,2\n${'x,y\n'.repeat(50_000)}3,\u0000\n`, /it holds a NUL character \(line 50003\)/],
    ['an endless line', `a,b\n1,${long}${long}`, /line 2 is over 1 MiB/],
    ['an endless line of JSON', `{}\n{}\n{"a":"${long}${long}"}\n`, /line 3 is over 1 MiB/],
    ['one JSON array', '[{"a":1}]', /is one JSON array; write one object a line/],
    ['a header with an open quotation mark', '"a,b\n1,2\n', /has a header that opens a quotation mark/],
  ])('that is or holds %s', async (_, bytes, message, hint = /./) => {
    await expect(openRows(written(bytes), none)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    })
  })

  test('that is not there, or a folder', async () => {
    const path = folder()
    await expect(openRows(path, none)).rejects.toMatchObject({
      message: `"${path}" can't be read: it is a folder.`,
    })
    await expect(openRows(join(path, 'no'), none)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('no such file'),
    })
  })

  test('a record of many lines may have 1 MiB too, and no more', async () => {
    const cell = 'x\n'.repeat(400_000)
    expect(await all(written(`a,b\n1,"${cell}"\n`))).toMatchObject([{fields: {b: cell}}])
    expect(await rows(`a,b\n1,"${cell}${cell}"\n`)).toEqual([expect.stringMatching(/^2! is over 1 MiB/)])
  })
})

describe('what a file holds', () => {
  const text = `a,b\n${'1,2\n'.repeat(50_000)}`

  test('is told by its hash, and read as often as asked for', async () => {
    const file = await openRows(written(text), none)
    expect(file.hash).toBe(createHash('sha256').update(text).digest('hex'))
    for (const _ of [1, 2]) {
      let count = 0
      for await (const row of file.rows()) count += Object.keys(row.fields).length
      expect(count).toBe(100_000)
    }
    await file.close()
  })

  test('may be read by two at once, and given up in the middle', async () => {
    const file = await openRows(written(text), none)
    for await (const row of file.rows()) if (row.line === 3) break
    const [left, right] = [file.rows(), file.rows()]
    expect([(await left.next()).value, (await right.next()).value]).toMatchObject([{line: 2}, {line: 2}])
    await Promise.all([left.return(undefined), right.return(undefined)])
    await file.close()
  })

  test('must not change between two readings, nor while it is read', async () => {
    const path = written(text)
    const file = await openRows(path, none)
    const reading = file.rows()
    await reading.next()
    appendFileSync(path, '3,4\n')
    const rest = async () => {
      for await (const _ of reading);
    }
    await expect(rest()).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(/changed/),
    })
    await expect(file.rows().next()).rejects.toMatchObject({message: expect.stringMatching(/changed/)})
    await file.close()
  })

  test('stays readable if the file is replaced or removed', async () => {
    const path = written(text)
    const file = await openRows(path, none)
    rmSync(path)
    expect((await file.rows().next()).value).toMatchObject({line: 2})
    await file.close()
  })

  test('can come from stdin, and leaves nothing behind', async () => {
    const temporary = folder()
    vi.stubEnv('TMPDIR', temporary)
    const bytes = [text.slice(0, 5), text.slice(5)].map((part) => Buffer.from(part))
    const file = await openRows('-', Readable.from(bytes))
    expect(readdirSync(temporary)).toEqual([])
    expect(file.hash).toBe(createHash('sha256').update(text).digest('hex'))
    for (const _ of [1, 2]) expect((await file.rows().next()).value).toMatchObject({line: 2})
    await file.close()
    await expect(openRows('-', none)).rejects.toMatchObject({message: 'stdin is empty.'})
    expect(readdirSync(temporary)).toEqual([])
    vi.unstubAllEnvs()
  })
})

const reader = program(`
  import {openRows} from './src/store/rows.ts'
  async function main() {
    process.on('SIGINT', () => process.exit(130))
    const file = await openRows(process.argv[2], process.stdin)
    for (const _ of [1, 2]) {
      let count = 0
      for await (const row of file.rows()) count += 1
      console.log(count, Math.round(process.memoryUsage.rss() / 2 ** 20))
    }
    await file.close()
  }
  main()
`)

const bash = (script: string) =>
  execFileSync('bash', ['-c', script, process.execPath, reader], {
    encoding: 'utf8',
    cwd: folder(),
    timeout: 50_000,
  })

describe('a pipe', () => {
  test('is read twice all the same', () => {
    const out = bash(`"$0" "$1" <(echo a,b; for n in $(seq 5); do echo $n,2; sleep 0.02; done)`)
    expect(out.split('\n').map((line) => line.split(' ')[0])).toEqual(['5', '5', ''])
    expect(bash(`printf 'a,b\\n1,2' | "$0" "$1" /dev/stdin`)).toMatch(/^1 /)
  })

  test('that nobody writes to is waited for until Ctrl-C', () => {
    const script = `mkfifo pipe; "$0" "$1" pipe & sleep 1; kill -INT $!; wait $!; echo "code $?"`
    expect(bash(`set -m; ${script}`)).toBe('code 130\n')
  })
})

test('many rows take no more memory than a few', () => {
  const script = `(echo a,b; yes '"a cell of some length","another cell"' | head -300000) > rows; "$0" "$1" rows`
  const [count, megabytes] = bash(script).split('\n')[1]?.split(' ').map(Number) ?? []
  expect(count).toBe(300_000)
  expect(megabytes).toBeLessThan(150)
})

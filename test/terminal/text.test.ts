import {execFileSync} from 'node:child_process'
import {describe, expect, it} from 'vitest'
import {cut, isColoured, pad, paintFor, safe, width, wrap} from '../../src/terminal/text.ts'

describe('text from outside', () => {
  it.each([
    ['a line break', 'a\r\nb', 'a\\u{d}\\u{a}b'],
    ['a tab', 'a\tb', 'a\\u{9}b'],
    ['an escape sequence', '\u001b[31mred', '\\u{1b}[31mred'],
    ['a control sequence of C1', '\u009b2J', '\\u{9b}2J'],
    ['DEL and NUL', '\u007f\u0000', '\\u{7f}\\u{0}'],
    ['a bidi override', 'abc\u202edcba', 'abc\\u{202e}dcba'],
    ['a bidi isolate', '\u2066x\u2069', '\\u{2066}x\\u{2069}'],
    ['the Arabic letter mark', '\u061cx', '\\u{61c}x'],
    ['zero-width characters', 'a\u200bb\u2060c\ufeffd', 'a\\u{200b}b\\u{2060}c\\u{feff}d'],
    ['line separators', 'a\u2028b\u2029', 'a\\u{2028}b\\u{2029}'],
    ['a lone surrogate', 'a\ud800b', 'a\\u{d800}b'],
    ['an invisible tag', 'a\u{e0041}', 'a\\u{e0041}'],
    ['a letter without ink', 'a\u3164\u115f\uffa0\u2800', 'a\\u{3164}\\u{115f}\\u{ffa0}\\u{2800}'],
    ['a joiner of nothing', 'a\u034f\u17b4\u180b\u{1d173}', 'a\\u{34f}\\u{17b4}\\u{180b}\\u{1d173}'],
    ['a variation selector', 'a\ufe0f\u{e0100}', 'a\\u{fe0f}\\u{e0100}'],
    ['a pile of marks', `a${'\u0301'.repeat(6)}b`, `a${'\u0301'.repeat(4)}${'\\u{301}'.repeat(2)}b`],
  ])('%s is written out', (_, text, expected) => {
    expect(safe(text)).toBe(expected)
  })

  it.each([
    'عطر العود',
    'عِطْرُ ٱلسَّعَادَةِ',
    'tiếng Việt',
    'tie\u0302\u0301ng',
    '香水',
    'Crème brûlée',
    '🌹',
    'a b-c/d?e=f',
  ])('%s stays as it is', (text) => {
    expect(safe(text)).toBe(text)
  })

  it('may be no text at all', () => {
    expect([safe(12), safe(null), safe({})]).toEqual(['12', 'null', '[object Object]'])
  })
})

describe('the room of a text', () => {
  it.each([
    ['plain', 5],
    ['香水', 4],
    ['🌹', 2],
    ['é', 1],
    ['عطر', 3],
  ])('%s takes %i cells', (text, cells) => {
    expect(width(text)).toBe(cells)
  })

  it('is never exceeded by a cut text, which ends in an ellipsis', () => {
    expect(cut('香水香水', 5)).toBe('香水…')
    expect(cut('abcdef', 6)).toBe('abcdef')
    expect(cut('abcdefg', 6)).toBe('abcde…')
    expect(cut('e\u0301e\u0301e\u0301', 2)).toBe('e\u0301…')
  })

  it('is filled up by cells, not by characters', () => {
    expect(pad('香水', 6)).toBe('香水  ')
    expect(pad('12', 4, 'right')).toBe('  12')
  })
})

describe('colours', () => {
  it.each([
    [true, {}, true],
    [false, {}, false],
    [true, {TERM: 'dumb'}, false],
    [true, {NO_COLOR: '1'}, false],
    [false, {FORCE_COLOR: '1'}, true],
    [true, {FORCE_COLOR: '0'}, false],
    [true, {NO_COLOR: ''}, true],
    [true, {NO_COLOR: '1', FORCE_COLOR: '1'}, false],
  ])('a terminal: %s, with %j: %s', (isTTY, env, expected) => {
    expect(isColoured({isTTY}, env)).toBe(expected)
    expect(paintFor({isTTY}, env)('x', 'bad') !== 'x').toBe(expected)
  })
})

describe('a text in lines', () => {
  it('tells where a command ends from where the next one begins', () => {
    const text = 'A path, such as `value`. So are the headers of CSV that `--columns` asks for.'
    expect(wrap(text, 40).split('\n')).toEqual([
      'A path, such as `value`. So are the',
      'headers of CSV that `--columns` asks',
      'for.',
    ])
    expect(wrap('`list`/`show a b` and `c d`.', 20)).toBe('`list`/`show a b`\nand `c d`.')
  })

  it.each([
    ['fits as it is', 'two  words', 10, 'two  words'],
    ['breaks between words', 'one two three four', 9, 'one two\n  three\n  four'],
    ['counts cells', '香水 香水 香水', 9, '香水 香水\n  香水'],
    ['keeps its indent', '  one two three', 11, '  one two\n  three'],
    ['keeps a command whole', 'Type `scent cart show` now.', 19, 'Type\n  `scent cart show`\n  now.'],
    ['keeps a command whole without its indent', 'Type `scent cart show`.', 18, 'Type\n`scent cart show`.'],
    [
      'breaks a command as a shell does',
      'Type `scent cart show --all`.',
      16,
      'Type\n  `scent cart \\\n    show --all`.',
    ],
    [
      'breaks no value in quotes',
      "  `scent orders list --reference 'PO 1 8'`",
      19,
      "  `scent orders \\\n    list \\\n    --reference \\\n    'PO 1 8'`",
    ],
    [
      'breaks a word of a command as a shell does',
      '`scent get 0123456789abcdef`',
      14,
      '`scent get \\\n0123456789\\\nabcdef`',
    ],
    [
      'breaks no quotes in a word of a command',
      "`scent get '0123 56789abcdef'`",
      14,
      "`scent get \\\n'0123 5678'\\\n'9abcdef'`",
    ],
    [
      'breaks a list after a comma',
      '`--columns id,name,status,sku`',
      16,
      '`--columns \\\nid,name,\\\nstatus,sku`',
    ],
    ['breaks a long list after a comma', 'a id,name,status,sku', 10, 'a\n  id,name,\n  status,\n  sku'],
    ['breaks no character', '香水香水香水', 5, '香\n  水\n  香\n  水\n  香\n  水'],
    ['counts no colours', '\u001b[31mError:\u001b[39m two', 10, '\u001b[31mError:\u001b[39m two'],
  ])('%s', (_, text, room, expected) => {
    expect(wrap(text, room, 2)).toBe(expected)
  })

  it('holds commands that a shell takes as they were, at any width', () => {
    const command = `scent webhooks replay 019aaa97-5d76-4b5d-9eff-250400d2b556 --to http://127.0.0.1:3000/hook --note 'it'\\''s PO 118'`
    const copies = [command]
    for (let room = 10; room <= 120; room += 1)
      for (const hang of [0, 2, 8]) {
        const lines = wrap(`! It is here, as \`${command}\` says.`, room, hang).split('\n')
        expect(Math.max(...lines.map(width)), `${room}`).toBeLessThanOrEqual(room)
        copies.push(/`([^`]*)`/.exec(lines.join('\n'))?.[1] ?? '')
      }
    const script = copies.map((text) => `printf '%s|' ${text}\necho`).join('\n')
    const [words, ...others] = execFileSync('sh', ['-c', script], {encoding: 'utf8'}).trimEnd().split('\n')
    expect(words).toContain("|it's PO 118|")
    for (const [index, other] of others.entries()) expect(other, copies[index + 1]).toBe(words)
    expect(others).toHaveLength(333)
  })
})

// A screen of a terminal as SVG: text that can be selected and read out, in the colours of a light or a dark page.

import type {Scene} from './picture-scenes.ts'
import {drawGlyphs, type Glyph} from './pty.ts'

const CELL = 8.4
const LINE = 20
const SIZE = 14
const EDGE = 16

/** The names of the classes by SGR numbers. */
const classes: {[style: number]: string} = {
  1: 'bold',
  2: 'dim',
  31: 'red',
  32: 'green',
  33: 'yellow',
  34: 'blue',
  36: 'cyan',
  90: 'dim',
}

const colours = {
  light: {
    page: '#ffffff',
    edge: '#d0d7de',
    text: '#1f2328',
    dim: '#59636e',
    red: '#b3261e',
    green: '#116329',
    yellow: '#7d4e00',
    blue: '#0550ae',
    cyan: '#0a6069',
  },
  dark: {
    page: '#0d1117',
    edge: '#3d444d',
    text: '#e6edf3',
    dim: '#9198a1',
    red: '#ff8f88',
    green: '#56d364',
    yellow: '#e3b341',
    blue: '#79c0ff',
    cyan: '#76e3ea',
  },
}

function style(): string {
  const rules = (of: Record<string, string>) =>
    Object.entries(of)
      .map(([name, colour]) => {
        if (name === 'page') return `.page{fill:${colour}}`
        if (name === 'edge') return `.page{stroke:${colour}}`
        return `${name === 'text' ? 'text' : `.${name}`}{fill:${colour}}`
      })
      .join('')
  const font = `text{font:${SIZE}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}.bold{font-weight:700}`
  return `<style>${font}${rules(colours.light)}@media (prefers-color-scheme:dark){${rules(colours.dark)}}</style>`
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const at = (cells: number) => Number((EDGE + cells * CELL).toFixed(1))

/** The class of a glyph; what SGR style has none would be lost, and is refused. */
function classOf({styles}: Glyph): string {
  const names = styles.map((style) => {
    const name = classes[style]
    if (name === undefined) throw new Error(`no colour for the style ${style}`)
    return name
  })
  return [...new Set(names)].join(' ')
}

/** One line, a span for each run of one style; its place and width are given, whatever font there is. */
function lineOf(row: Glyph[], y: number): string {
  const runs: {from: number; text: string; name: string}[] = []
  const end = row.findLastIndex(({char}) => char.trim() !== '')
  for (const [from, glyph] of row.slice(0, end + 1).entries()) {
    const name = glyph.char === ' ' ? (runs.at(-1)?.name ?? '') : classOf(glyph)
    const last = runs.at(-1)
    if (last?.name === name) last.text += glyph.char
    else runs.push({from, text: glyph.char, name})
  }
  const spans = runs.map(({from, text, name}) => {
    const shown = text.trimEnd()
    const width = Number((shown.length * CELL).toFixed(1))
    const named = name === '' ? '' : ` class="${name}"`
    return `<tspan x="${at(from)}" textLength="${width}"${named}>${escaped(shown)}</tspan>`
  })
  return spans.length === 0 ? '' : `<text y="${y}">${spans.join('')}</text>\n`
}

export function pictureOf({title, says, line, columns, text}: Scene): string {
  const prompt = `\u001b[2m$\u001b[22m \u001b[1m${line}\u001b[22m\n`
  const {rows} = drawGlyphs(prompt + text, columns)
  while (rows.at(-1)?.every(({char}) => char.trim() === '')) rows.pop()
  const width = Math.ceil(2 * EDGE + columns * CELL)
  const height = 2 * EDGE + rows.length * LINE
  const lines = rows.map((row, at) => lineOf(row, EDGE + (at + 1) * LINE - 6))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title says">`,
    `<title id="title">${escaped(title)}</title>`,
    `<desc id="says">${escaped(says)}</desc>`,
    style(),
    `<rect class="page" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8"/>`,
    `${lines.join('')}</svg>`,
    '',
  ].join('\n')
}

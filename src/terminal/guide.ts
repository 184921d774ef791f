import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'

/** A page of docs/help, which `scent help NAME` prints and the manual shows. */
export interface Guide {
  name: string
  /** Such as "Exit codes". */
  title: string
  /** One sentence, which stands in lists of guides. */
  summary: string
  /** What follows. */
  blocks: Block[]
}

/** A paragraph, the points of a list, or a table as a name and a text for each row. */
export type Block = {text: string} | {points: string[]} | {rows: [name: string, text: string][]}

const folderOf = (root: string) => join(root, 'docs/help')

/** The names of all guides; none in a copy without them. */
export function guideNames(root: string): string[] {
  try {
    return readdirSync(folderOf(root))
      .map((file) => file.replace(/\.md$/, ''))
      .sort()
  } catch {
    return []
  }
}

/** What is typed for them, as ids of commands. */
export const guideIds = (root: string) => guideNames(root).map((name) => `help:${name}`)

/** Undefined if there is no guide of this name. */
export function readGuide(root: string, name: string): Guide | undefined {
  if (!guideNames(root).includes(name)) return undefined
  return {name, ...guideOf(readFileSync(join(folderOf(root), `${name}.md`), 'utf8'))}
}

/** Takes a guide apart: a title, a sentence, and then paragraphs, lists and tables, which is all that guides are made of. */
function guideOf(markdown: string): Omit<Guide, 'name'> {
  const [title = '', summary = '', ...rest] = markdown.trim().split(/\n{2,}/)
  return {title: title.replace(/^# /, ''), summary, blocks: rest.map(blockOf)}
}

function blockOf(text: string): Block {
  if (text.startsWith('|')) return {rows: text.split('\n').slice(2).map(rowOf)}
  const points = text.split(/\n(?=- |\d+\. )/)
  if (/^(?:- |\d+\. )/.test(text)) return {points: points.map(onOneLine)}
  return {text: onOneLine(text)}
}

const onOneLine = (text: string) => text.replace(/\s*\n\s*/g, ' ')

function rowOf(row: string): [string, string] {
  const [, name = '', text = ''] = row.split(/\s*(?<!\\)\|\s*/)
  return [name, text]
}

import {styleText} from 'node:util'
import {Failure} from '../contract/failure.ts'
import {movesCursor} from './progress.ts'
import type {Decision} from './questions/countdown.ts'
import {roomOf, safe, width, wrap} from './text.ts'

/** `flag` answers the question if nobody can be asked, such as `--reference EXTREF`. */
interface Question {
  message: string
  flag: string
}

interface Choice<T> {
  name: string
  value: T
  description?: string
}

type MaybeLater<T> = T | Promise<T>

/** Questions to the person at the terminal. Each fails with MISSING_INPUT if nobody can be asked. */
export interface Ask {
  /** Whether there is a person at a terminal, who can answer. */
  readonly interactive: boolean
  /** `check` returns what is wrong with an answer, or undefined. */
  text(
    question: Question & {initial?: string; check?(answer: string): MaybeLater<string | undefined>},
  ): Promise<string>
  /** Read without echo. */
  secret(question: Question): Promise<string>
  choose<T>(question: Question & {choices: Choice<T>[]; initial?: T}): Promise<T>
  /** The one confirmation of a command; --yes answers it. Fails with DECLINED on a no. */
  confirm(message: string): Promise<void>
  /** A yes, a no, or a change first, with a clock beside it. `left`: milliseconds until the offer ends, null when it has no end. */
  decide(message: string, left: () => number | null): Promise<Decision>
}

export function openAsk(options: {interactive: boolean; yes: boolean}): Ask {
  return options.interactive && !movesCursor(process.stderr)
    ? byLines(askOnScreen(options), options.yes)
    : askOnScreen(options)
}

/** The same where the cursor must not move. */
function byLines({interactive}: Ask, yes: boolean): Ask {
  const lines = () => import('./questions/lines.ts')
  return {
    interactive,
    secret: async ({message}) => (await lines()).askHidden(message),
    text: async (question) => (await lines()).askText(question),
    async choose<T>({message, choices, initial}: Parameters<typeof choicePrompt<T>>[0]) {
      return (await (await lines()).askNumber(message, choices, {initial})) as T
    },
    async confirm(message) {
      if (yes) return
      const answer = await (await lines()).askLine(`${message} (y/N)`)
      if (!/^y(es)?$/i.test(answer.trim())) throw new Failure('DECLINED')
    },
    decide: async (message, left) => (await lines()).askDecision(message, left),
  }
}

function askOnScreen(options: {interactive: boolean; yes: boolean}): Ask {
  /** Puts one question on stderr: stdout is for data. */
  const ask = async <T>(question: Question, prompt: Prompt): Promise<T> => {
    if (!options.interactive) throw missing(question)
    const {createPromptModule} = await import('inquirer')
    const {askWithCountdown} = await import('./questions/countdown.ts')
    const put = createPromptModule({output: process.stderr}).registerPrompt('countdown', askWithCountdown)
    try {
      const {answer} = await put<{answer: T}>({...prompt, ...layoutOf(prompt), name: 'answer'} as never)
      return answer as T
    } catch (error) {
      // In raw mode Ctrl-C sends no signal: the prompt ends instead.
      if (error instanceof Error && error.name === 'ExitPromptError') throw new Failure('INTERRUPTED')
      throw error
    }
  }
  return {
    interactive: options.interactive,
    text: async (question) => (await ask<string>(question, {type: 'input', ...textPrompt(question)})).trim(),
    secret: (question) => ask(question, {type: 'password', message: safe(question.message)}),
    choose: (question) => ask(question, {type: 'select', ...choicePrompt(question)}),
    async confirm(message) {
      if (options.yes) return
      const prompt = {type: 'confirm', message: safe(message), default: false}
      if (!(await ask<boolean>({message, flag: '--yes'}, prompt))) throw new Failure('DECLINED')
    },
    decide: (message, left) => ask({message, flag: '--yes'}, {type: 'countdown', message, left}),
  }
}

interface Prompt {
  type: string
  message: string
  default?: unknown
  [setting: string]: unknown
}

/** Cells that an answer needs beside its question, by the kind of the question. */
const BESIDE: Record<string, number> = {input: 20, confirm: 11, password: 20}

/**
 * Broken between words, behind the two cells that inquirer puts before a question and before a choice. It puts a blank
 * behind it as well.
 */
const wrapped = (text: string) => wrap(`  ${text}`, roomOf(process.stderr) - 1, 2).slice(2)

/** inquirer breaks its lines anywhere: they are broken here before, and the answer gets a line that has room for it. */
function layoutOf(prompt: Prompt) {
  const room = roomOf(process.stderr)
  const question = wrapped(prompt.message)
  const taken = 2 + width(question.split('\n').at(-1) ?? '')
  const offered = typeof prompt.default === 'string' ? prompt.default.length + 3 : 0
  const below = taken + offered + (BESIDE[prompt.type] ?? 0) > room
  const style = {
    message: (text: string, status: string) =>
      styleText('bold', wrapped(text)) + (below && status !== 'done' ? '\n ' : ''),
    answer: (text: string) => (taken + 1 + width(text) <= room ? text : `\n  ${wrapped(text)}`),
    error: (text: string) => styleText('red', `> ${wrapped(text)}`),
    description: (text: string) => wrap(text, room),
    // As in text.ts: readable on white, too.
    highlight: (text: string) => styleText('bold', text),
    key: (text: string) => styleText('bold', `<${text}>`),
  }
  return {
    theme: {style},
    ...(prompt.type === 'input' && {
      transformer: (text: string, {isFinal}: {isFinal: boolean}) =>
        isFinal ? style.answer(safe(text)) : safe(text),
    }),
  }
}

function missing({message, flag}: Question): Failure {
  return new Failure('MISSING_INPUT', {
    message: `Nobody can be asked: ${message}`,
    hint: `Give ${flag}.`,
  })
}

function textPrompt({message, initial, check}: Parameters<Ask['text']>[0]) {
  return {
    message: safe(message),
    ...(initial === undefined ? {} : {default: initial}),
    validate: async (answer: string) => (await check?.(answer.trim())) ?? true,
  }
}

function choicePrompt<T>({message, choices, initial}: Question & {choices: Choice<T>[]; initial?: T}) {
  return {
    message: safe(message),
    ...(initial === undefined ? {} : {default: initial}),
    choices: choices.map(({name, value, description}) => ({
      name: wrapped(safe(name)),
      short: safe(name),
      value,
      ...(description === undefined ? {} : {description: safe(description)}),
    })),
  }
}

import {Failure} from '../contract/failure.ts'
import type {Decision} from './countdown.ts'
import {safe} from './text.ts'

/** `flag` answers the question where nobody can be asked, such as `--reference EXTREF`. */
interface Question {
  message: string
  flag: string
}

export interface Choice<T> {
  name: string
  value: T
  description?: string
}

/** Questions to the person at the terminal. Every one fails with MISSING_INPUT where nobody can be asked. */
export interface Ask {
  /** Whether somebody is there to answer. */
  readonly interactive: boolean
  /** `check` returns what is wrong with an answer, or undefined. */
  text(question: Question & {initial?: string; check?(answer: string): string | undefined}): Promise<string>
  /** Read without echo. */
  secret(question: Question): Promise<string>
  choose<T>(question: Question & {choices: Choice<T>[]; initial?: T}): Promise<T>
  /** The one confirmation of a command; --yes answers it. Fails with DECLINED on a no. */
  confirm(message: string): Promise<void>
  /** A yes or no with a clock beside it. `left`: milliseconds until the offer ends, null when it has no end. */
  decide(message: string, left: () => number | null): Promise<Decision>
}

export function openAsk(options: {interactive: boolean; yes: boolean}): Ask {
  /** Puts one question of inquirer's, on stderr: stdout is for data. */
  const ask = async <T>(
    question: Question,
    prompt: {type: string; [setting: string]: unknown},
  ): Promise<T> => {
    if (!options.interactive) throw missing(question)
    const {createPromptModule} = await import('inquirer')
    const {askWithCountdown} = await import('./countdown.ts')
    const put = createPromptModule({output: process.stderr}).registerPrompt('countdown', askWithCountdown)
    try {
      const {answer} = await put<{answer: T}>({...prompt, name: 'answer'} as never)
      return answer as T
    } catch (error) {
      // Ctrl-C in raw mode is no signal: the prompt ends instead.
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
    validate: (answer: string) => check?.(answer.trim()) ?? true,
    transformer: (answer: string) => safe(answer),
  }
}

function choicePrompt<T>({message, choices, initial}: Question & {choices: Choice<T>[]; initial?: T}) {
  return {
    message: safe(message),
    ...(initial === undefined ? {} : {default: initial}),
    choices: choices.map(({name, value, description}) => ({
      name: safe(name),
      value,
      ...(description === undefined ? {} : {description: safe(description)}),
    })),
  }
}

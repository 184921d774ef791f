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
  const context = {output: process.stderr}
  const ask = async <T>(
    question: Question,
    put: (prompts: typeof import('@inquirer/prompts')) => Promise<T>,
  ) => {
    if (!options.interactive) throw missing(question)
    try {
      return await put(await import('@inquirer/prompts'))
    } catch (error) {
      // Ctrl-C in raw mode is no signal: the prompt ends instead.
      if (error instanceof Error && error.name === 'ExitPromptError') throw new Failure('INTERRUPTED')
      throw error
    }
  }
  return {
    interactive: options.interactive,
    text: async (question) => (await ask(question, ({input}) => input(textPrompt(question), context))).trim(),
    secret: (question) => ask(question, ({password}) => password({message: safe(question.message)}, context)),
    choose: (question) => ask(question, ({select}) => select(choicePrompt(question), context)),
    async confirm(message) {
      if (options.yes) return
      const question = {message: safe(message), flag: '--yes'}
      const agreed = await ask(question, ({confirm}) => confirm({...question, default: false}, context))
      if (!agreed) throw new Failure('DECLINED')
    },
    decide: (message, left) =>
      ask({message, flag: '--yes'}, async () => {
        const {askWithCountdown} = await import('./countdown.ts')
        return askWithCountdown({message, left}, context)
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

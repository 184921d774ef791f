import {Failure} from '../contract/failure.ts'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** Work that an interrupt would cut off. */
interface UnderWay {
  /** Says what was sent and what was not, and how to find out. */
  story: () => string
  /** True while an answer is on its way that should be waited for. */
  holds?: () => boolean
  /** What the command does until that answer arrives, as a clause. */
  awaits?: string
  /** The next command to type, if the story does not name it. */
  hint?: string
}

/**
 * Decides what Ctrl-C does to a command, and SIGTERM, as timeout(1) sends it. Both end it immediately, unless the command
 * has said that it is in the middle of something: then the first one only aborts a signal, and the command comes to its
 * own end.
 */
export class Interrupts {
  /** The work that the command announced last. */
  underWay: UnderWay | undefined
  private second: 'leaves' | 'unheard' | undefined
  private leaving = false
  private readonly first = new AbortController()

  /** Announces work. While it `holds`, the first Ctrl-C only says so and aborts the returned signal. */
  during(underWay: UnderWay): AbortSignal {
    this.underWay = underWay
    return this.first.signal
  }

  /** For a command that runs until it is interrupted, which is not a failure: the first Ctrl-C silently aborts the signal. */
  until(second: 'leaves' | 'unheard' = 'leaves'): AbortSignal {
    this.second = second
    return this.first.signal
  }

  /**
   * Listens until the returned function is called. `leave` is called at most once; `ranEmpty` if nothing is left that
   * could ever wake the command: Node would then end it without a word, and with success.
   */
  listen(say: (text: string) => void, leave: () => void, ranEmpty: () => void): () => void {
    const hear = (signal: NodeJS.Signals) => this.heard(signal === 'SIGTERM', say, leave)
    for (const signal of SIGNALS) process.on(signal, hear)
    process.once('beforeExit', ranEmpty)
    return () => {
      for (const signal of SIGNALS) process.removeListener(signal, hear)
      process.removeListener('beforeExit', ranEmpty)
    }
  }

  private heard(atOnce: boolean, say: (text: string) => void, leave: () => void): void {
    const {aborted} = this.first.signal
    if (this.leaving || (aborted && this.second === 'unheard')) return
    if (!aborted && this.second) {
      this.first.abort()
      return
    }
    if (!aborted && !atOnce && this.underWay?.holds?.()) {
      const {story, awaits = 'Waiting for its answer'} = this.underWay
      const text = `${story()} ${awaits}; press Ctrl-C again to leave now.`
      this.first.abort()
      say(text)
      return
    }
    // timeout(1) signals twice: the process, and its group.
    this.leaving = true
    leave()
  }
}

/** What a session knows of what it sent. */
interface Sent {
  story(): string
  /** The last request that changed something and was answered. */
  changed(): string | undefined
  /** A request for a change that left and has no final answer. */
  open(): string | undefined
}

/** The failure with what was sent before, if it would let one think that nothing was. */
export function withStory(failure: Failure, underWay: UnderWay | undefined, sent: Sent | undefined): Failure {
  if (failure.code === 'INTERRUPTED' && failure.facts.message === undefined) {
    const {story = sent?.story, hint} = underWay ?? {}
    const message = story ? story() : 'Interrupted. Nothing was sent.'
    return new Failure('INTERRUPTED', {message, ...(hint && {hint})})
  }
  const open = failure.code === 'UNEXPECTED' ? sent?.open() : undefined
  if (open !== undefined) {
    const message = `${failure.message} Before that, ${open} had left without a final answer: it may have taken effect.`
    return new Failure('OUTCOME_UNKNOWN', {message}, {cause: failure})
  }
  const done = failure.exitCode === 2 || failure.code === 'UNEXPECTED' ? sent?.changed() : undefined
  if (done === undefined) return failure
  const message = `${failure.message} Before that, ${done} was answered: what it changed stays changed.`
  return new Failure(failure.code, {...failure.facts, message})
}

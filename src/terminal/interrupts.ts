const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** What an interrupt finds under way. */
export interface UnderWay {
  /** What was sent, what not, and how to find out. */
  story: () => string
  /** True while an answer is awaited that is worth having. */
  holds?: () => boolean
  /** What the command does until then. */
  awaits?: string
  /** The way on, where the story does not tell it. */
  hint?: string
}

/**
 * What Ctrl-C means to a command, and the SIGTERM of a timeout, behind which nobody waits. Both leave it at once, but
 * for what it said of itself: then the first one may only abort a signal, and the command comes to its end.
 */
export class Interrupts {
  /** What the command said last. */
  underWay: UnderWay | undefined
  private second: 'leaves' | 'unheard' | undefined
  private leaving = false
  private readonly first = new AbortController()

  /** While what is under way `holds`, the first Ctrl-C only says so and aborts the signal. */
  during(underWay: UnderWay): AbortSignal {
    this.underWay = underWay
    return this.first.signal
  }

  /** An interrupt is how the command ends, and no failure: the first one aborts the signal, without a word. */
  until(second: 'leaves' | 'unheard' = 'leaves'): AbortSignal {
    this.second = second
    return this.first.signal
  }

  /** Listens until the returned function is called. `leave` is called once. */
  listen(say: (text: string) => void, leave: () => void): () => void {
    const hear = (signal: NodeJS.Signals) => this.heard(signal === 'SIGTERM', say, leave)
    for (const signal of SIGNALS) process.on(signal, hear)
    return () => {
      for (const signal of SIGNALS) process.removeListener(signal, hear)
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

/**
 * A small text that the processes of this user share on this machine (store/shared.ts keeps it in a file). None of
 * its parts blocks for long or fails because of another process: what can't be shared is undefined, and the caller
 * goes on by itself.
 */
export interface SharedFile {
  /** Names this process among all. */
  readonly me: string
  /** Whether the process of that name still runs. */
  isAlive(name: string): boolean
  /** The text that was written last. */
  read(): string | undefined
  /** Replaces the text, whole or not at all. False where that is not possible. */
  write(text: string): boolean
  /** Changes the text while no other process does. */
  update<T>(change: (text: string | undefined) => {text: string; result: T}): Promise<{result: T} | undefined>
  /** Runs work while no other process runs such work on this file; undefined, at once, where one does. */
  alone<T>(work: () => Promise<T>): Promise<{result: T} | undefined>
}

/** A text of this process alone, for where nothing can be shared. */
export function unshared(): SharedFile {
  let text: string | undefined
  return {
    me: 'me',
    isAlive: () => true,
    read: () => text,
    write(next) {
      text = next
      return true
    },
    async update(change) {
      const {text: next, result} = change(text)
      text = next
      return {result}
    },
    alone: async (work) => ({result: await work()}),
  }
}

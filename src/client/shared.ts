/**
 * A small text that the processes of this user share on this machine (store/shared.ts keeps it in a file). No
 * method blocks for long or fails because of another process: it returns undefined if nothing can be shared, and the
 * caller goes on by itself.
 */
export interface SharedFile {
  /** Names this process among all. */
  readonly me: string
  /** Whether the process of that name still runs. */
  isAlive(name: string): boolean
  /** The text that was written last. */
  read(): string | undefined
  /** Replaces the text, whole or not at all. Returns false if that is not possible. */
  write(text: string): boolean
  /** Changes the text while no other process does. */
  update<T>(change: (text: string | undefined) => {text: string; result: T}): Promise<{result: T} | undefined>
  /** Runs work while no other process runs such work on this file; returns undefined at once if one does. */
  alone<T>(work: () => Promise<T>): Promise<{result: T} | undefined>
}

/** A text of this process alone, for use when nothing can be shared. */
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

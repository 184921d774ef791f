/** Rows that come from elsewhere, to be read as they come until the end is said. */
export function openQueue<T>() {
  const waiting: T[] = []
  let ended = false
  let wake = () => {}
  return {
    add(row: T) {
      if (!ended) waiting.push(row)
      wake()
    },
    end() {
      ended = true
      wake()
    },
    /** All rows; `closed` runs before the reader is told of the end. */
    async *all(closed: () => Promise<void>): AsyncGenerator<T> {
      for (;;) {
        yield* waiting.splice(0)
        if (ended) break
        if (waiting.length === 0)
          await new Promise<void>((resolve) => {
            wake = resolve
          })
      }
      await closed()
    },
  }
}

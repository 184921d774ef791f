/**
 * Works on items in their order, `size` of them at a time. Once one fails or `stop` is aborted, no further item is
 * begun. Throws the first failure when all work under way has ended. Work of several steps asks `goesOn` before each.
 */
export async function pool<T>(
  size: number,
  items: Iterator<T> | AsyncIterator<T>,
  work: (item: T, goesOn: () => boolean) => Promise<void>,
  stop?: AbortSignal,
): Promise<void> {
  const failures: unknown[] = []
  const goesOn = () => failures.length === 0 && !stop?.aborted
  async function worker(): Promise<void> {
    while (goesOn()) {
      const given = items.next()
      const next = given instanceof Promise ? await given : given
      if (next.done || !goesOn()) return
      await work(next.value, goesOn)
    }
  }
  const guarded = () => worker().catch((error: unknown) => void failures.push(error))
  await Promise.all(Array.from({length: size}, guarded))
  if (failures.length > 0) throw failures[0]
}

/** Edits that turn one word into the other. */
function distance(a: string, b: string): number {
  let row = Array.from({length: b.length + 1}, (_, at) => at)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      const swapped = (row[j] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(swapped, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

const FAR = 0.4

/** Up to three known words that may have been meant, the likeliest first. */
export function nearest(word: string, known: Iterable<string>): string[] {
  const plain = word.toLowerCase()
  return [...known]
    .map((name) => {
      const lower = name.toLowerCase()
      const within = plain.length >= 3 && lower.includes(plain)
      const longest = Math.max(plain.length, lower.length)
      // As many letters as one has more than the other have to be added at least: a long text need not be compared.
      const least = Math.abs(plain.length - lower.length) / longest
      return {name, far: within ? 0 : least > FAR ? least : distance(plain, lower) / longest}
    })
    .filter(({far}) => far <= FAR)
    .sort((a, b) => a.far - b.far)
    .slice(0, 3)
    .map(({name}) => name)
}

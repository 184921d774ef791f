/** The next command to type. */
export const nextText = (...words: (string | null | undefined)[]): string => `Next: ${commandText(...words)}.`

/** A command to type. A word that a shell would take apart, such as a reference with a space, stands in quotes. */
export function commandText(...words: (string | null | undefined)[]): string {
  const typed = words.flatMap((word) => (word === null || word === undefined ? [] : [shellWord(word)]))
  return `\`scent ${typed.join(' ')}\``
}

/** A word as a shell takes it whole. */
export const shellWord = (word: string) =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

/** A flag with its value; nothing if it has none. */
export const flagWords = (flag: string, value: string | null | undefined): string[] =>
  value === null || value === undefined ? [] : [flag, value]

/** What a spreadsheet takes for a formula, also in its full-width forms; with the apostrophes of those guarded before. */
const FORMULA = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/

/** Text for a cell of a CSV file: what a spreadsheet would run gets a leading apostrophe. */
export const guarded = (text: string) => (FORMULA.test(text) ? `'${text}` : text)

/** The text that guarded() was given; a phone in its international form is one that had to be. */
export const unguarded = (cell: string) => (FORMULA.test(cell) && cell.startsWith("'") ? cell.slice(1) : cell)

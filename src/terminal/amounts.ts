import {Failure} from '../contract/failure.ts'
import {exact} from '../contract/money.ts'

/** An amount of money given by a flag. Fails with INVALID_INPUT. */
export function amountFlag(flag: string, text: string | undefined): string | undefined {
  if (text === undefined || /^\d{1,12}(\.\d{1,6})?$/.test(text)) return text
  throw new Failure('INVALID_INPUT', {
    message: `${flag} "${text}" is not a valid amount.`,
    hint: 'Write it with a dot, such as 305.90.',
  })
}

/** A share given by a flag: `2%` as 0.02; 0 stands for itself. Fails with INVALID_INPUT. */
export function ratioFlag(flag: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const percent = /^(\d{1,4}(?:\.\d{1,4})?)(%?)$/.exec(text)
  // A bare 2 could be 2 percent, or twice as much.
  if (percent?.[1] !== undefined && (percent[2] === '%' || Number(text) === 0))
    return exact(percent[1]).div(100).toFixed()
  throw new Failure('INVALID_INPUT', {
    message: `${flag} "${text}" is not a valid percentage.`,
    hint: 'Write it with its sign, such as 2% or 0.5%.',
  })
}

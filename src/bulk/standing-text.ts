import {digits} from '../contract/money.ts'
import {moneyText, span} from '../terminal/cells.ts'
import {width} from '../terminal/text.ts'
import type {Standing} from './meter.ts'

/** What matters most comes first. Parts for which there is no room are left out: a number that is cut is another one. */
export function standingText(standing: Standing, room = Number.POSITIVE_INFINITY): string {
  const {done, total, refused, unknown, charged, currency, rate, leftMs, quota} = standing
  const waiting = standing.waiting && standing.waiting.ms >= NOTICED_MS ? standing.waiting : null
  const parts = [
    ...(waiting === null ? [] : [waitText(waiting, quota)]),
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(unknown > 0 ? [`${unknown} unknown`] : []),
    ...(leftMs !== null && done < total ? [`${leftText(leftMs)} left`] : []),
    ...(quota === null || waiting?.why === 'quota'
      ? []
      : [`${nameOf(quota)} ${quota.used}/${quota.limit} used`]),
    ...(charged === null ? [] : [`${moneyText(digits(charged), currency)} charged`]),
    ...(rate === null ? [] : [`${rate} a minute`]),
  ]
  return parts.reduce((text, part) => {
    const longer = `${text}, ${part}`
    return width(longer) <= room ? longer : text
  }, `${done} of ${total}`)
}

/** Waits shorter than this pass without a word. */
const NOTICED_MS = 1_000

const waits: Record<string, string> = {
  'rate-limit': 'rate limited for',
  'token-quota': 'token quota used up for',
  retry: 'no answer, again in',
}

function waitText({why, ms}: {why: string; ms: number}, quota: Standing['quota']): string {
  const limit = quota?.shared ? ` of ${quota.limit}` : ''
  const text = why === 'quota' ? `${nameOf(quota)}${limit} used up for` : (waits[why] ?? why)
  return `${text} ${span(ms)}`
}

const nameOf = (quota: Standing['quota']) => (quota?.shared ? 'shared quota' : 'quota')

/** To the nearest minute, and never nothing. */
function leftText(ms: number): string {
  return span(ms < 60_000 ? Math.max(1_000, ms) : Math.round(ms / 60_000) * 60_000)
}

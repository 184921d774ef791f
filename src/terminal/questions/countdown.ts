import {createPrompt, isEnterKey, useEffect, useKeypress, useState} from '@inquirer/core'
import {roomOf, safe, width, wrap} from '../text.ts'

export type Decision = 'yes' | 'no' | 'change' | 'expired'

interface Question {
  message: string
  /** Returns the milliseconds until the offer ends, or null if it does not end. Called each second. */
  left(): number | null
}

function clockText(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

const answers: [RegExp, Decision][] = [
  [/^y(es)?$/i, 'yes'],
  [/^c(hange)?$/i, 'change'],
]

/** What a typed answer means; anything else is a no. */
export const decisionOf = (typed: string): Decision =>
  answers.find(([form]) => form.test(typed.trim()))?.[1] ?? 'no'

/** Yes, no, or something else first: with a clock beside it, and ends by itself when the time has run out. The default is no. */
export const askWithCountdown = createPrompt<Decision, Question>((question, done) => {
  const [typed, setTyped] = useState('')
  const [decision, setDecision] = useState<Decision | undefined>(undefined)
  const [left, setLeft] = useState(question.left())
  const end = (with_: Decision) => {
    setDecision(with_)
    done(with_)
  }
  useEffect(() => {
    const timer = setInterval(() => {
      const now = question.left()
      setLeft(now)
      if (now !== null && now <= 0) end('expired')
    }, 1000)
    return () => clearInterval(timer)
  }, [])
  useKeypress((key, line) => {
    if (isEnterKey(key)) return end(decisionOf(typed))
    setTyped(line.line)
  })
  const room = roomOf(process.stderr)
  const message = safe(question.message)
  if (decision) return wrap(`${message} ${decision === 'expired' ? 'the prices ran out' : decision}`, room)
  const clock = left === null ? '' : `prices held for ${clockText(left)} · `
  const asked = wrap(`${message} ${clock}(y/N, c to change)`, room)
  // The typed answer is never broken: it gets a line of its own if it does not fit.
  const hasRoom = width(asked.split('\n').at(-1) ?? '') + ' yes'.length < room
  return `${asked}${hasRoom ? ' ' : '\n'}${safe(typed)}`
})

import {createPrompt, isEnterKey, useEffect, useKeypress, useState} from '@inquirer/core'
import {safe} from './text.ts'

export type Decision = 'yes' | 'no' | 'expired'

interface Question {
  message: string
  /** Milliseconds left until the offer ends, asked each second; null when it has no end. */
  left(): number | null
}

function clockText(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** A yes-or-no question with a clock beside it. It ends by itself when the time is over. No is the default. */
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
    if (isEnterKey(key)) return end(/^y(es)?$/i.test(typed.trim()) ? 'yes' : 'no')
    setTyped(line.line)
  })
  const message = safe(question.message)
  if (decision) return `${message} ${decision === 'expired' ? 'the prices ran out' : decision}`
  const clock = left === null ? '' : `prices held for ${clockText(left)} · `
  return `${message} ${clock}(y/N) ${safe(typed)}`
})

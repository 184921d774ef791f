import type {OrderEvent} from '../../flows/order/records.ts'

const seconds = (ms: number) => `${Math.max(1, Math.round(ms / 1000))} s`

/** Tells the steps of an order, and at any moment what has been sent; `again` is the way to settle it. */
export function openStory(note: (text: string) => void, again: string) {
  let stage: 'nothing' | 'locked' | 'submitted' = 'nothing'
  let reference = ''
  return {
    /** The sentence for an interrupt at this moment. */
    story: () => stories[stage](reference, again),
    /** Whether an interrupt should wait: an order's request is on its way. */
    holds: () => stage === 'submitted',

    /** From here on nothing is open that could have been charged. */
    settled(now: 'nothing' | 'locked', of = reference): void {
      stage = now
      reference = of
    },

    progress(event: OrderEvent): void {
      reference = event.reference
      if (event.kind === 'submitting') stage = 'submitted'
      if (event.kind === 'asking-again')
        note(
          `No final answer for ${event.reference} (${event.code}). Asking again with the same reference in ${seconds(event.inMs)}.`,
        )
      if (event.kind === 'settling') note(`The service answered ${event.code}; settling ${event.reference}.`)
    },
  }
}

const stories = {
  nothing: () => 'Interrupted. Nothing was ordered, and nothing was charged.',
  locked: () =>
    'Interrupted. Nothing was ordered, and nothing was charged. The price lock expires by itself; the next `scent checkout` of this cart goes on with the same reference.',
  submitted: (reference: string, again: string) =>
    `Interrupted. The order ${reference} was sent, and its answer has not arrived: it may have been charged. ${again}`,
}

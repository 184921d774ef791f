import {isFailure} from '../../contract/failure.ts'
import type {Desk} from '../desk.ts'
import type {ListenerEvent} from '../listener/told.ts'
import {lookAt} from '../notices/known.ts'
import {stateText} from '../screens/live.ts'
import type {State} from './shapes.ts'

/** What the inbox can't see is asked this often, and of large records less often. */
const LOOK_MS = 30_000
const SHARE = 30

/** How the listener is, as it has told. */
export function openState({desk, forwardTo}: {desk: Desk; forwardTo: URL | undefined}) {
  const state: State = {
    ...{url: '', public: null, forwardTo: forwardTo?.href ?? null, checked: false},
    ...{trouble: null, isFailed: false, blind: []},
  }
  let next = 0
  return {
    tell(event: ListenerEvent) {
      if (event.event === 'ready')
        Object.assign(state, {url: event.url, public: event.public, checked: event.checked})
      if (event.event !== 'state') return
      state.isFailed = event.state === 'failed'
      state.trouble = event.why === null ? null : stateText(event)
    },
    async read(): Promise<State> {
      const began = performance.now()
      if (began >= next) {
        state.blind = await blindness(desk)
        const now = performance.now()
        next = now + Math.max(LOOK_MS, SHARE * (now - began))
      }
      return state
    },
  }
}

async function blindness(desk: Desk): Promise<State['blind']> {
  try {
    const {blind} = await lookAt(desk, {})
    return blind.map(({says, since, next}) => ({says, since, next}))
  } catch (error) {
    if (!isFailure(error)) throw error
    return [{says: error.message, since: null, next: 'scent doctor'}]
  }
}

import type {World} from '../core/world.ts'

/** The sandbox's time: live with an offset, or frozen. Kept in the database. */
export interface Clock {
  /** Milliseconds since 1970 UTC. */
  now(): number
  isFrozen(): boolean
  /** Moves to a moment, frozen or live as it is. */
  moveTo(moment: number): void
  freeze(): void
  /** Runs on from its present time. */
  thaw(): void
  /** Back to this machine's time. */
  reset(): void
  /** Reads the kept setting again, after the database was replaced. */
  load(): void
}

interface Setting {
  offset: number
  frozenAt: number | null
}

const live: Setting = {offset: 0, frozenAt: null}

export function openClock(world: World, real: () => number = Date.now): Clock {
  let setting = live
  const now = () => setting.frozenAt ?? real() + setting.offset
  const set = (next: Setting) => {
    setting = next
    world.setMeta('clock', JSON.stringify(next))
  }
  const clock: Clock = {
    now,
    isFrozen: () => setting.frozenAt !== null,
    moveTo: (moment) =>
      set(
        setting.frozenAt === null
          ? {offset: moment - real(), frozenAt: null}
          : {offset: setting.offset, frozenAt: moment},
      ),
    freeze: () => set({offset: setting.offset, frozenAt: now()}),
    thaw: () => set({offset: now() - real(), frozenAt: null}),
    reset: () => set(live),
    load: () => {
      const kept = world.meta('clock')
      setting = kept === undefined ? live : (JSON.parse(kept) as Setting)
    },
  }
  clock.load()
  return clock
}

/** G08 */
export const iso = (moment: number): string => new Date(moment).toISOString()
export const isoOrNull = (moment: number | null): string | null => (moment === null ? null : iso(moment))

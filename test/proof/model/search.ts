import {step} from './model.ts'
import type {Variant} from './shop.ts'
import {broken, type Client, pack, type Rule, type State, start, unpack} from './state.ts'

/** States by their packed number, each with the place at which it was found. A Map of a million doubles is slow. */
class Seen {
  private packed = new Float64Array(1 << 12).fill(-1)
  private places = new Int32Array(1 << 12)
  private size = 0

  /** Where the state was found, or `next` where it is new. */
  place(packed: number, next: number): number {
    const mask = this.packed.length - 1
    const mixed = Math.imul(packed | 0, 0x9e3779b1) ^ Math.imul((packed / 2 ** 24) | 0, 0x85ebca6b)
    let slot = (mixed ^ (mixed >>> 15)) & mask
    for (; this.packed[slot] !== -1; slot = (slot + 1) & mask)
      if (this.packed[slot] === packed) return this.places[slot] as number
    this.packed[slot] = packed
    this.places[slot] = next
    this.size += 1
    if (this.size * 2 > mask) this.grow()
    return next
  }

  private grow(): void {
    const {packed, places} = this
    this.packed = new Float64Array(packed.length * 2).fill(-1)
    this.places = new Int32Array(packed.length * 2)
    this.size = 0
    packed.forEach((one, slot) => {
      if (one !== -1) this.place(one, places[slot] as number)
    })
  }
}

/** Places, two for each step: from which to which. Plain arrays of millions keep the garbage collector busy. */
class Steps {
  pairs = new Int32Array(1 << 16)
  length = 0

  push(from: number, to: number): void {
    if (this.length === this.pairs.length) {
      const larger = new Int32Array(this.pairs.length * 2)
      larger.set(this.pairs)
      this.pairs = larger
    }
    this.pairs[this.length] = from
    this.pairs[this.length + 1] = to
    this.length += 2
  }
}

export interface Search {
  /** Packed, in the order in which they were found: the nearest first. */
  states: number[]
  steps: Steps
  broken?: {rule: Rule; trace: string[]}
}

/** Visits every state, nearest first; ends at the first that breaks a rule, or `wanted`, with a shortest way to it. */
export function search(v: Variant, c: Client, wanted?: Rule): Search {
  const seen = new Seen()
  const states = [pack(start)]
  const parents = [0]
  const steps = new Steps()
  seen.place(states[0] as number, 0)
  for (let place = 0; place < states.length; place++) {
    const state = unpack(states[place] as number)
    const rule = broken(state)
    if (rule && rule === (wanted ?? rule))
      return {states, steps, broken: {rule, trace: traceOf(v, c, states, parents, place)}}
    step(v, c, state, (_, to) => {
      const packed = pack(to)
      const found = seen.place(packed, states.length)
      steps.push(place, found)
      if (found < states.length) return
      states.push(packed)
      parents.push(place)
    })
  }
  return {states, steps}
}

function traceOf(v: Variant, c: Client, states: number[], parents: number[], last: number): string[] {
  const names: string[] = []
  for (let place = last; place > 0; place = parents[place] as number) {
    const from: State = unpack(states[parents[place] as number] as number)
    let name = ''
    step(v, c, from, (by, to) => {
      if (pack(to) === states[place]) name ||= by
    })
    names.unshift(name)
  }
  return names
}

/** The states from which no way leads to one that passes the test. */
export function deadEnds({states, steps}: Search, test: (s: State) => boolean): State[] {
  const {pairs, length} = steps
  // The steps into each place, as a list: the last of them, and the one before each.
  const last = new Int32Array(states.length).fill(-1)
  const before = new Int32Array(length / 2)
  for (let i = 0; i < length; i += 2) {
    const to = pairs[i + 1] as number
    before[i / 2] = last[to] as number
    last[to] = i
  }
  const reaches = new Uint8Array(states.length)
  const queue = new Int32Array(states.length)
  let found = 0
  const reached = (place: number) => {
    if (reaches[place]) return
    reaches[place] = 1
    queue[found++] = place
  }
  states.forEach((packed, place) => {
    if (test(unpack(packed))) reached(place)
  })
  for (let next = 0; next < found; next++) {
    const place = queue[next] as number
    for (let i = last[place] as number; i >= 0; i = before[i / 2] as number) reached(pairs[i] as number)
  }
  return states.filter((_, place) => !reaches[place]).map(unpack)
}

import {describe, expect, test} from 'vitest'
import {type Held, type ImportMode, type Step, stepsTo, targetsOf} from '../../../src/flows/cart/steps.ts'

type Quantities = Record<string, number>

const heldOf = (cart: Quantities, unsellable = ''): Held =>
  new Map(
    Object.entries(cart).map(([id, quantity]) => [
      id,
      {sku: `SKU-${id}`, quantity, sellable: !unsellable.includes(id)},
    ]),
  )

const wantedOf = (file: Quantities) =>
  Object.entries(file).map(([variantId, quantity]) => ({variantId, sku: null, quantity}))

function stepsFor(mode: ImportMode, file: Quantities, cart: Quantities, unsellable = ''): Step[] {
  const held = heldOf(cart, unsellable)
  return stepsTo(mode, targetsOf(mode, wantedOf(file), held), held)
}

const told = (steps: Step[]) =>
  steps.map((step) =>
    [step.do, 'variantId' in step && step.variantId, 'quantity' in step && step.quantity]
      .filter(Boolean)
      .join(' '),
  )

describe('the targets of a cart', () => {
  test('are its quantities and the file on top of them with merge; other lines are not named', () => {
    expect(targetsOf('merge', wantedOf({a: 2, b: 3}), heldOf({a: 1, c: 4}))).toEqual([
      {variantId: 'a', sku: 'SKU-a', before: 1, target: 3},
      {variantId: 'b', sku: null, before: 0, target: 3},
    ])
  })

  test('are exactly the file with replace', () => {
    expect(targetsOf('replace', wantedOf({a: 2}), heldOf({a: 1, c: 4}))).toEqual([
      {variantId: 'a', sku: 'SKU-a', before: 1, target: 2},
      {variantId: 'c', sku: 'SKU-c', before: 4, target: 0},
    ])
  })
})

describe('the changes of a cart', () => {
  test.each<[ImportMode, Quantities, Quantities, string, string[]]>([
    ['merge', {a: 2}, {}, '', ['add a 2']],
    ['merge', {a: 2}, {a: 1, b: 1}, '', ['set a 3']],
    ['replace', {a: 2}, {a: 2}, '', []],
    ['replace', {a: 2}, {a: 5}, '', ['set a 2']],
    ['replace', {a: 2}, {b: 1}, '', ['add a 2', 'remove b']],
    ['replace', {a: 2}, {b: 1, c: 1}, '', ['clear', 'add a 2']],
    ['replace', {a: 2}, {a: 2, b: 1, c: 1}, '', ['remove b', 'remove c']],
    ['replace', {a: 2}, {a: 2, b: 1, c: 1, d: 1}, '', ['clear', 'add a 2']],
    // What can not be added again is not taken away, whatever it costs.
    ['replace', {a: 2}, {a: 2, b: 1, c: 1, d: 1}, 'a', ['remove b', 'remove c', 'remove d']],
  ])('%s of %o into %o, where %o can not be sold', (mode, file, cart, unsellable, steps) => {
    expect(told(stepsFor(mode, file, cart, unsellable))).toEqual(steps)
  })

  test('leave a line alone that was given up, and then take no way over it', () => {
    const held = heldOf({a: 1, b: 1, c: 1, d: 1})
    const targets = targetsOf('replace', wantedOf({a: 2}), held)
    expect(told(stepsTo('replace', targets, held, new Set(['a'])))).toEqual([
      'remove b',
      'remove c',
      'remove d',
    ])
  })

  test('are the fewest there are, for every small cart and file', () => {
    const ids = ['a', 'b', 'c', 'd']
    let checked = 0
    for (const cart of carts(ids, 2))
      for (const file of carts(ids, 2))
        for (const unsellable of ['', 'a', 'ab']) {
          const least = fewest(cart, file, unsellable)
          if (Object.keys(file).length === 0 || least === undefined) continue
          const steps = stepsFor('replace', file, cart, unsellable)
          const name = JSON.stringify({cart, file, unsellable})
          expect(steps.length, name).toBe(least)
          expect(key(steps.reduce((state, step) => after(state, step, unsellable) ?? {}, cart)), name).toBe(
            key(file),
          )
          checked += 1
        }
    expect(checked).toBeGreaterThan(10_000)
  })
})

/** Every cart of these variants with quantities up to `most`. */
function carts(ids: string[], most: number): Quantities[] {
  const [id, ...others] = ids
  if (id === undefined) return [{}]
  return carts(others, most).flatMap((rest) =>
    Array.from({length: most + 1}, (_, quantity) => (quantity === 0 ? rest : {[id]: quantity, ...rest})),
  )
}

const key = (cart: Quantities) =>
  Object.keys(cart)
    .sort()
    .map((id) => `${id}${cart[id]}`)
    .join(' ')

/** The rules of the service. Undefined where it would refuse. */
function after(cart: Quantities, step: Step, unsellable: string): Quantities | undefined {
  if (step.do === 'clear') return {}
  const {[step.variantId]: now = 0, ...others} = cart
  if (step.do === 'remove') return others
  if (step.do === 'set' && now === 0) return undefined
  const quantity = step.do === 'add' ? now + step.quantity : step.quantity
  if (quantity > now && unsellable.includes(step.variantId)) return undefined
  return {...others, [step.variantId]: quantity}
}

const walked = new Map<string, Map<string, number>>()

/** The fewest changes from one cart to another, found by walking all ways; undefined where no way leads there. */
function fewest(from: Quantities, to: Quantities, unsellable: string): number | undefined {
  const name = `${key(from)}|${unsellable}`
  const known = walked.get(name) ?? walk(from, unsellable)
  walked.set(name, known)
  return known.get(key(to))
}

function walk(from: Quantities, unsellable: string): Map<string, number> {
  const steps: Step[] = ['a', 'b', 'c', 'd'].flatMap((variantId) => [
    {do: 'remove' as const, variantId},
    ...[1, 2].flatMap((quantity) => [
      {do: 'add' as const, variantId, quantity},
      {do: 'set' as const, variantId, quantity},
    ]),
  ])
  const found = new Map([[key(from), 0]])
  let edge = [from]
  for (let depth = 1; edge.length > 0; depth++) {
    const next: Quantities[] = []
    for (const cart of edge)
      for (const step of [{do: 'clear'} as Step, ...steps]) {
        const reached = after(cart, step, unsellable)
        if (reached === undefined || Object.values(reached).some((quantity) => quantity > 2)) continue
        if (found.has(key(reached))) continue
        found.set(key(reached), depth)
        next.push(reached)
      }
    edge = next
  }
  return found
}

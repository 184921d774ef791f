import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {oneLine} from '../support/pty.ts'
import {bin} from '../support/scent.ts'
import {openShop, type Shop, userAt} from '../support/served-shop.ts'
import {noTmux, type Terminal, withTerminal} from '../support/tmux.ts'
import {money, otherService, variant as otherVariant} from './other-service.ts'

const missing = noTmux()
if (missing) console.warn(`skipped: ${missing}`)

let shop: Shop
let variant: string

beforeEach(async () => {
  shop = await openShop()
  variant = shop.variant('RML-SAF-050')
})
afterEach(() => shop.close())

const inTerminal = (work: (terminal: Terminal) => Promise<void>, env = shop.env) =>
  withTerminal({...env, TERM: 'screen-256color', LANG: 'C.UTF-8', TZ: 'Asia/Riyadh'}, work, {
    columns: 250,
    rows: 60,
  })

/** Types a command of the program; its exit code follows it in brackets. */
function run({type, press}: Terminal, line: string): void {
  type(`clear; node ${bin} ${line}; echo "[$?]"`)
  press('Enter')
}

const walk = (terminal: Terminal, more = '') => run(terminal, `checkout --customer C-1 ${more}`)

/** Answers a question that has been put. */
async function reply({see, type, press}: Terminal, question: string, answer = ''): Promise<void> {
  await see(question)
  if (answer) type(answer)
  press('Enter')
}

async function typeAddress(terminal: Terminal): Promise<void> {
  await reply(terminal, 'Recipient', 'Sara')
  await reply(terminal, 'Street and building', 'King Fahd Road 1')
  await reply(terminal, 'More of the street')
  await reply(terminal, 'City', 'Riyadh')
  await reply(terminal, 'National short address', 'RRRD2929')
  await reply(terminal, 'Region')
  await reply(terminal, 'Postal code')
  await reply(terminal, 'Country')
  await reply(terminal, 'Phone', '+966500000000')
}

const set = (column: string, value: number) =>
  shop.sandbox.state.world.run(`UPDATE variants SET ${column} = ? WHERE id = ?`, value, variant)

describe.skipIf(missing)('the walk', () => {
  test('mends the cart, asks for the address, shows what it costs, asks once, and orders', async () => {
    const gone = shop.variant('RML-TAI-050')
    await shop.json(['cart', 'add', `${variant}=5`, `${gone}=1`, '--customer', 'C-1'])
    set('stock', 2)
    shop.sandbox.state.world.run('UPDATE variants SET withheld = 1 WHERE id = ?', gone)
    await inTerminal(async (terminal) => {
      walk(terminal)
      await terminal.see('RML-SAF-050')
      await reply(terminal, 'too little stock')
      await terminal.see('unavailable')
      await reply(terminal, 'Remove the line')
      await reply(terminal, 'Recipient')
      // Without a recipient nobody can be sent anything: the rule is named, and the question stays.
      await reply(terminal, 'is required', 'Sara')
      await reply(terminal, 'Street and building', 'King Fahd Road 1')
      await reply(terminal, 'More of the street')
      await reply(terminal, 'City', 'Riyadh')
      await reply(terminal, 'National short address', 'RRRD2929')
      await reply(terminal, 'Region')
      await reply(terminal, 'Postal code')
      await reply(terminal, 'Country', 'SAUDI')
      await terminal.see('SAU (Saudi Arabia)')
      terminal.press('C-u')
      await reply(terminal, 'Country', 'sau')
      await reply(terminal, 'Phone', '+966500000000')
      await terminal.see('Charge 305.90 SAR to the wallet')
      await terminal.see('prices held for 14:')
      for (const shown of ['36.15', '28.75', '33.26', '50000.00', '49694.10']) {
        expect(terminal.screen()).toContain(shown)
      }
      expect(shop.orders()).toEqual([])
      terminal.type('y')
      terminal.press('Enter')
      await terminal.see('[0]')
      expect(terminal.screen()).toContain('Processing')
      const [order] = shop.orders()
      expect(terminal.screen()).toContain(order?.id)
      expect(shop.debits()).toBe(1)

      // The address is offered the next time, and a no orders nothing.
      set('stock', 9)
      await shop.json(['cart', 'add', variant, '--customer', 'C-1'])
      walk(terminal)
      await reply(terminal, 'Sara, King Fahd Road 1, Riyadh, SAU')
      await reply(terminal, 'to the wallet', 'n')
      await terminal.see('Not ordered, and nothing was charged')
      await terminal.see('[')
      expect(shop.orders()).toHaveLength(1)
    })
  })

  test('locks again when the lock ran out while the person was thinking, and shows what changed', async () => {
    await shop.json(['cart', 'add', `${variant}=2`, '--customer', 'C-1'])
    await inTerminal(async (terminal) => {
      walk(terminal, `--address ${shop.address}`)
      await terminal.see('Charge 305.90 SAR')
      const {clock, world} = shop.sandbox.state
      clock.moveTo(clock.now() + 20 * 60_000)
      world.run('UPDATE assortment SET price = price + 1000 WHERE variant_id = ?', variant)
      terminal.type('y')
      terminal.press('Enter')
      await terminal.see('Charge 328.90 SAR')
      expect(terminal.screen()).toContain('305.90')
      expect(shop.orders()).toEqual([])
      terminal.type('y')
      terminal.press('Enter')
      await terminal.see('[0]')
      expect(shop.orders()).toHaveLength(1)
    })
  })

  test('counts down by the time of the service, and asks again when the prices ran out', async () => {
    const service = await otherService({
      'GET /scent/cart/checkout-preview': (usual, {url}, nth) => {
        const answer = usual()
        if (!url.includes('lock=true')) return answer
        // A clock an hour ahead of ours, and a first lock of six seconds.
        const now = Date.now() + 3_600_000
        const [pricedAt, lockExpiresAt] = [now, now + (nth < 3 ? 6_000 : 900_000)].map((at) =>
          new Date(at).toISOString(),
        )
        return {...answer, payload: {...answer.payload, pricedAt, lockExpiresAt}}
      },
    })
    const env = userAt(service.url, 'someone', 'secret')
    await inTerminal(async (terminal) => {
      run(terminal, `cart add ${otherVariant} --customer C-1`)
      await terminal.see('[0]')
      walk(terminal, `--address ${shop.address}`)
      await terminal.see('prices held for 0:0')
      await terminal.see('the prices ran out')
      await terminal.see('prices held for 14:')
      expect(terminal.screen()).toContain('are the same')
      terminal.type('yes')
      terminal.press('Enter')
      await terminal.see('[0]')
      expect(service.orders).toHaveLength(1)
    }, env)
    await service.close()
  })

  test('takes Ctrl-C at every question, says that nothing was ordered, and goes on from there', async () => {
    await shop.json(['cart', 'add', `${variant}=5`, '--customer', 'C-1'])
    set('stock', 2)
    await inTerminal(async (terminal) => {
      const interrupted = async () => {
        terminal.press('C-c')
        await terminal.see('[130]')
        expect(terminal.screen()).toContain('Nothing was ordered')
        expect(shop.orders()).toEqual([])
      }
      walk(terminal)
      await terminal.see('too little stock')
      await interrupted()
      set('stock', 9)
      for (const questions of [0, 3, 7]) {
        walk(terminal)
        const labels = [
          'Recipient',
          'Street and building',
          'More of the street',
          'City',
          'National short address',
          'Region',
          'Postal',
        ]
        const answers = ['Sara', 'Road 1', '', 'Riyadh', 'RRRD2929', '', '']
        for (let i = 0; i < questions; i++) await reply(terminal, labels[i] ?? '', answers[i])
        await terminal.see(labels[questions] ?? 'Country')
        await interrupted()
      }
      walk(terminal)
      await typeAddress(terminal)
      await terminal.see('to the wallet')
      await interrupted()
      walk(terminal)
      await terminal.see('was never sent. Taking it up again')
      await reply(terminal, 'Sara, King Fahd Road 1')
      await reply(terminal, 'to the wallet', 'y')
      await terminal.see('[0]')
      expect(shop.orders()).toHaveLength(1)
    })
  })

  test('takes Ctrl-C while the order is on its way, says so, and the next run settles it', async () => {
    await shop.json(['cart', 'add', `${variant}=2`, '--customer', 'C-1'])
    shop.fault({match: {operation: 'createOrder'}, effect: 'hang', when: 'after', times: 1})
    await inTerminal(async (terminal) => {
      walk(terminal, `--address ${shop.address}`)
      const committed = shop.answered('createOrder')
      await reply(terminal, 'to the wallet', 'y')
      await committed
      terminal.press('C-c')
      await terminal.see('Waiting for its answer')
      terminal.press('C-c')
      await terminal.see('[130]')
      expect(oneLine(terminal.screen())).toContain('may have been charged')
      walk(terminal)
      await terminal.see('was sent and has no answer yet')
      await terminal.see('[0]')
      expect(shop.orders()).toHaveLength(1)
      expect(terminal.screen()).toContain(shop.orders()[0]?.id)
    })
  })

  test('asks on stderr, and leaves stdout to the document that --json prints', async () => {
    await shop.json(['cart', 'add', `${variant}=2`, '--customer', 'C-1'])
    const file = join(shop.env.HOME ?? '', 'order.json')
    await inTerminal(async (terminal) => {
      walk(terminal, `--address ${shop.address} --json >${file}`)
      await reply(terminal, 'to the wallet', 'y')
      await terminal.see('[0]')
    })
    expect(JSON.parse(readFileSync(file, 'utf8')).id).toBe(shop.orders()[0]?.id)
  })

  test('waits after one Ctrl-C for an answer that comes, and ends with the order', async () => {
    await shop.json(['cart', 'add', `${variant}=2`, '--customer', 'C-1'])
    shop.fault({match: {operation: 'createOrder'}, effect: 'slow', delayMs: 1_500, times: 1})
    await inTerminal(async (terminal) => {
      walk(terminal, `--address ${shop.address}`)
      await reply(terminal, 'to the wallet', 'y')
      while (shop.sandbox.state.inFlight.length === 0) await new Promise((turn) => setTimeout(turn, 5))
      terminal.press('C-c')
      await terminal.see('Waiting for its answer')
      await terminal.see('[0]')
      expect(terminal.screen()).toContain(shop.orders()[0]?.id)
    })
  })

  test('shows names that want to take over the terminal as what they are', async () => {
    const hostile = '\u001b[2J\u001b]0;owned\u0007\u202e=cmd\nfake: Charge 0.01 SAR'
    const service = await otherService({
      'GET /scent/cart/checkout-preview': (usual, _, nth) => {
        const answer = usual()
        if (nth > 1) return answer
        const lines = answer.payload.lines.map((line: object) => ({
          ...line,
          ...{sku: hostile, ok: false, issue: hostile, availability: hostile, listPrice: money('1.50')},
        }))
        return {...answer, payload: {...answer.payload, lines, canCheckout: false}}
      },
      'POST /scent/orders': () => ({status: 422, state: `X${hostile}`, details: {[hostile]: hostile}}),
    })
    const env = userAt(service.url, 'someone', 'secret')
    await inTerminal(async (terminal) => {
      run(terminal, `cart add ${otherVariant} --customer C-1`)
      await terminal.see('[0]')
      const words = `--address ${shop.address} --reference "$(printf 'R\\033[2J\\342\\200\\256x')"`
      walk(terminal, words)
      await terminal.see('\\u{1b}[2J\\u{1b}]0;owned\\u{7}\\u{202e}=cmd\\u{a}fake')
      await terminal.see('Remove the line')
      terminal.press('Down', 'Enter')
      await terminal.see('[')
      expect(terminal.screen()).not.toMatch(/^fake/m)
      // Nothing was cleared, and no line was begun by it.
      expect(terminal.screen()).toMatch(/^Cart of C-1/)
      walk(terminal, words)
      await reply(terminal, 'and order as R\\u{1b}[2J\\u{202e}x?', 'y')
      await terminal.see('(X\\u{1b}[2J')
      await terminal.see('[7]')
      expect(terminal.screen()).not.toMatch(/^fake/m)
      expect(terminal.screen()).toMatch(/^Cart of C-1/)
    }, env)
    await service.close()
  })
})

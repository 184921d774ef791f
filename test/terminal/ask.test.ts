import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {program} from '../support/program.ts'
import {bin, scent} from '../support/scent.ts'
import {page, type Reply, service, userOf} from '../support/service.ts'
import {noTmux, type Terminal, withTerminal} from '../support/tmux.ts'

const missing = noTmux()
if (missing) console.warn(`skipped: ${missing}`)

const cart = '{"id":null,"customerRef":"C-1","status":"None","baseCurrency":"SAR","items":[]}'

let shop: Awaited<ReturnType<typeof service>>
let env: NodeJS.ProcessEnv

beforeAll(async () => {
  shop = await service(({url, method}): Reply | undefined => {
    if (method === 'DELETE') return cart
    if (url.includes('/scent/variants')) return page([], {totalCount: 0})
    return undefined
  })
  env = userOf(shop.url, {TERM: 'screen-256color', LANG: 'C.UTF-8'})
})

afterAll(() => shop.close())

/** Runs a command line in a terminal; the shell prints its exit code when it has ended. */
async function at(line: string, work: (terminal: Terminal) => Promise<void>): Promise<void> {
  await withTerminal(env, async (terminal) => {
    terminal.type(`clear; ${line}; echo "[$?]"`)
    terminal.press('Enter')
    await work(terminal)
  })
}

const command = (words: string) => `node ${bin} ${words}`
const deletes = () => shop.seen.filter(({method}) => method === 'DELETE').length

describe.skipIf(missing)('a question in a terminal', () => {
  it('is asked once before a change, and a yes lets it happen', async () => {
    const before = deletes()
    await at(command('cart clear --customer C-1'), async (terminal) => {
      await terminal.see('Remove all lines of the cart of C-1?')
      expect(deletes()).toBe(before)
      terminal.type('y')
      terminal.press('Enter')
      await terminal.see('[0]')
      expect(terminal.screen()).toContain('The cart is empty.')
    })
    expect(deletes()).toBe(before + 1)
  })

  it('means no where it is only passed by, and nothing happens', async () => {
    const before = deletes()
    await at(command('cart clear --customer C-1'), async (terminal) => {
      await terminal.see('(y/N)')
      terminal.press('Enter')
      await terminal.see('[130]')
      expect(terminal.screen()).toContain('Nothing was changed.')
    })
    expect(deletes()).toBe(before)
  })

  it('ends by Ctrl-C, with the truth about what was sent', async () => {
    await at(command('cart clear --customer C-1'), async (terminal) => {
      await terminal.see('(y/N)')
      terminal.press('C-c')
      await terminal.see('[130]')
      expect(terminal.screen()).toContain('Interrupted. Nothing was sent.')
    })
  })

  it('shows a hostile reference as it is, and obeys none of it', async () => {
    await at(command(`cart clear --customer "$(printf 'x\\033[2J\\342\\200\\256y')"`), async (terminal) => {
      await terminal.see('of x\\u{1b}[2J\\u{202e}y?')
      terminal.press('C-c')
    })
  })

  it('is a usage error with --no-input, that names the flag', async () => {
    await at(command('cart clear --customer C-1 --no-input'), async (terminal) => {
      await terminal.see('[2]')
      expect(terminal.screen()).toContain('Give --yes.')
    })
  })

  it('stays out of stdout', async () => {
    await at(`${command('cart clear --customer C-1 --json')} > $HOME/out`, async (terminal) => {
      await terminal.see('(y/N)')
      terminal.type('y')
      terminal.press('Enter')
      await terminal.see('[0]')
      terminal.type('clear; head -c 20 $HOME/out; echo "[end]"')
      terminal.press('Enter')
      await terminal.see('"id": null')
    })
  })
})

describe.skipIf(missing)('every kind of question', () => {
  it('is answered in a terminal: text with a rule, a secret, a choice', async () => {
    const asking = program(`
      import {openAsk} from './src/terminal/ask.ts'
      async function main() {
      const ask = openAsk({interactive: true, yes: false})
      const text = await ask.text({message: 'City', flag: '--city', check: (answer) => answer === 'x' ? 'no such city' : undefined})
      const secret = await ask.secret({message: 'Secret', flag: '--secret'})
      const choice = await ask.choose({message: 'Which', flag: '--which', choices: [{name: 'one', value: 1}, {name: 'tw\\u001bo', value: 2}]})
      console.log(JSON.stringify({text, secret: secret.length, choice}))
      }
      void main()
    `)
    await at(`node ${asking}`, async (terminal) => {
      await terminal.see('City')
      terminal.type('x')
      terminal.press('Enter')
      await terminal.see('no such city')
      terminal.press('BSpace')
      terminal.type(' Riyadh ')
      terminal.press('Enter')
      await terminal.see('Secret')
      terminal.type('hunter2')
      terminal.press('Enter')
      await terminal.see('Which')
      expect(terminal.screen()).not.toContain('hunter2')
      expect(terminal.screen()).toContain('tw\\u{1b}o')
      terminal.press('Down', 'Enter')
      await terminal.see('{"text":"Riyadh","secret":7,"choice":2}')
    })
  })
})

describe('a question that nobody can answer', () => {
  it('is a usage error that names the flag', async () => {
    const {code, stdout} = await scent(env, ['cart', 'clear', '--customer', 'C-1', '--json'])
    expect([code, JSON.parse(stdout).error]).toEqual([
      2,
      expect.objectContaining({state: 'MISSING_INPUT', hint: 'Give --yes.'}),
    ])
  })

  it('is not asked with --yes', async () => {
    const {code} = await scent(env, ['cart', 'clear', '--customer', 'C-1', '--yes'])
    expect(code).toBe(0)
  })
})

describe.skipIf(missing)('work that takes a while', () => {
  it('can be interrupted in a terminal, and says what was sent', async () => {
    await at(command('api POST scent/thing -F a=1'), async (terminal) => {
      while (!shop.seen.some(({url}) => url.endsWith('/thing')))
        await new Promise((wake) => setTimeout(wake, 20))
      terminal.press('C-c')
      await terminal.see('[130]')
      expect(terminal.screen()).toContain('POST /api/v1/scent/thing had left without a final answer')
    })
  })
})

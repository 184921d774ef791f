import {createServer, type Server} from 'node:http'
import type {AddressInfo} from 'node:net'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {createSandbox} from '../../src/sandbox/core/sandbox.ts'
import {historic} from '../sandbox/event-refusals.ts'
import {scentAmongMany as run} from '../support/many.ts'
import {bin, start} from '../support/scent.ts'
import {service, userOf} from '../support/service.ts'
import {noTmux, type Terminal, withTerminal} from '../support/tmux.ts'
import type {Sandbox} from '../support/types.ts'

const missing = noTmux()

let sandbox: Sandbox
let env: NodeJS.ProcessEnv
let receiver: Server
let hook = ''

beforeAll(async () => {
  sandbox = await createSandbox({limits: false})
  const {clientId = '', clientSecret = ''} = sandbox.credentials[0] ?? {}
  const more = {TERM: 'screen-256color', LANG: 'C.UTF-8'}
  env = userOf(await sandbox.listen(), {
    SCENT_CLIENT_ID: clientId,
    SCENT_CLIENT_SECRET: clientSecret,
    ...more,
  })
  receiver = createServer((request, answer) => {
    request.resume()
    answer.writeHead(request.url === '/bad' ? 500 : 200).end()
  })
  await new Promise<void>((ready) => receiver.listen(0, '127.0.0.1', ready))
  hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
})

afterAll(async () => {
  receiver.close()
  await sandbox.close()
})

const scent = (...argv: string[]) => run(env, argv)

// biome-ignore lint/suspicious/noExplicitAny: tests look into documents of every shape
async function json(...argv: string[]): Promise<any> {
  const {stdout, stderr, code} = await scent(...argv, '--json')
  expect({code, said: code === 0 ? '' : stdout + stderr}).toEqual({code: 0, said: ''})
  return JSON.parse(stdout)
}

/** Runs a command line in a terminal; the shell prints its exit code when it has ended. */
const at = (words: string, work: (terminal: Terminal) => Promise<void>) =>
  withTerminal(
    env,
    async (terminal) => {
      terminal.type(`clear; node ${bin} ${words}; echo "[$?]"`)
      terminal.press('Enter')
      await work(terminal)
    },
    {columns: 120, rows: 45},
  )

describe('a subscription', () => {
  it('is made, listed from the local record, changed, tested and switched', async () => {
    const made = await scent('webhooks', 'create', '--url', `${hook}/ok`, '--event', 'order.completed')
    expect([made.code, made.stderr]).toEqual([0, 'Keep the signing secret: it is shown this once.\n'])
    const list = await scent('webhooks', 'list', '--json')
    expect(list.stderr).toContain('the API has no list')
    const {id} = JSON.parse(list.stdout).items[0]
    expect(list.stdout).not.toContain('whsec')

    const update = await scent('webhooks', 'update', id, '--header', 'X-Team=ops')
    expect([update.code, update.stderr]).toEqual([0, 'The header given replaced all that were set before.\n'])
    expect(update.stdout).not.toContain('X-Team')
    const cleared = await scent('webhooks', 'update', id, '--clear-headers')
    expect([cleared.code, cleared.stderr]).toEqual([0, 'No headers of your own are sent any more.\n'])
    expect((await scent('webhooks', 'update', id)).code).toBe(2)

    expect(await json('webhooks', 'test', id, '--event', 'order.completed')).toMatchObject({succeeded: true})
    expect(await json('webhooks', 'disable', id)).toMatchObject({isActive: false})
    expect((await json('webhooks', 'list')).items[0]).toMatchObject({id, isActive: false})
    expect(await json('webhooks', 'enable', id)).toMatchObject({isActive: true})
  })

  it('that was made elsewhere is listed once it has answered, with what is known of it', async () => {
    const {id} = await json('webhooks', 'create', '--url', `${hook}/ok`, '--event', 'order.completed')
    const nothing = {url: null, eventTypes: null, isActive: null, createdAt: null}
    const known = async (user: NodeJS.ProcessEnv) =>
      JSON.parse((await run(user, ['webhooks', 'list', '--json'])).stdout).items
    const elsewhere = () =>
      userOf(env.SCENT_BASE_URL ?? '', {
        SCENT_CLIENT_ID: env.SCENT_CLIENT_ID,
        SCENT_CLIENT_SECRET: env.SCENT_CLIENT_SECRET,
      })
    for (const words of [
      `test ${id} --event order.completed`,
      `deliveries ${id}`,
      `deliveries ${id} --all`,
    ]) {
      const user = elsewhere()
      for (const _ of [1, 2])
        expect(await run(user, ['webhooks', ...words.split(' ')])).toMatchObject({code: 0})
      expect(await known(user)).toMatchObject([{id, ...nothing}])
      await run(user, ['webhooks', 'disable', id.toUpperCase()])
      expect(await known(user)).toMatchObject([{...nothing, isActive: false}])
      await run(user, ['webhooks', 'update', id, '--event', 'order.completed'])
      expect(await known(user)).toMatchObject([{url: `${hook}/ok`, isActive: false}])
    }
    const user = elsewhere()
    const unknown = '00000000-0000-4000-8000-000000000000'
    for (const words of [`deliveries ${unknown}`, `deliveries ${unknown} --all`, `enable ${unknown}`])
      expect((await run(user, ['webhooks', ...words.split(' ')])).code).toBe(5)
    expect(await known(user)).toEqual([])
  })

  it('shows the deliveries that failed, and those of an event type', async () => {
    const events = ['--event', 'order.completed', '--event', 'return.requested']
    const {id} = await json('webhooks', 'create', '--url', `${hook}/bad`, ...events)
    for (const type of ['order.completed', 'return.requested'])
      await json('webhooks', 'test', id, '--event', type)
    expect((await json('webhooks', 'deliveries', id, '--failed')).items).toHaveLength(2)
    const chosen = await json('webhooks', 'deliveries', id, '--event', 'return.requested')
    expect(chosen.items).toMatchObject([{eventType: 'return.requested', errorSummary: 'Delivery failed'}])
  })

  it('is watched: new attempts come as they are made, and Ctrl-C is no failure', async () => {
    const {id} = await json('webhooks', 'create', '--url', `${hook}/ok`, '--event', 'order.completed')
    const first = await json('webhooks', 'test', id, '--event', 'order.completed')
    const watching = start(env, ['webhooks', 'deliveries', id, '--watch', '--output', 'ndjson'])
    await watching.said(first.id)
    const second = await json('webhooks', 'test', id, '--event', 'order.completed')
    await watching.said(second.id)
    watching.child.kill('SIGINT')
    const {code, stdout, stderr} = await watching.ended
    expect({code, stderr}).toEqual({code: 0, stderr: ''})
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).id),
    ).toEqual([first.id, second.id])
  })
})

describe.skipIf(missing)('in a terminal', () => {
  it('returns create shows what can be returned, and asks for quantities and reasons', async () => {
    const {id} = historic(sandbox, 'HIST-0002')
    await at(`returns create ${id}`, async (terminal) => {
      await terminal.see('Units of NJD-LEA-050 to return, 0 to 2')
      expect(terminal.screen()).toContain('Delivered')
      expect(terminal.screen()).toContain('Units that a notice cancelled count as returnable here')
      terminal.type('3')
      terminal.press('Enter')
      await terminal.see('must be a whole number from 0 to 2')
      terminal.press('BSpace')
      terminal.type('1')
      terminal.press('Enter')
      await terminal.see('Reason code')
      terminal.press('Enter')
      await terminal.see('Units of RML-TAI-050')
      terminal.press('Enter')
      await terminal.see('Request the return of 1 unit of')
      terminal.type('y')
      terminal.press('Enter')
      await terminal.see('[0]')
      expect(terminal.screen()).toContain('Requested')
    })
    const {items} = await json('returns', 'list', '--order', id)
    expect(items).toMatchObject([{status: 'Requested', lines: [{quantity: 1, reasonCode: 'Damaged'}]}])
    await at(`returns create ${id}`, async (terminal) => {
      await terminal.see('Units of RML-TAI-050')
      expect(terminal.screen()).toContain(`request ${items[0].returnRequestNumber} is open`)
      expect(terminal.screen()).not.toContain('Units of NJD-LEA-050')
      terminal.press('C-c')
      await terminal.see('[130]')
    })
    expect(await json('returns', 'withdraw', items[0].id, '--yes')).toMatchObject({status: 'Withdrawn'})
  })

  it('the course of the balance and of sales is drawn, and a pipe gets the numbers', async () => {
    await at('wallet balance', async (terminal) => {
      await terminal.see('[0]')
      expect(terminal.screen()).toMatch(
        /Balance over the last \d+ entries\n.*┤[\s\S]*\n +2026-.* 2026-\d\d-\d\d \d\d:\d\d\n/,
      )
    })
    const {stdout} = await scent('wallet', 'balance')
    expect(stdout).toMatch(/^balanceAfter\t\d+(\.\d+)?\n/)
    const days = 'reports sales by-day --from 2026-01-01 --to 2027-01-01'
    await at(days, async (terminal) => {
      await terminal.see('[0]')
      expect(terminal.screen()).toMatch(/Net sales over time\n.*[┤┼][\s\S]*\n +2026-01-01 +2026-\d\d-\d\d\n/)
    })
    expect((await scent(...days.split(' '))).stdout).not.toContain('┤')
  })

  it('a page past the end of a list is told as that', async () => {
    await at('discounts list --page 9', async (terminal) => {
      await terminal.see('[0]')
      expect(terminal.screen()).toMatch(
        /Page 9 is past the end\.\nThe last page is 1\. --all shows the 2 rows/,
      )
    })
  })
})

describe('a discount code', () => {
  it('is changed by what differs, which is shown, and not at all where nothing does', async () => {
    const {id, value} = (await json('discounts', 'list')).items[0]
    const changed = await scent('discounts', 'update', id, '--value', '12.50')
    expect(changed.stderr).toMatch(/value\s+10\s+12\.50/)
    expect(changed.stdout).toMatch(/^productScope\tAll$/m)
    expect(await json('discounts', 'list')).toMatchObject({items: [{id, value: 12.5}, {}]})
    const same = await scent('discounts', 'update', id, '--value', '12.5')
    expect(same.stderr).toContain('Nothing was sent')
    await scent('discounts', 'update', id, '--value', String(value))
  })
})

describe('an answer of any shape', () => {
  it('is printed as it came, where the spec does not show it', async () => {
    const shapes = ['[{"month":"2026-01","total":1.50}]', '"soon"', '7', 'null', '{"rows":[{"a":1}]}']
    let shape = ''
    const odd = await service(() => shape)
    const user = userOf(odd.url)
    const commands = [
      'reports sales by-day --from 2026-01-01 --to 2026-02-01',
      'statements report --from 2026-01-01 --to 2026-02-01',
      'commissions list',
      'catalog brands',
      'returns withdraw 6c1f8a52-3f0e-4b1d-9a70-5d2c8e1b7f43 --yes',
    ]
    for (const next of shapes) {
      shape = next
      const ran = await Promise.all(
        commands.flatMap((words) => [
          run(user, [...words.split(' '), '--json']),
          run(user, words.split(' ')),
        ]),
      )
      for (const [at, {code, stdout, stderr}] of ran.entries()) {
        expect({code, stderr}, `${commands[Math.floor(at / 2)]} ${next}`).toEqual({code: 0, stderr: ''})
        if (at % 2 === 0) expect(stdout.replaceAll(/\s/g, '')).toBe(next)
      }
    }
    await odd.close()
  })
})

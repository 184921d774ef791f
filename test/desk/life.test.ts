// The whole life of a notice as somebody at a terminal sees it: raised, received, listed, shown, answered, gone.
import {expect, test} from 'vitest'
import {callerOf, variantOf} from '../sandbox/caller.ts'
import {type Answer, drawn, inTerminal, oneLine} from '../support/pty.ts'
import {scent, start} from '../support/scent.ts'
import {openBare} from '../terminal/stage.ts'

test.each([80, 40])(
  'at %i columns',
  async (columns) => {
    const {sandbox, env, close} = await openBare()
    const seen = async (line: string, answers: Answer[] = []) => {
      const {code, text} = await inTerminal(env, line.split(' '), {columns, answers})
      const page = drawn(text, columns)
      expect([code, page.broken], page.lines.join('\n')).toEqual([0, []])
      return oneLine(answers.length > 0 ? text : page.lines.join('\n'))
    }
    const json = async (line: string) => JSON.parse((await scent(env, [...line.split(' '), '--json'])).stdout)
    expect((await scent(env, ['auth', 'login', '--sandbox', '--storage', 'file'])).code).toBe(0)
    const caller = callerOf(sandbox)
    const {payload} = await caller.filled('C-1', {[variantOf(sandbox, 'RML-SAF-050')]: 2})
    await caller.order('PO-SHORT', payload.lockId, 'C-1')
    const events = ['--event', 'notice.raised', '--event', 'notice.resolved']
    const listener = start(env, ['webhooks', 'listen', '--subscribe', '--port', '0', ...events])
    const early = await Promise.race([listener.said('Ready on'), listener.ended])
    expect(early).toBeUndefined()

    expect(await seen('notices inbox')).toContain('No notice that is known here waits for an answer.')
    expect(await seen('sandbox notice PO-SHORT --line RML-SAF-050 --available 1')).toContain('OutOfStock')
    while ((await json('notices inbox')).items.length === 0)
      await new Promise((later) => setTimeout(later, 200))
    const [{id, scentOrderId}] = (await json('notices inbox')).items
    const listed = await seen('notices inbox')
    for (const fact of ['1 notice to answer', 'RML-SAF-050', '71 h', 'cancel 2', id])
      expect(listed).toContain(fact)
    const shown = await seen(`notices show ${id}`)
    for (const fact of [scentOrderId, 'verified', 'AwaitingPartnerResponse']) expect(shown).toContain(fact)

    const worked = await seen('notices respond', [
      // What each choice refunds is asked for while the card is there already.
      [' SAR', 's'],
      ['Enter sends', '\r'],
    ])
    const refund = /ships 1, cancels 1, refunds about ([\d.]+ SAR)/.exec(worked)?.[1]
    expect(worked).toContain(`Answered 1 (${refund} refunded), and nothing else waits.`)

    // The event that tells of it arrives as well, and changes nothing.
    while ((await json(`notices show ${id}`)).history.length < 3)
      await new Promise((later) => setTimeout(later, 200))
    expect(await seen('notices inbox')).toContain('No notice that is known here waits for an answer.')
    const closed = await seen('notices inbox --all')
    for (const fact of ['answered', id]) expect(closed).toContain(fact)
    const after = await seen(`notices show ${id}`)
    for (const fact of ['ShipAvailable', 'Resolved', 'answering']) expect(after).toContain(fact)
    listener.child.kill('SIGINT')
    expect((await listener.ended).code).toBe(0)
    await close()
  },
  180_000,
)

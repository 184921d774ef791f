import {expect, test} from 'vitest'
import {inTerminal, oneLine} from '../support/pty.ts'
import {scent} from '../support/scent.ts'
import {userOf} from '../support/service.ts'

test('a sandbox that is stopped is told how to start again, and not to check the network', async () => {
  const env = userOf('http://127.0.0.1:4747')
  const {code, text} = await inTerminal(env, ['wallet', 'balance', '--max-wait', '0'], {columns: 80})
  // Another sandbox of this machine may have the port of its default.
  if (oneLine(text).includes('UNAUTHORIZED')) return
  expect([code, oneLine(text)]).toEqual([10, expect.stringContaining('`scent sandbox start --detach`.')])
  expect(text).not.toContain('Check the network')
})

test('one of another port is started there', async () => {
  const {code, stderr} = await scent(userOf('http://localhost:1'), ['wallet', 'balance', '--max-wait', '0'])
  expect([code, stderr]).toEqual([10, expect.stringContaining('`scent sandbox start --detach --port 1`.')])
})

test('a service elsewhere is a matter of the network', async () => {
  const env = userOf('https://nowhere.invalid', {NO_PROXY: '*'})
  const {code, stderr} = await scent(env, ['wallet', 'balance', '--max-wait', '0'])
  expect([code, stderr]).toEqual([10, expect.stringContaining('Check the network')])
})

import {spawn} from 'node:child_process'
import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {createLimiter} from '../../src/sandbox/door/limits.ts'
import {limiters, paced} from '../support/pace-run.ts'
import {folder, program} from '../support/program.ts'

describe.each(Object.keys(limiters))('3,000 requests against %s', (name) => {
  it.each([300, 280])(
    'are never refused, and take little more than the least time at %i a window',
    async (limit) => {
      for (let seed = 1; seed <= 8; seed++) {
        const {refused, share} = await paced(name, seed, limit)
        expect(refused, `seed ${seed}`).toBe(0)
        expect(share, `seed ${seed}`).toBeGreaterThanOrEqual(0.98)
      }
    },
  )
})

/** How much faster the clocks of the processes and of their service run. */
const FASTER = 60

const sender = program(`
  import {openPacer, quotas} from './src/client/pace.ts'
  import {sharedFile} from './src/store/shared.ts'
  const [log, url, count] = process.argv.slice(2)
  const ticks = () => Number(process.hrtime.bigint() / 1000n) / 1000 * ${FASTER}
  const sleep = (ms) => new Promise((wake) => setTimeout(wake, ms / ${FASTER}))
  const pacer = openPacer({
    ...quotas.bulk, log: sharedFile(log), maxWaitMs: Infinity, ticks, sleep, random: Math.random,
    later: (ms, work) => void setTimeout(work, ms / ${FASTER}).unref(),
  })
  let left = Number(count)
  let refused = 0
  const one = async () => {
    while (left-- > 0) {
      const permit = await pacer.permit()
      const {status} = await fetch(url)
      if (status === 200) permit.used()
      else { refused += 1; await permit.refused(1000) }
    }
  }
  Promise.all([one(), one()]).then(() => process.stdout.write(String(refused)))
`)

it('8 processes of 400 requests each on one log are never refused, and none waits for ever', async () => {
  const limiter = createLimiter(300)
  const ticks = () => (Number(process.hrtime.bigint() / 1000n) / 1000) * FASTER
  let served = 0
  const server = createServer((_, response) => {
    served += 1
    response.statusCode = limiter.take('me', ticks()) === undefined ? 200 : 429
    response.end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const log = join(folder(), 'quota.json')
  const refusals = Array.from({length: 8}, async () => {
    const child = spawn(process.execPath, [sender, log, url, '400'], {stdio: ['ignore', 'pipe', 'inherit']})
    let out = ''
    child.stdout.on('data', (text) => {
      out += text
    })
    await new Promise((done) => child.on('close', done))
    return out
  })
  expect(await Promise.all(refusals)).toEqual(Array(8).fill('0'))
  server.close()
  expect(served).toBe(3_200)
}, 120_000)

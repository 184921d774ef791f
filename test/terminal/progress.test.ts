import {expect, test} from 'vitest'
import {drawn, inTerminal, oneLine} from '../support/pty.ts'
import {scent} from '../support/scent.ts'
import {page, service, userOf} from '../support/service.ts'

const SLOW_MS = 1_500

/** Lists brands, but not at once. */
const slowService = () =>
  service((_, response) => {
    setTimeout(() => {
      response.writeHead(200, {'content-type': 'application/json'})
      response.end(`{"state":"SUCCESS","payload":${page(['{"id":"b-1","name":"Rimal"}'])},"details":null}`)
    }, SLOW_MS)
    return undefined
  })

test('a service that is slow to answer is waited for in sight, and leaves no trace of it', async () => {
  const slow = await slowService()
  try {
    const env = userOf(slow.url)
    const {code, text} = await inTerminal(env, ['catalog', 'brands'], {columns: 40})
    expect(oneLine(text)).toContain('Waiting for the service …')
    expect(drawn(text, 40).lines.join('\n')).not.toContain('Waiting')
    expect(code).toBe(0)
    expect((await scent(env, ['catalog', 'brands'])).stderr).toBe('')
  } finally {
    await slow.close()
  }
})

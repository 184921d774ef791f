import {spawn} from 'node:child_process'
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'
import {drawn, inTerminal, oneLine} from '../support/pty.ts'
import {bin, scent} from '../support/scent.ts'
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

test('what is printed as it is stands in a line of its own on a slow machine, too', async () => {
  const env = userOf('http://127.0.0.1:1')
  const delivery = join(env.HOME ?? '', 'delivery.json')
  const headers = {'x-service-timestamp': '1', 'x-service-signature': `v1=${'0'.repeat(64)}`}
  writeFileSync(delivery, JSON.stringify({headers, body: '{}'}))
  const go = join(env.HOME ?? '', 'go')
  const secret = `(until [ -e '${go}' ]; do sleep 0.1; done; echo whsec_1)`
  const line = `${secret} | '${process.execPath}' '${bin}' webhooks verify '${delivery}' --secret-stdin`
  const child = spawn('script', ['-qec', line, '/dev/null'], {env: {...env, TERM: 'xterm'}, stdio: 'pipe'})
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    if (stdout.includes('At work')) writeFileSync(go, '')
  })
  await new Promise((done) => child.on('close', done))
  expect(stdout).toContain('At work')
  // In a terminal a line that is not taken back stands before what comes next.
  expect(drawn(stdout, 80).lines.join('\n')).not.toContain('At work')
})

import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'
import {freePort, listening, secret} from '../support/listening.ts'
import {folder} from '../support/program.ts'
import {scent} from '../support/scent.ts'
import {serve} from '../support/server.ts'
import {userOf} from '../support/service.ts'

const event = (eventId: string) => JSON.stringify({eventId, eventType: 'order.completed'})

test.each([
  ['http://169.254.169.254/latest/meta-data', 'is a link-local address'],
  ['http://[fe80::1]/', 'is a link-local address'],
  ['http://[::ffff:169.254.169.254]/', 'is a link-local address'],
  ['http://0xa9fea9fe/', 'is a link-local address'],
  ['http://2852039166/', 'is a link-local address'],
  ['http://metadata.google.internal/', 'is a link-local address'],
])('nothing is handed on to %s, even if other machines are allowed', async (url, why) => {
  const argv = ['webhooks', 'listen', '--port', '0', '--for', '1s', '--forward-to', url, '--allow-remote']
  const {code, stderr} = await scent(userOf('http://127.0.0.1:1'), argv)
  expect({code, stderr}).toMatchObject({code: 2, stderr: expect.stringContaining(why)})
})

test('a redirect is told of and not followed', async () => {
  const elsewhere = await serve((_, response) => response.end())
  const receiver = await serve((_, response) => response.writeHead(307, {Location: elsewhere.url}).end())
  const listener = await listening(userOf('http://127.0.0.1:1'), '--forward-to', receiver.url)
  expect(await listener.send(event('redirected'))).toBe(200)
  expect(await listener.saw('forward')).toMatchObject({status: 307, error: null})
  await listener.stop()
  expect([receiver.seen.length, elsewhere.seen.length]).toEqual([1, 0])
  await Promise.all([receiver.close(), elsewhere.close()])
})

test('of an answer without an end 4 KiB are kept', async () => {
  let isCut = false
  const receiver = await serve((_, response) => {
    const more = () => {
      while (!isCut && response.write('x'.repeat(10_000)));
    }
    response.on('drain', more).on('close', () => {
      isCut = true
    })
    more()
  })
  const listener = await listening(userOf('http://127.0.0.1:1'), '--forward-to', receiver.url)
  expect(await listener.send(event('endless'))).toBe(200)
  const {status, body} = await listener.saw('forward')
  expect({status, body}).toEqual({status: 200, body: 'x'.repeat(4_096)})
  await expect.poll(() => isCut).toBe(true)
  await listener.stop()
  await receiver.close()
})

test('an answer that comes drop by drop is waited for 30 seconds', async () => {
  const hook = join(folder(), 'hook.cjs')
  // The clock of this machine goes 100 times as fast where it is set to half a minute.
  writeFileSync(
    hook,
    `const {setTimeout: wait} = globalThis
    globalThis.setTimeout = (work, ms, ...more) => wait(work, ms === 30_000 ? 300 : ms, ...more)`,
  )
  const drops: NodeJS.Timeout[] = []
  const receiver = await serve((_, response) => {
    response.writeHead(200)
    drops.push(setInterval(() => response.write('x'), 20))
  })
  const env = userOf('http://127.0.0.1:1', {NODE_OPTIONS: `--require ${hook}`})
  const listener = await listening(env, '--forward-to', receiver.url)
  for (const name of ['slow', 'next']) expect(await listener.send(event(name))).toBe(200)
  await listener.saw('forward', ({eventId}) => eventId === 'next')
  expect(listener.told('forward')).toMatchObject([
    {eventId: 'slow', status: null, error: 'no answer within 30 s'},
    {eventId: 'next', status: null, error: 'no answer within 30 s'},
  ])
  await listener.stop()
  for (const drop of drops) clearInterval(drop)
  await receiver.close()
})

test('a listener does not hand on to itself, and takes nothing in that another one has handed on', async () => {
  const env = userOf('http://127.0.0.1:1')
  const port = await freePort()
  for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
    const url = `http://${host}:${port}/hook`
    const argv = ['webhooks', 'listen', '--port', String(port), '--for', '1s', '--forward-to', url]
    const {code, stderr} = await scent(env, argv)
    expect({code, stderr}).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is this listener itself'),
    })
  }
  const second = await listening(env)
  const first = await listening(env, '--forward-to', `http://127.0.0.1:${second.port}/`)
  expect(await first.send(event('round'))).toBe(200)
  expect(await first.saw('forward')).toMatchObject({status: 508})
  const {stdout} = await second.stop()
  expect(stdout).toContain('"received":0')
  await first.stop()
})

test('nothing of ours goes to the receiver: no secret, no token, no header but the mark', async () => {
  const receiver = await serve((_, response) => response.end())
  const env = userOf('http://127.0.0.1:1')
  const listener = await listening(env, '--ui', '--ui-port', '0', '--forward-to', `${receiver.url}/hook?x=1`)
  const {ui} = await listener.saw('ready')
  expect(await listener.send(event('plain'))).toBe(200)
  await listener.saw('forward')
  await listener.stop()
  const [seen] = receiver.seen
  expect(Object.keys(seen?.headers ?? {}).sort()).toEqual([
    'connection',
    'content-length',
    'content-type',
    'host',
    'x-scent-forwarded',
    'x-service-signature',
    'x-service-timestamp',
  ])
  const wire = JSON.stringify(seen)
  for (const own of [secret, ui.split('#t=')[1], env.SCENT_CLIENT_SECRET ?? '', env.SCENT_CLIENT_ID ?? ''])
    expect(wire).not.toContain(own)
  await receiver.close()
})

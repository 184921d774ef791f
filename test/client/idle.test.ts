import {expect, it} from 'vitest'
import {openNodeHttp} from '../../src/client/node-http.ts'
import {openUndici} from '../../src/client/undici.ts'
import {serve, serveSocket} from '../support/server.ts'

const later = (ms: number) => new Promise((wake) => setTimeout(wake, ms))

it.concurrent.each([
  ['node:http', openNodeHttp],
  ['undici', openUndici],
])('%s waits for a slow answer, and leaves an idle connection before the service does', async (_, open) => {
  const send = open({})
  const slow = await serve((_, response) => setTimeout(() => response.end('slow'), 4_600))
  // It would keep the connection for ever, and gives no hint of it.
  const idle = await serveSocket((socket) => {
    socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nquick'))
  })
  const get = ({url}: {url: string}) => send({method: 'GET', url, headers: {}, timeoutMs: 20_000})
  const [answer] = await Promise.all([get(slow), get(idle).then(() => later(4_600))])
  expect(answer.body).toBe('slow')
  expect(idle.connections()).toBe(1)
  await get(idle)
  expect(idle.connections()).toBe(2)
  await slow.close()
  await idle.close()
})

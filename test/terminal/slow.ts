import {createServer, request} from 'node:http'
import type {AddressInfo, Socket} from 'node:net'

/** Long enough for a person to wonder. */
const SLOW_MS = 2_000

/** A service as it is met over a slow line. */
export interface SlowLine {
  url: string
  /** From here on the first request of each connection waits for two seconds: a command has one connection. */
  begin(): void
  close(): Promise<void>
}

/** Passes everything on to the service at `url`. */
export async function openSlowLine(url: string): Promise<SlowLine> {
  const met = new WeakSet<Socket>()
  let slow = false
  const server = createServer(async (incoming, outgoing) => {
    const {method, url: path, headers, socket} = incoming
    const waits = slow && !met.has(socket)
    met.add(socket)
    if (waits) await new Promise((done) => setTimeout(done, SLOW_MS))
    const {host} = new URL(url)
    const passed = request(new URL(path ?? '/', url), {method, headers: {...headers, host}}, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    begin: () => {
      slow = true
    },
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}

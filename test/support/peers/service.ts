// One local service that hands out the same rows to every program, a hundred a page, in the words of the service that
// each was made for. Plain HTTP on loopback; to who asks for TLS it is a proxy that ends the tunnel at itself.
import {createServer, type IncomingMessage, type ServerResponse} from 'node:http'
import {createServer as createTlsServer} from 'node:https'
import {type AddressInfo, connect} from 'node:net'
import {certificate} from '../certificate.ts'
import {listening} from '../server.ts'

const PAGE = 100

/** What no other text of an answer holds: it is counted in what a program prints. */
export const markOf = (row: number) => `row-${String(row).padStart(6, '0')}-mark`

/** An entry of a ledger, with the fields by which the other programs know a row of theirs. */
const rowOf = (row: number) => ({
  sid: markOf(row),
  id: `3f2c8a11-5b7e-4c1d-9a57-${String(row).padStart(12, '0')}`,
  name: markOf(row),
  owner: {email: 'ops@example.test'},
  status: 'delivered',
  transactionType: 'Debit',
  amount: 89.5,
  balanceBefore: 1_000_000 - row * 89.5,
  balanceAfter: 1_000_000 - (row + 1) * 89.5,
  currency: 'SAR',
  referenceType: 'Order',
  timestamp: '2026-10-04T09:12:44Z',
  displayCurrency: 'SAR',
  rate: 1,
  amountDisplay: 89.5,
})

export interface Service {
  url: string
  /** For the programs that speak TLS alone. */
  authority: string
  /** The requests and the rows that were asked for since this was called the last time. */
  served(): {requests: number; rows: number}
  close(): Promise<void>
}

/** The hosts that are reached through the proxy. */
const hosts = ['api.twilio.com', 'bench.myshopify.com', 'registry.npmjs.org']

interface Page {
  at: number
  /** The same rows as themes of a shop, in GraphQL. */
  themes: string
  /** Its rows as a JSON array, made beforehand: the service should cost as little as it can. */
  text: string
  rows: number
}

function pagesOf(rows: number): Page[] {
  return Array.from({length: Math.ceil(rows / PAGE)}, (_, at) => {
    const some = Array.from({length: Math.min(PAGE, rows - at * PAGE)}, (_, row) => rowOf(at * PAGE + row))
    const nodes = some.map((one, row) => ({
      ...one,
      id: `gid://shopify/OnlineStoreTheme/${at * PAGE + row + 1}`,
    }))
    const themes = JSON.stringify(nodes.map((one) => ({...one, role: 'UNPUBLISHED', processing: false})))
    return {at, themes, text: JSON.stringify(some), rows: some.length}
  })
}

interface Answer {
  body: string
  status?: number
  headers?: {[name: string]: string}
  rows?: number
}

/** What the service of each program would answer, by the path that is asked for. */
function shapes(pages: Page[], url: () => string) {
  const total = pages.reduce((sum, {rows}) => sum + rows, 0)
  const page = (at: number) => pages[at] ?? {at, themes: '[]', text: '[]', rows: 0}
  const more = ({at}: Page) => at + 1 < pages.length
  const envelope = (payload: string) => `{"state":"SUCCESS","payload":${payload},"details":null}`
  const shape: {
    [path: string]: (query: URLSearchParams, headers: IncomingMessage['headers'], body: string) => Answer
  } = {
    '/api/v1/auth/token': () => ({
      body: envelope('{"accessToken":"token-of-the-bench","tokenType":"Bearer","expiresIn":86400}'),
    }),
    '/api/v1/wallet/transactions': (query) => {
      const one = page(Number(query.get('page') ?? 1) - 1)
      const place = {page: one.at + 1, pageSize: PAGE, totalCount: total, totalPages: pages.length}
      const pagination = JSON.stringify({...place, hasPrevious: one.at > 0, hasNext: more(one)})
      return {body: envelope(`{"items":${one.text},"pagination":${pagination}}`), rows: one.rows}
    },
    '/rows': (query) => {
      const one = page(Number(query.get('page') ?? 1) - 1)
      const link = `<${url()}/rows?per_page=${PAGE}&page=${one.at + 2}>; rel="next"`
      return {body: one.text, rows: one.rows, ...(more(one) && {headers: {link}})}
    },
    '/account': () => ({body: '{"email":"ops@example.test"}'}),
    '/users/~/apps': (_, {range}) => {
      const one = page(Number(/page (\d+)/.exec(String(range))?.[1] ?? 0))
      if (!more(one)) return {body: one.text, rows: one.rows}
      return {
        body: one.text,
        rows: one.rows,
        status: 206,
        headers: {'next-range': `page ${one.at + 1}..; max=${PAGE}`},
      }
    },
    '/2010-04-01/Accounts/AC00000000000000000000000000000001/Messages.json': (query) => {
      const one = page(Number(query.get('Page') ?? 0))
      const path = '/2010-04-01/Accounts/AC00000000000000000000000000000001/Messages.json'
      const next = more(one) ? `"${path}?PageSize=${PAGE}&Page=${one.at + 1}"` : 'null'
      const body = `{"messages":${one.text},"page":${one.at},"page_size":${PAGE},"next_page_uri":${next}}`
      return {body, rows: one.rows}
    },
    // The first run of a day looks for a newer version, whatever it is told.
    '/@shopify/cli': () => ({
      body: '{"dist-tags":{"latest":"0.0.1"},"versions":{"0.0.1":{"version":"0.0.1"}}}',
    }),
    '/admin/api/unstable/graphql.json': (_, __, asked) => {
      if (asked.includes('publicApiVersions'))
        return {body: '{"data":{"publicApiVersions":[{"handle":"unstable","supported":true}]}}'}
      const one = page(Number(JSON.parse(asked).variables.after ?? 0))
      const pageInfo = JSON.stringify({hasNextPage: more(one), endCursor: String(one.at + 1)})
      return {body: `{"data":{"themes":{"nodes":${one.themes},"pageInfo":${pageInfo}}}}`, rows: one.rows}
    },
  }
  return shape
}

export async function openService(rows: number): Promise<Service> {
  const told = {requests: 0, rows: 0}
  const shape = shapes(pagesOf(rows), () => plain.url)
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    let asked = ''
    for await (const chunk of request) asked += chunk
    const {pathname, searchParams} = new URL(request.url ?? '', 'http://service')
    const {
      body,
      status = 200,
      headers = {},
      rows = 0,
    } = shape[decodeURIComponent(pathname)]?.(searchParams, request.headers, asked) ?? {
      status: 404,
      body: `{"message":"nothing at ${pathname}"}`,
    }
    told.requests += 1
    told.rows += rows
    response.writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      ...headers,
    })
    response.end(body)
  }
  const {key, cert, file} = certificate(...hosts)
  const tls = createTlsServer({key, cert}, handle)
  const secure = await listening(tls, 'https')
  const server = createServer(handle)
  server.on('connect', ({url = ''}, socket) => {
    if (!hosts.includes(url.replace(/:443$/, ''))) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    const {port} = tls.address() as AddressInfo
    const inner = connect(port, '127.0.0.1', () => socket.write('HTTP/1.1 200 Connected\r\n\r\n'))
    for (const one of [inner, socket]) one.on('error', () => [inner, socket].map((each) => each.destroy()))
    socket.pipe(inner).pipe(socket)
  })
  const plain = await listening(server)
  return {
    url: plain.url,
    authority: file,
    served() {
      const found = {...told}
      Object.assign(told, {requests: 0, rows: 0})
      return found
    },
    async close() {
      await Promise.all([plain.close(), secure.close()])
    },
  }
}

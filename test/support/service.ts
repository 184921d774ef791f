import {mkdirSync} from 'node:fs'
import type {ServerResponse} from 'node:http'
import {join} from 'node:path'
import {folder} from './program.ts'
import {answer, type Seen, serve, type TestServer} from './server.ts'

/** The answer of a route: a payload as JSON text, so that its digits are the test's own, or a refusal. */
export type Reply =
  | string
  | {status: number; state: string; details?: unknown; headers?: Record<string, string>}

export type Routes = (request: Seen, response: ServerResponse) => Reply | undefined

/** A service with a token route, and the routes of `routes`; it hangs if that returns nothing. */
export async function service(routes: Routes): Promise<TestServer & {seen: Seen[]}> {
  return serve((request, response) => {
    if (request.url === '/api/v1/auth/token') {
      answer(response, 200, 'SUCCESS', {
        accessToken: 'token-of-the-test',
        tokenType: 'Bearer',
        expiresIn: 300,
      })
      return
    }
    const reply = routes(request, response)
    if (reply === undefined) return
    if (typeof reply !== 'string') {
      answer(response, reply.status, reply.state, null, {
        details: reply.details ?? null,
        headers: {'x-request-id': 'request-1', ...reply.headers},
      })
      return
    }
    response.writeHead(200, {'content-type': 'application/json'})
    response.end(`{"state":"SUCCESS","payload":${reply},"details":null}`)
  })
}

/** A page of rows, each as JSON text. */
export function page(rows: string[], {page = 1, pageSize = 20, totalCount = rows.length} = {}): string {
  const totalPages = Math.ceil(totalCount / pageSize)
  return `{"items":[${rows.join(',')}],"pagination":{"page":${page},"pageSize":${pageSize},"totalCount":${totalCount},"totalPages":${totalPages}}}`
}

/** The environment of a user with folders of its own, and a credential for the service at `url`. */
export function userOf(url: string, more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const home = folder()
  for (const name of ['config', 'state']) mkdirSync(join(home, name), {mode: 0o700})
  return {
    PATH: process.env.PATH,
    HOME: home,
    XDG_CACHE_HOME: process.env.XDG_CACHE_HOME,
    SCENT_CONFIG_DIR: join(home, 'config'),
    SCENT_STATE_DIR: join(home, 'state'),
    SCENT_BASE_URL: url,
    SCENT_CLIENT_ID: 'test-client',
    SCENT_CLIENT_SECRET: 'secret-of-the-test',
    ...more,
  }
}

import {createHash, randomBytes} from 'node:crypto'
import {join} from 'node:path'
import {bodyFacts} from '../../src/desk/receipts/body.ts'
import type {ReceiptRecord, Received} from '../../src/desk/receipts/records.ts'
import {receiptsFile, receiptsFolder} from '../../src/desk/receipts/segment.ts'
import {type Folders, foldersOf, type Identity} from '../../src/store/paths.ts'

// Records of a desk as a listener writes them, of any time.

export const HOUR = 3_600_000

/** Whose records they are. */
export interface Desk {
  folders: Folders
  identity: Identity
}

export const deskOf = (env: NodeJS.ProcessEnv): Desk => ({
  folders: foldersOf(env),
  identity: {
    origin: env.SCENT_BASE_URL ?? 'local',
    clientId: env.SCENT_CLIENT_ID ?? 'local',
    onBehalfOf: null,
  },
})

/** A body of an event as the service sends it. */
export const eventBody = (eventId: string, notice?: object, eventType = 'notice.raised') =>
  JSON.stringify({eventId, eventType, data: notice ? {notice} : {}})

/** A notice that was raised at a time. */
export const noticeOf = (id: string, raised: number, more: object = {}) => ({
  ...{id, scentOrderId: 'aab897a7-4d30-479b-85c5-5380b35917dc', reason: 'OutOfStock'},
  ...{status: 'AwaitingPartnerResponse', hasShipmentDeparted: false},
  notifiedAt: new Date(raised).toISOString(),
  responseDeadlineAt: new Date(raised + 72 * HOUR).toISOString(),
  line: {sku: 'NJD-INC-002', orderedQuantity: 3, availableQuantity: 1, shortfallQuantity: 2},
  ...more,
})

const iso = (at: number) => new Date(at).toISOString()

/** A copy that arrived. */
export function receipt(at: number, body: string, more: Partial<Received> = {}): Received {
  let facts = bodyFacts(undefined)
  try {
    facts = bodyFacts(JSON.parse(body))
  } catch {}
  return {
    ...{kind: 'received', at: iso(at), n: 1, remote: '127.0.0.1', path: '/', headers: [], body},
    ...{encoding: 'utf8', bytes: body.length, sha256: createHash('sha256').update(body).digest('hex')},
    ...{eventId: facts.eventId, eventType: facts.eventType, notices: facts.notices.map(({id}) => id)},
    ...{trust: 'verified', scheme: 'default', why: null, ...more},
  }
}

interface Listened {
  from: number
  /** Undefined while it runs: this process holds its file then. */
  to?: number
  hasSecret?: boolean
  records?: (Received | Exclude<ReceiptRecord, Received>)[]
}

/** The file of one listener. Returns its path. */
export async function listened({folders, identity}: Desk, run: Listened): Promise<string> {
  const {from, to, hasSecret = true, records = []} = run
  const path = join(receiptsFolder(folders, identity), `${from}-1-${randomBytes(3).toString('hex')}.ndjson`)
  const file = receiptsFile(path, identity)
  const secret = hasSecret ? 'sha256:00' : null
  const opened = {
    kind: 'opened' as const,
    at: iso(from),
    port: 4750,
    public: null,
    subscription: null,
    secret,
    scheme: null,
  }
  await file.append([opened, ...records])
  if (to === undefined) file.hold()
  else await file.append({kind: 'closed', at: iso(to)})
  return path
}

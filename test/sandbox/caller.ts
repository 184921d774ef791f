import {afterEach, beforeEach, expect} from 'vitest'
import {checkWorld} from '../../src/sandbox/core/check.ts'
import {createSandbox} from '../../src/sandbox/core/sandbox.ts'
import {credentialsOf} from '../../src/sandbox/rules/partners.ts'
import {address} from '../support/address.ts'
import type {Sandbox, SandboxOptions} from '../support/types.ts'

export interface Answer {
  status: number
  headers: Record<string, string>
  state: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into payloads of every shape
  payload: any
  // biome-ignore lint/suspicious/noExplicitAny: as above
  details: any
}

export interface Ask {
  query?: string
  body?: unknown
  headers?: Record<string, string>
}

export const origin = 'http://sandbox.test'

/** Speaks to a sandbox in this process as one of its partners, or as one acts for another. */
export function callerOf(sandbox: Sandbox, clientId = 'rimal-retail', onBehalfOf?: string) {
  let token: string | undefined
  const ask = async (
    method: string,
    path: string,
    {query, body, headers = {}}: Ask = {},
  ): Promise<Answer> => {
    token ??= await tokenOf(sandbox, clientId, {onBehalfOf})
    return raw(sandbox, method, `/api/v1${path}${query === undefined ? '' : `?${query}`}`, {
      headers: {authorization: `Bearer ${token}`, ...headers},
      body,
    })
  }
  return {
    ask,
    /** Adds, locks and answers the preview. */
    async filled(ref: string, lines: Record<string, number>): Promise<Answer> {
      for (const [variantId, quantity] of Object.entries(lines)) {
        const query = `customerRef=${encodeURIComponent(ref)}`
        await ask('POST', '/scent/cart/items', {query, body: {variantId, quantity}})
      }
      return ask('GET', '/scent/cart/checkout-preview', {
        query: `customerRef=${encodeURIComponent(ref)}&lock=true`,
      })
    },
    order: (externalReference: string, lockId: string, customerRef: string, more: object = {}) =>
      ask('POST', '/scent/orders', {
        body: {externalReference, lockId, customerRef, shippingAddress: address, ...more},
      }),
  }
}

export async function tokenOf(sandbox: Sandbox, clientId: string, more: object = {}): Promise<string> {
  const known = credentialsOf(sandbox.state).find((credential) => credential.clientId === clientId)
  const body = {clientId, clientSecret: known?.clientSecret, ...more}
  return (await raw(sandbox, 'POST', '/api/v1/auth/token', {body})).payload.accessToken
}

export async function raw(
  sandbox: Sandbox,
  method: string,
  target: string,
  {headers = {}, body}: {headers?: Record<string, string | undefined>; body?: unknown} = {},
): Promise<Answer> {
  const sent = Object.entries(headers).filter((pair): pair is [string, string] => pair[1] !== undefined)
  const isJson = body !== undefined && !Object.keys(headers).includes('content-type')
  const answer = await sandbox.send({
    method: method as 'GET',
    url: `${origin}${target}`,
    headers: {...(isJson ? {'content-type': 'application/json'} : {}), ...Object.fromEntries(sent)},
    ...(body === undefined ? {} : {body: typeof body === 'string' ? body : JSON.stringify(body)}),
  })
  return {status: answer.status, headers: answer.headers, ...JSON.parse(answer.body)}
}

/** The id of a demo variant. */
export function variantOf(sandbox: Sandbox, sku: string): string {
  return sandbox.state.world.get<{id: string}>('SELECT id FROM variants WHERE sku = ?', sku)?.id ?? ''
}

/** Calls a control of the sandbox. */
export function control(sandbox: Sandbox, method: string, path: string, body?: unknown): Promise<Answer> {
  const headers = {authorization: `Bearer ${sandbox.adminToken}`}
  return raw(sandbox, method, `/__sandbox/v1/${path}`, {headers, body})
}

/**
 * Opens a new sandbox before each test of a file; after it, checks that no money or stock is lost, and closes it.
 * Returns what replaces the sandbox inside a test, by one with other options.
 */
export function useSandbox(take: (sandbox: Sandbox) => void, usual: SandboxOptions = {}) {
  let open: Sandbox | undefined
  const close = async () => {
    if (open === undefined) return
    expect(checkWorld(open.state.world)).toEqual([])
    await open.close()
    open = undefined
  }
  const reopen = async (options: SandboxOptions = {}) => {
    await close()
    open = await createSandbox({...usual, ...options})
    take(open)
  }
  beforeEach(() => reopen())
  afterEach(close)
  return reopen
}

export type Caller = ReturnType<typeof callerOf>

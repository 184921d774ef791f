import {mkdirSync} from 'node:fs'
import {expect} from 'vitest'
import {login} from '../../src/flows/login.ts'
import {createSandbox} from '../../src/sandbox/core/sandbox.ts'
import {removeSecret, saveSecret} from '../../src/store/credentials.ts'
import {type Folders, foldersOf} from '../../src/store/paths.ts'
import {changeConfig} from '../../src/store/profiles.ts'
import {saveLocator} from '../../src/store/sandbox.ts'
import {callerOf, control, variantOf} from '../sandbox/caller.ts'
import {bareHome} from './keyring.ts'
import {type Listening, listening} from './listening.ts'
import {scentAmongMany as scent} from './many.ts'
import type {Sandbox} from './types.ts'

const SKU = 'RML-SAF-050'

/** A sandbox on a port, and somebody who has logged in to it and uses the built program. */
export interface ServedDesk {
  sandbox: Sandbox
  env: NodeJS.ProcessEnv
  /** Runs the program to its end. */
  run(...argv: string[]): ReturnType<typeof scent>
  /** The same with --json: its document. Fails if it does not exit with `code`. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into documents of every shape
  json(argv: string[], code?: number): Promise<any>
  /** A listener with a subscription of its own. */
  listen(...argv: string[]): Promise<Listening>
  /** The id of the subscription that was made last. */
  webhook(): string
  /** Orders a fault of the next delivery, as a person does. */
  fault(way: string, ...more: string[]): Promise<void>
  /** The same of the first two attempts: the third comes minutes later, however slow the machine is. */
  faultTwice(way: string): Promise<void>
  /** Has the sandbox send an event; its id. */
  emit(n: number, type?: string): Promise<string>
  /** Orders, and has the sandbox raise a notice; its id. */
  raise(): Promise<string>
  /** Resolves once nothing is on its way. */
  settled(): Promise<void>
  advance(seconds: number): Promise<void>
  close(): Promise<void>
}

/** What \`auth login --sandbox --storage file\` leaves behind, without a run of the program. */
async function logIn(
  folders: Folders,
  baseUrl: string,
  credential: Sandbox['credentials'][number] | undefined,
) {
  if (credential === undefined) throw new Error('the sandbox has no partner')
  const {clientId, clientSecret} = credential
  await login(
    {name: 'sandbox', storage: 'file', baseUrl, clientId, clientSecret},
    {
      prove: async () => {},
      before: undefined,
      saveSecret: (place, secret) => saveSecret(folders, place, secret),
      removeSecret: (place) => removeSecret(folders, place),
      changeConfig: (change) => changeConfig(folders, change),
    },
  )
}

/** `assume`: the assumptions of its sandbox that are turned, such as H04=id-only. */
export async function openServedDesk(assume: string[] = []): Promise<ServedDesk> {
  const sandbox = await createSandbox({limits: false, assume})
  const baseUrl = await sandbox.listen()
  const env: NodeJS.ProcessEnv = {...bareHome(), SCENT_WEBHOOK_SECRET: ''}
  for (const name of ['config', 'state']) mkdirSync(`${env.HOME}/${name}`, {mode: 0o700})
  const {adminToken, credentials} = sandbox
  const eventTypes = [...sandbox.eventTypes]
  const adminUrl = `${baseUrl}/__sandbox/v1`
  const folders = foldersOf(env)
  saveLocator(folders, {baseUrl, adminUrl, adminToken, pid: process.pid, credentials, eventTypes})
  await logIn(folders, baseUrl, credentials[0])
  const listeners: Listening[] = []
  let orders = 0
  const run = (...argv: string[]) => scent(env, argv)
  const json = async (argv: string[], code = 0) => {
    const ended = await run(...argv, '--json')
    expect([ended.code, ended.code === code ? '' : ended.stdout + ended.stderr]).toEqual([code, ''])
    return JSON.parse(ended.stdout)
  }
  return {
    ...{sandbox, env, run, json},
    async listen(...argv) {
      const listener = await listening(env, '--subscribe', ...argv)
      listeners.push(listener)
      return listener
    },
    webhook() {
      const [last] = sandbox.state.world.all<{id: string}>('SELECT id FROM subscriptions ORDER BY n DESC')
      if (last === undefined) throw new Error('there is no subscription')
      return last.id
    },
    async fault(way, ...more) {
      const line = ['sandbox', 'fault', '--delivery', way, '--times', '1', ...more]
      expect(await json(line)).toMatchObject({effect: 'delivery', delivery: way, times: 1, met: 0})
    },
    async faultTwice(way) {
      await json(['sandbox', 'fault', '--delivery', way, '--times', '2'])
    },
    async emit(n, type = 'order.completed') {
      const {payload} = await control(sandbox, 'POST', 'events', {type, data: {n}})
      return payload.event?.eventId as string
    },
    async raise() {
      orders += 1
      const [reference, caller] = [`PO-${orders}`, callerOf(sandbox)]
      const {payload} = await caller.filled(reference, {[variantOf(sandbox, SKU)]: 2})
      await caller.order(reference, payload.lockId, reference)
      const body = {lineId: SKU, availableQuantity: 1}
      const raised = await control(sandbox, 'POST', `orders/${reference}/notices`, body)
      await sandbox.state.deliverer.settled()
      return raised.payload.notice.id
    },
    settled: () => sandbox.state.deliverer.settled(),
    advance: async (seconds) => void (await control(sandbox, 'POST', 'clock', {advanceSeconds: seconds})),
    async close() {
      await Promise.all(listeners.map((listener) => listener.stop()))
      await sandbox.close()
    },
  }
}

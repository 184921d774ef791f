import {readdirSync} from 'node:fs'
import {describe, expect, test} from 'vitest'
import {openJobs} from '../../src/bulk/journal.ts'
import type {Failure} from '../../src/contract/failure.ts'
import type {Identity} from '../../src/store/paths.ts'
import {changeConfig} from '../../src/store/profiles.ts'
import {identity, planJob} from '../support/bulk.ts'
import {folder} from '../support/program.ts'

const about = {kind: 'orders', file: '/f.csv', fileHash: 'hash', program: 'test', options: {}} as const
const wish = {
  reference: 'PO-1',
  customerRef: 'C-1',
  lines: [{variantId: '3f2b8c1e-9d2a-4c3b-8e6f-1a2b3c4d5e6f', quantity: 1}],
}
const filesIn = (place: string) =>
  readdirSync(place, {recursive: true, encoding: 'utf8'}).filter((name) => /\.ndjson(\.plan)?$/.test(name))

describe('a job', () => {
  test('has one runner at a time', async () => {
    const place = folder()
    const job = await planJob([wish], place)
    const [same] = openJobs({config: place, state: place}, identity).list()
    const release = job.run()
    expect(() => same?.run()).toThrow(expect.objectContaining({code: 'BUSY'}))
    expect(same?.isRunning()).toBe(true)
    release()
    expect(same?.isRunning()).toBe(false)
    same?.run()()
  })

  test('is found again by its id, by the same identity alone', async () => {
    const place = folder()
    const folders = {config: place, state: place}
    const {head} = await planJob([wish], place)
    expect(openJobs(folders, identity).open(head.id).head).toEqual(head)
    const other = openJobs(folders, {...identity, clientId: 'another'})
    expect(other.list()).toEqual([])
    expect(() => other.open(head.id)).toThrow(expect.objectContaining({code: 'INVALID_INPUT'}))
  })

  describe('of another identity of this user', () => {
    const place = folder()
    const folders = {config: place, state: place}
    const partner = '3f2b8c1e-9d2a-4c3b-8e6f-1a2b3c4d5e6f'
    const mine = {...identity, clientId: 'mine'}
    const refusal = (id: string, own: Identity) => {
      try {
        return openJobs(folders, own).open(id).head
      } catch (error) {
        const {code, message, hint} = error as Failure
        return {code, message, hint}
      }
    }

    test.each<[string, Identity, string, (id: string) => string]>([
      [
        'is named with its profile, and the way to it',
        {...mine, clientId: 'other'},
        'belongs to profile "shop"',
        (id) => `\`scent jobs show ${id} --profile shop\` shows it.`,
      ],
      [
        'and the partner acted for',
        {...mine, clientId: 'other', onBehalfOf: partner},
        `belongs to profile "shop", acting for ${partner}`,
        (id) => `\`scent jobs show ${id} --profile shop --as ${partner}\` shows it.`,
      ],
      [
        'or with its credential where no profile has it',
        {...mine, clientId: 'gone'},
        'belongs to client id gone of http://127.0.0.1:1',
        () => 'Give that credential and host; `scent auth list` shows the profiles.',
      ],
    ])('%s', async (_, owner, whose, hint) => {
      const profile = {baseUrl: 'http://127.0.0.1:1/api', clientId: 'other', storage: 'file'} as const
      await changeConfig(folders, (config) => {
        config.profiles = {own: {...profile, clientId: 'mine'}, shop: profile}
      })
      const {head} = await planJob([wish], place, owner)
      expect(refusal(head.id, mine)).toEqual({
        code: 'INVALID_INPUT',
        message: `Job ${head.id} ${whose}.`,
        hint: hint(head.id),
      })
      expect(refusal(head.id, owner)).toEqual(head)
    })

    test('is none where it is asked for by a path, as any id that there is not', async () => {
      const {head} = await planJob([wish], place, {...mine, clientId: 'other'})
      for (const id of ['none', `../jobs/${head.id}`, ''])
        expect(refusal(id, mine)).toMatchObject({
          message: `There is no job ${JSON.stringify(id)} under this profile.`,
        })
    })
  })

  test('whose plan was dropped, or cut off, leaves nothing behind', async () => {
    const place = folder()
    const jobs = openJobs({config: place, state: place}, identity)
    const dropped = await jobs.draft(about, '2026-11-20T03:00:00.000Z')
    dropped.drop()
    expect(filesIn(place)).toEqual([])
    await jobs.draft(about, '2026-11-20T03:00:00.000Z')
    expect(jobs.list()).toEqual([])
    expect(filesIn(place).filter((name) => !name.endsWith('.plan'))).toEqual([])
    expect(filesIn(place)).toHaveLength(1)
  })
})

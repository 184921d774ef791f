import {describe, expect, it} from 'vitest'
import {type SharedFile, unshared} from '../../src/client/shared.ts'
import {openTokens} from '../../src/client/token.ts'
import {Failure} from '../../src/contract/failure.ts'
import {virtualTime} from '../support/virtual-time.ts'

type TokenOptions = Parameters<typeof openTokens>[0]

const credential = {clientId: 'c', clientSecret: 's'}

/** Processes on one cache, and a service that mints token-1, token-2 … */
function machine({lifeSeconds = 300, mintMs = 100} = {}) {
  const time = virtualTime()
  const skew = {wall: 0, ticks: 0}
  const cache = oneAtATime(unshared())
  const mints: string[] = []
  const process = (options: Partial<TokenOptions> = {}) =>
    openTokens({
      cache,
      credential: async () => credential,
      async exchange() {
        await time.sleep(mintMs)
        mints.push(`token-${mints.length + 1}`)
        return {accessToken: mints.at(-1) ?? '', expiresIn: lifeSeconds}
      },
      now: () => time.now() + skew.wall,
      ticks: () => time.now() + skew.ticks,
      sleep: time.sleep,
      ...options,
    })
  return {time, skew, cache, mints, process}
}

function oneAtATime(file: SharedFile): SharedFile {
  let busy = false
  return {
    ...file,
    async alone(work) {
      if (busy) return undefined
      busy = true
      return {
        result: await work().finally(() => {
          busy = false
        }),
      }
    },
  }
}

describe('tokens of several processes', () => {
  it('are minted once for 50 that start at the same moment', async () => {
    const {time, mints, process} = machine()
    const all = await time.run(Promise.all(Array.from({length: 50}, () => process().get())))
    expect(new Set(all)).toEqual(new Set(['token-1']))
    expect(mints).toHaveLength(1)
  })

  it('are used as they are above 60 s', async () => {
    const {time, mints, process} = machine()
    await time.run(process().get())
    time.advance(239_000)
    expect(await time.run(process().get())).toBe('token-1')
    expect(mints).toHaveLength(1)
  })

  it('are renewed by one process between 60 and 15 s, while the others use the old one', async () => {
    const {time, mints, process} = machine()
    await time.run(process().get())
    time.advance(250_000)
    const all = await time.run(Promise.all([process().get(), process().get(), process().get()]))
    expect(all.sort()).toEqual(['token-1', 'token-1', 'token-2'])
    expect(mints).toHaveLength(2)
  })

  it('are waited for below 15 s', async () => {
    const {time, mints, process} = machine()
    await time.run(process().get())
    time.advance(286_000)
    expect(await time.run(Promise.all([process().get(), process().get()]))).toEqual(['token-2', 'token-2'])
    expect(mints).toHaveLength(2)
  })

  it('keep serving while a renewal fails', async () => {
    const {time, process} = machine()
    await time.run(process().get())
    time.advance(250_000)
    const exchange = async () => {
      throw new Failure('SERVICE_UNAVAILABLE', {httpStatus: 503, effect: 'none'})
    }
    expect(await time.run(process({exchange}).get())).toBe('token-1')
  })

  it('are minted without the lock where its holder hangs', async () => {
    const {time, process} = machine()
    void process({exchange: () => new Promise(() => {})}).get()
    const before = time.now()
    expect(await time.run(process().get())).toBe('token-1')
    expect(time.now() - before).toBeGreaterThanOrEqual(10_000)
  })
})

describe('the age of a token', () => {
  it.each([
    ['the machine slept: only the wall clock went on', {wall: 290_000, ticks: 0}],
    ['the wall clock was set back: only the ticks went on', {wall: -1, ticks: 290_000}],
    ['the machine was restarted: the ticks began anew', {wall: 1_000, ticks: -500_000}],
    ['the wall clock is before the mint', {wall: -3_600_000, ticks: 0}],
  ])('is not trusted when %s', async (_, moved) => {
    const {time, skew, mints, process} = machine()
    await time.run(process().get())
    Object.assign(skew, moved)
    expect(await time.run(process().get())).toBe('token-2')
    expect(mints).toHaveLength(2)
  })
})

describe('an expired token', () => {
  it('is replaced by what another process minted meanwhile', async () => {
    const {time, mints, process} = machine()
    const [one, other] = [process(), process()]
    const stale = await time.run(one.get())
    await time.run(other.get())
    expect(await time.run(one.renew(stale))).toBe('token-2')
    expect(await time.run(other.renew(stale))).toBe('token-2')
    expect(mints).toHaveLength(2)
  })

  it('is replaced once for all calls of a process that met it', async () => {
    const {time, mints, process} = machine()
    const one = process()
    const stale = await time.run(one.get())
    const all = await time.run(Promise.all(Array.from({length: 10}, () => one.renew(stale))))
    expect(new Set(all)).toEqual(new Set(['token-2']))
    expect(mints).toHaveLength(2)
  })
})

describe('a token that the service calls invalid', () => {
  it('is not used again, and nothing is minted for it before the next request', async () => {
    const {time, mints, process} = machine()
    const one = process()
    const token = await time.run(one.get())
    time.advance(31_000)
    one.forget(token)
    expect(mints).toHaveLength(1)
    expect(await time.run(process().get())).toBe('token-2')
  })

  it('stays where it is brand-new, so that a loop mints no tokens', async () => {
    const {time, mints, process} = machine()
    for (let n = 0; n < 20; n += 1) {
      const one = process()
      one.forget(await time.run(one.get()))
    }
    expect(mints).toHaveLength(1)
  })

  it('stays where another process has replaced it', async () => {
    const {time, mints, process} = machine()
    const one = process()
    await time.run(one.get())
    time.advance(31_000)
    one.forget('token-0')
    expect(await time.run(process().get())).toBe('token-1')
    expect(mints).toHaveLength(1)
  })
})

describe('a refused credential', () => {
  const refusing = (mints: string[]) => async () => {
    mints.push('refused')
    throw new Failure('UNAUTHORIZED_INVALID_CREDENTIALS', {httpStatus: 401, effect: 'refused'})
  }

  it('is remembered for 30 s, so that a loop does not use up the quota', async () => {
    const {time, process} = machine()
    const tried: string[] = []
    for (let n = 0; n < 5; n += 1) {
      await expect(time.run(process({exchange: refusing(tried)}).get())).rejects.toMatchObject({
        code: 'UNAUTHORIZED_INVALID_CREDENTIALS',
        exitCode: 3,
      })
    }
    expect(tried).toHaveLength(1)
    time.advance(30_001)
    await expect(time.run(process({exchange: refusing(tried)}).get())).rejects.toThrow()
    expect(tried).toHaveLength(2)
  })

  it('is tried at once when it was corrected', async () => {
    const {time, process} = machine()
    await expect(time.run(process({exchange: refusing([])}).get())).rejects.toThrow()
    const corrected = process({credential: async () => ({...credential, clientSecret: 'right'})})
    expect(await time.run(corrected.get())).toBe('token-1')
  })

  it('leaves no secret behind', async () => {
    const {time, cache, process} = machine()
    const secret = async () => ({...credential, clientSecret: 'canary-secret'})
    await expect(time.run(process({exchange: refusing([]), credential: secret}).get())).rejects.toThrow()
    expect(cache.read()).not.toContain('canary-secret')
  })
})

it('a token that no header can hold is refused, and not kept', async () => {
  const {time, cache, process} = machine()
  const exchange = async () => ({accessToken: 'a\r\nX-Evil: 1', expiresIn: 300})
  await expect(time.run(process({exchange}).get())).rejects.toMatchObject({code: 'ODD_ANSWER'})
  expect(cache.read()).toBeUndefined()
})

it.each(['', '{', '{"v":2}', '{"v":1,"token":"x"}', '{"v":1,"token":{"text":"x"}}'])(
  'a cache that says nothing sensible counts as empty: %s',
  async (text) => {
    const {time, cache, process} = machine()
    cache.write(text)
    expect(await time.run(process().get())).toBe('token-1')
  },
)

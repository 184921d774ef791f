import {spawnSync} from 'node:child_process'
import {describe, expect, it} from 'vitest'
import {Failure} from '../src/contract/failure.ts'
import {withStory} from '../src/terminal/interrupts.ts'
import {program} from './support/program.ts'

const stuck = program(`
  import {ScentCommand} from './src/command.ts'
  import {outputFlags} from './src/terminal/flags.ts'
  import {runDirectly} from './src/start.ts'
  class Stuck extends ScentCommand {
    static id = 'stuck'
    static args = {}
    static flags = outputFlags
    async run() {
      await this.parse(Stuck)
      await new Promise(() => {})
    }
  }
  void runDirectly(Stuck, process.argv.slice(2))
`)

describe('a command that waits for something that never comes', () => {
  it.each([
    ['for a person', [], 'stderr'],
    ['as JSON', ['--json'], 'stdout'],
  ] as const)('ends as a failure, %s', (_, argv, stream) => {
    const ran = spawnSync(process.execPath, [stuck, ...argv], {encoding: 'utf8', timeout: 30_000})
    expect(ran.status).toBe(1)
    expect(ran[stream]).toContain('waits for something that never comes')
  })
})

describe('an unexpected failure', () => {
  const bug = new Failure('UNEXPECTED', {message: 'This is a bug in scent: x'})
  const sent = {story: () => '', changed: () => undefined, open: () => undefined}

  it('after a request without a final answer leaves the outcome unknown, and names the request', () => {
    const failure = withStory(bug, undefined, {...sent, open: () => 'POST /scent/orders'})
    expect(failure).toMatchObject({code: 'OUTCOME_UNKNOWN', exitCode: 12})
    expect(failure.message).toMatch(/bug in scent: x.* POST \/scent\/orders had left without a final answer/)
  })

  it('after an answered change says what stays changed', () => {
    const failure = withStory(bug, undefined, {...sent, changed: () => 'POST /scent/orders'})
    expect(failure).toMatchObject({code: 'UNEXPECTED', exitCode: 1})
    expect(failure.message).toContain('POST /scent/orders was answered')
  })

  it('before anything was sent is told as it is', () => {
    expect(withStory(bug, undefined, sent)).toBe(bug)
    expect(withStory(bug, undefined, undefined)).toBe(bug)
  })
})

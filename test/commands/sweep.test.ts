import {readFileSync} from 'node:fs'
import {describe, expect, it} from 'vitest'
import {scentAmongMany as scent} from '../support/many.ts'
import {userOf} from '../support/service.ts'

interface Flag {
  summary?: string
  description?: string
  name: string
  type: string
  required?: boolean
}

interface Command {
  id: string
  summary?: string
  description?: string
  examples?: unknown[]
  flags: Record<string, Flag>
  args: Record<string, {description?: string; required?: boolean}>
}

const manifest = JSON.parse(readFileSync(new URL('../../oclif.manifest.json', import.meta.url), 'utf8'))
const commands = (Object.values(manifest.commands) as Command[]).filter(({id}) => id !== 'help')

/** A user of a service that is not there, so that whatever a command does, nothing answers. */
const nobody = () => userOf('http://127.0.0.1:1')

const words = ({id}: Command) => id.split(':')

/** Values that pass a command's own checks, as far as a sweep can know them. */
const given: Record<string, string> = {
  id: '6c1f8a52-3f0e-4b1d-9a70-5d2c8e1b7f43',
  variant: '6c1f8a52-3f0e-4b1d-9a70-5d2c8e1b7f43',
  method: 'GET',
  path: 'scent/variants',
}

/** Those that call the service, without those that ask for much more than an argument first. */
const callers = commands.filter(
  ({id, flags}) =>
    'max-wait' in flags &&
    !/^(auth|sandbox|checkout)\b|^(orders|webhooks|jobs):list$|^notices:(import|inbox|show)$|^webhooks:(listen|events|verify|replay|prune|timeline)$/.test(
      id,
    ),
)

// A shell calls it while somebody types: it refuses nothing.
const open = commands.filter(({id}) => id !== 'complete')

describe('every command', () => {
  it.each(commands.map((command) => [command.id, command] as const))(
    '%s has a help worth reading',
    (_, command) => {
      expect(command.summary).toMatch(/^[A-Z].*\.$/)
      expect(command.description?.length).toBeGreaterThan(20)
      expect(command.examples?.length).toBeGreaterThan(0)
      for (const [name, flag] of Object.entries(command.flags)) {
        expect(flag.summary ?? flag.description, `--${name}`).toMatch(/[.:]$/)
      }
      for (const [name, arg] of Object.entries(command.args)) expect(arg.description, name).toMatch(/\.$/)
    },
  )

  // These print one thing for another program, whatever is asked.
  const speakers = commands.filter(
    ({id}) => !['auth:token', 'autocomplete', 'complete', 'update-check'].includes(id),
  )

  it.each(speakers.map((command) => [command.id, command] as const))(
    '%s takes the output flags',
    (_, {flags}) => {
      for (const name of ['json', 'output', 'columns', 'query', 'no-input', 'yes', 'debug']) {
        expect(flags, `--${name}`).toHaveProperty(name)
      }
    },
  )

  it.concurrent.each(open.map((command) => [command.id, command] as const))(
    '%s refuses a flag that it does not know, and tells a script so',
    async (_, command) => {
      const {code, stdout, stderr} = await scent(nobody(), [...words(command), '--no-such-flag', '--json'])
      expect({code, stderr}).toEqual({code: 2, stderr: ''})
      expect(JSON.parse(stdout).error).toMatchObject({exitCode: 2, remedy: 'fix'})
    },
  )

  it.concurrent.each(callers.map((command) => [command.id, command] as const))(
    '%s tells a script of a service that is not there',
    async (_, command) => {
      const args = Object.keys(command.args).map((name) => given[name] ?? '')
      const more = [
        'customer' in command.flags ? '--customer=C-1' : '',
        'quantity' in command.flags ? '--quantity=2' : '',
      ]
      const argv = [...words(command), ...args, ...more.filter((flag) => flag !== ''), '--yes', '--json']
      const {code, stdout, stderr} = await scent(nobody(), argv)
      const {error} = JSON.parse(stdout)
      expect({code, stderr}).toEqual({code: error.exitCode, stderr: ''})
      // What a command misses beyond these arguments is named before anything is sent.
      const known = error.exitCode === 2 ? /^(MISSING|INVALID)_INPUT$/ : /^NO_CONNECTION$/
      expect(error.state).toMatch(known)
      expect([2, 10]).toContain(code)
    },
  )
})

// Runs command lines of the built program one after another in this process, for tests that need thousands of runs. It
// gets each as a message and answers what it printed.
import {createRequire} from 'node:module'
import {Readable} from 'node:stream'

const {run} = createRequire(import.meta.url)('../../dist/scent.cjs')
const home = process.cwd()
const streams = {stdout: process.stdout, stderr: process.stderr}

process.on('message', async ({env, argv, input, columns}) => {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  Object.assign(process.env, env)
  process.chdir(env.PWD ?? home)
  Object.defineProperty(process, 'stdin', {
    value: Readable.from(input ? [Buffer.from(input, 'base64')] : []),
    configurable: true,
  })
  const said = {stdout: [], stderr: []}
  for (const [name, stream] of Object.entries(streams)) {
    Object.assign(stream, {isTTY: columns !== undefined, columns})
    stream.write = (chunk, ...rest) => {
      said[name].push(Buffer.from(chunk))
      rest.at(-1)?.()
      return true
    }
  }
  process.exitCode = 0
  await run(argv)
  const [stdout, stderr] = [said.stdout, said.stderr].map((chunks) => Buffer.concat(chunks).toString())
  process.send({code: process.exitCode, stdout, stderr})
})

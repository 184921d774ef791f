// Runs command lines of the built program one after another in this process, for tests that need thousands of runs. It
// gets each as a message and answers what it printed.
import {createRequire} from 'node:module'

const {run} = createRequire(import.meta.url)('../../dist/scent.cjs')
const streams = {stdout: process.stdout, stderr: process.stderr}

process.on('message', async ({argv, columns}) => {
  const said = {stdout: '', stderr: ''}
  for (const [name, stream] of Object.entries(streams)) {
    Object.assign(stream, {isTTY: columns !== undefined, columns})
    stream.write = (chunk, ...rest) => {
      said[name] += chunk
      rest.at(-1)?.()
      return true
    }
  }
  process.exitCode = 0
  await run(argv)
  process.send({code: process.exitCode, ...said})
})

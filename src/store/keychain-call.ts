/**
 * One call of the keychain, run in a process of its own: a keychain that hangs blocks the calling thread in native
 * code, even before its promise exists, and only the end of the process ends that. The secret goes over pipes, never
 * argv. On Linux the Secret Service is pinned: the library's own fallback is the kernel's keyring, which forgets.
 */
export const CALL = `
const {AsyncEntry, findCredentialsAsync} = require(process.argv[1])
// Whoever waits counts from here: to start a process takes long on a busy machine.
require('node:fs').writeSync(1, '\\n')
const chunks = []
process.stdin.on('data', (chunk) => chunks.push(chunk)).on('end', async () => {
  const {service, account, action, secret} = JSON.parse(Buffer.concat(chunks).toString())
  let answer
  try {
    if (action === 'list') answer = {value: (await findCredentialsAsync(service)).map(({account}) => account)}
    const entry = new AsyncEntry(service, account, {linux: {store: 'secret-service'}})
    if (action === 'read') answer = {value: await entry.getPassword()}
    if (action === 'save') answer = {value: await entry.setPassword(secret) ?? null}
    if (action === 'remove') answer = {value: await entry.deleteCredential()}
  } catch (error) {
    answer = {failed: String(error.message)}
  }
  require('node:fs').writeSync(1, JSON.stringify(answer))
  process.exit()
})
`

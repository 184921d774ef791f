import {request} from 'node:https'
import {expect, test} from 'vitest'
import {createSandbox} from '../../src/sandbox/core/sandbox.ts'
import {certificate} from '../support/certificate.ts'

test('a certificate and its key make it serve https', async () => {
  const {cert, key} = certificate()
  const sandbox = await createSandbox({tls: {cert, key}})
  const baseUrl = await sandbox.listen()
  const status = await new Promise((answered, failed) => {
    const sent = request(`${baseUrl}/__sandbox/health`, {ca: cert}, (response) => {
      response.resume()
      answered(response.statusCode)
    })
    sent.on('error', failed).end()
  })
  await sandbox.close()
  expect(baseUrl).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
  expect(status).toBe(200)
})

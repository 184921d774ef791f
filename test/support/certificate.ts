import {execFileSync} from 'node:child_process'
import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {folder} from './program.ts'

/** A certificate that nobody has signed, for localhost, 127.0.0.1 and those names, and the file it lies in. */
export function certificate(
  name = 'api.example.test',
  ...more: string[]
): {key: string; cert: string; file: string} {
  const place = folder()
  const key = join(place, 'key.pem')
  const file = join(place, 'cert.pem')
  const hosts = ['localhost', name, ...more].map((host) => `DNS:${host}`)
  const names = `subjectAltName=IP:127.0.0.1,${hosts.join(',')}`
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
    ].concat('-keyout', key, '-out', file, '-subj', `/CN=${name}`, '-addext', names),
    {stdio: 'ignore'},
  )
  return {key: readFileSync(key, 'utf8'), cert: readFileSync(file, 'utf8'), file}
}

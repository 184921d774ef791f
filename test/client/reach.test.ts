import {describe, expect, it} from 'vitest'
import {proxyFor, requireSafe} from '../../src/client/reach.ts'

const PROXY = 'http://proxy.example.test:3128'

describe('this machine', () => {
  it.each([
    'http://localhost',
    'http://LOCALHOST.:80',
    'http://a.localhost',
    'http://127.0.0.1',
    'http://127.1',
    'http://0x7f.1',
    'http://2130706433',
    'http://[::1]',
    'http://[0:0:0:0:0:0:0:1]',
  ])('is %s', (url) => expect(() => requireSafe(new URL(url), {})).not.toThrow())

  it.each([
    'http://localhost.example.test',
    'http://127.0.0.1.example.test',
    'http://128.0.0.1',
    'http://10.0.0.1',
    'http://[::2]',
    'http://notlocalhost',
    'http://localhost@example.test',
  ])('is not %s', (url) => {
    expect(() => requireSafe(new URL(url), {})).toThrow('not an https URL')
  })
})

describe('the proxy', () => {
  it.each<[string, string, Record<string, string>, string | undefined]>([
    ['https goes by HTTPS_PROXY', 'https://a.test', {HTTPS_PROXY: PROXY, HTTP_PROXY: 'http://no'}, PROXY],
    ['small letters win', 'https://a.test', {https_proxy: PROXY, HTTPS_PROXY: 'http://no'}, PROXY],
    ['http goes by HTTP_PROXY', 'http://a.test', {HTTP_PROXY: PROXY}, PROXY],
    ['an empty variable is none', 'https://a.test', {HTTPS_PROXY: ''}, undefined],
    ['a scheme may be left out', 'https://a.test', {HTTPS_PROXY: 'p.test:1'}, 'http://p.test:1'],
    ['loopback has none', 'https://127.0.0.1:1', {HTTPS_PROXY: PROXY}, undefined],
    ['loopback has none by name', 'http://localhost:1', {HTTP_PROXY: PROXY}, undefined],
    ['a name in NO_PROXY', 'https://a.test', {HTTPS_PROXY: PROXY, NO_PROXY: 'b.test, a.test'}, undefined],
    ['what is below a name', 'https://x.a.test', {HTTPS_PROXY: PROXY, NO_PROXY: 'a.test'}, undefined],
    ['a name with a dot', 'https://x.a.test', {HTTPS_PROXY: PROXY, NO_PROXY: '.a.test'}, undefined],
    ['a name with a star', 'https://x.a.test', {HTTPS_PROXY: PROXY, NO_PROXY: '*.a.test'}, undefined],
    ['not what only ends like it', 'https://xa.test', {HTTPS_PROXY: PROXY, NO_PROXY: 'a.test'}, PROXY],
    ['its port', 'https://a.test:8443', {HTTPS_PROXY: PROXY, NO_PROXY: 'a.test:8443'}, undefined],
    ['not another port', 'https://a.test', {HTTPS_PROXY: PROXY, NO_PROXY: 'a.test:8443'}, PROXY],
    ['a star', 'https://a.test', {HTTPS_PROXY: PROXY, NO_PROXY: '*'}, undefined],
    ['a network', 'https://10.1.2.3', {HTTPS_PROXY: PROXY, NO_PROXY: '10.0.0.0/8'}, undefined],
    ['not another network', 'https://11.1.2.3', {HTTPS_PROXY: PROXY, NO_PROXY: '10.0.0.0/8'}, PROXY],
    [
      'an address of six',
      'https://[2001:db8::1]',
      {HTTPS_PROXY: PROXY, NO_PROXY: '[2001:db8::1]'},
      undefined,
    ],
    ['a network of six', 'https://[2001:db8::1]', {HTTPS_PROXY: PROXY, NO_PROXY: '2001:db8::/32'}, undefined],
    ['small no_proxy wins', 'https://a.test', {HTTPS_PROXY: PROXY, no_proxy: '', NO_PROXY: '*'}, PROXY],
  ])('%s', (_, url, env, proxy) => expect(proxyFor(new URL(url), env)).toBe(proxy))

  it.each(['socks5://p.test', 'http://', 'ht tp://x'])('must be http or https, not %s', (proxy) => {
    expect(() => proxyFor(new URL('https://a.test'), {HTTPS_PROXY: proxy})).toThrow('HTTPS_PROXY')
  })
})

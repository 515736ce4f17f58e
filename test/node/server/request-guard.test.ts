import { describe, expect, it } from 'vitest'
import { isCrossOrigin, isFetch, isHostAllowed, isOwnOrigin } from '#server/request-guard.ts'
import { isLoopbackHost } from '#record/service.ts'
import { ask } from './http-client.ts'
import { startTestServer } from './test-server.ts'

describe('host names', () => {
  const names = new Set(['wall.example', 'my_dashboard'])
  const cases: readonly [host: string | undefined, onLoopback: boolean, onNetwork: boolean][] = [
    ['127.0.0.1:7420', true, true],
    ['localhost', true, true],
    ['LOCALHOST:1', true, true],
    ['[::1]:7420', true, true],
    ['wall.example:7420', true, true],
    ['Wall.Example', true, true],
    ['my_dashboard:7420', true, true],
    ['192.168.1.5:7420', false, true],
    ['[fe80::1]:7420', false, true],
    ['attacker.example', false, false],
    ['127.0.0.1.attacker.example', false, false],
    ['localhost.attacker.example', false, false],
    ['wall.example.attacker.example', false, false],
    ['wall.example@attacker.example', false, false],
    ['wall.example:7420:1', false, false],
    ['wall.example, attacker.example', false, false],
    ['attacker.example@127.0.0.1', false, false],
    ['attacker.example/127.0.0.1', false, false],
    ['attacker.example, localhost:7420', false, false],
    ['attacker.example [::1]', false, false],
    [' 127.0.0.1', false, false],
    ['127.0.0.1:', false, false],
    ['127.0.0.1:123456', false, false],
    ['127.0.0.1:x', false, false],
    ['127.100.200.255:7420', true, true],
    ['[::1', false, false],
    ['::1', false, false],
    ['[]', false, false],
    ['[::g]', false, false],
    ['[fe80::1].attacker.example', false, false],
    ['192.168.1.5.attacker.example', false, false],
    ['', false, false],
    [undefined, false, false],
  ]
  it.each(cases)('%s is allowed on loopback: %s, on a network: %s', (host, onLoopback, onNetwork) => {
    expect(isHostAllowed(host, { loopbackOnly: true, names })).toBe(onLoopback)
    expect(isHostAllowed(host, { loopbackOnly: false, names })).toBe(onNetwork)
  })

  it.each('127.0.0.1 127.8.8.8 127.100.200.255 [::1] LocalHost ::1 localhost'.split(' '))(
    '%s is loopback',
    (host) => expect(isLoopbackHost(host)).toBe(true),
  )

  const ELSEWHERE = `
    128.0.0.1 127.0.0 1127.0.0.1 127.0.0.1.1 127x0.0.1 127.0x0.1 127.0.0x1 x::1 ::1x ::11 0.0.0.0 ::
    192.168.1.5 127.0.0.1.example nodes.example`
  it.each(['', ...ELSEWHERE.trim().split(/\s+/)])('%s is not loopback', (host) =>
    expect(isLoopbackHost(host)).toBe(false),
  )

  it.each(['/', '/config.json', '/services', '/proxy/x/node/status', '/assets/index-1.js'])(
    'a foreign name gets 421 for %s, with a hint at --allow-host',
    async (path) => {
      const { url } = await startTestServer()
      const answer = await ask(url, path, { headers: { host: 'attacker.example' } })
      expect(answer.status).toBe(421)
      expect(answer.body.toString()).toContain('--allow-host')
      expect(answer.body.toString()).not.toContain('attacker')
    },
  )

  it('an allowed name gets the page', async () => {
    const { url } = await startTestServer({ allowedHosts: ['Wall.example'] })
    expect((await ask(url, '/', { headers: { host: 'wall.example:80' } })).status).toBe(200)
  })
})

describe('origins', () => {
  const host = '127.0.0.1:7420'
  it.each([
    [{ host }, false],
    [{ host, origin: `http://${host}` }, false],
    [{ host, origin: `https://${host}` }, false],
    [{ host, origin: 'http://127.0.0.1:7421' }, true],
    [{ host, origin: 'null' }, true],
    [{ host, origin: 'http://attacker.example' }, true],
    [{ host, 'sec-fetch-site': 'same-origin' }, false],
    [{ host, 'sec-fetch-site': 'same-site' }, true],
    [{ host, 'sec-fetch-site': 'cross-site' }, true],
    [{ host, 'sec-fetch-site': 'none' }, true],
    [{ host, 'sec-fetch-site': 'cross-site', origin: `http://${host}` }, true],
    [{ host, 'sec-fetch-site': 'same-origin', origin: 'http://attacker.example' }, true],
    [{ host: 'a.example', 'sec-fetch-site': 'same-origin', origin: 'https://a.example:8443' }, false],
    [{ host: 'a.example', origin: 'http://a.example:8443' }, true],
  ])('%o is cross-origin: %s', (headers, foreign) => expect(isCrossOrigin(headers)).toBe(foreign))

  it.each([`http://${host}.attacker.example`, `http://x${host}`, `http://attacker.example/${host}`])(
    '%s is another origin, although it contains this server’s host',
    (origin) => {
      expect(isOwnOrigin(origin, host)).toBe(false)
    },
  )

  it('an origin must be in lower case, unlike the Host', () => {
    expect(isOwnOrigin('http://wall.example', 'Wall.Example')).toBe(true)
    expect(isOwnOrigin('http://Wall.Example', 'Wall.Example')).toBe(false)
  })

  it('a missing origin or host is never the server’s own', () => {
    expect(isOwnOrigin(undefined, host)).toBe(false)
    expect(isOwnOrigin(`http://${host}`, undefined)).toBe(false)
  })

  it.each([
    [{}, false],
    [{ 'sec-fetch-dest': 'empty' }, false],
    [{ 'sec-fetch-dest': 'script' }, true],
    [{ 'sec-fetch-dest': 'document' }, true],
  ])('%o is embedded: %s', (headers, embedded) => expect(isFetch(headers)).toBe(!embedded))

  it.each([
    [{}, 200],
    [{ 'sec-fetch-site': 'same-origin' }, 200],
    [{ 'sec-fetch-site': 'none' }, 200],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'same-site' }, 403],
    [{ origin: 'http://attacker.example' }, 403],
  ])('a request for the configuration with %o gets %i', async (headers, status) => {
    const { url } = await startTestServer()
    expect((await ask(url, '/config.json', { headers })).status).toBe(status)
  })
})

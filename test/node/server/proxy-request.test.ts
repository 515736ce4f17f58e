import { describe, expect, it } from 'vitest'
import { serviceIdOf } from '#record/service.ts'
import { PROFILES } from '#signing/presets.ts'
import { PROFILE_TRIES } from '#signing/profile-tries.ts'
import { parseServerConfig } from '#settings/documents.ts'
import type { Service } from '#settings/schema.ts'
import { proxyTarget, replyHeaders, upstreamHeaders, upstreamUrl } from '#server/proxy.ts'

const service = (given: object): Service => {
  const parsed = parseServerConfig({ version: 1, services: [given] })
  const found = parsed.ok ? parsed.value.services[0] : undefined
  if (found === undefined) throw new Error('not a service')
  return found
}

describe('the target of a proxy request', () => {
  it.each([
    ['/proxy/x/node/status', ''],
    ['/proxy/x/node/status', 'node_id='],
    ['/proxy/x/node/status', 'node_id=0xAB'],
    ['/proxy/x/node/status', 'node_id=a%20b~c'],
    ['/proxy/x/node/status', `node_id=${'a'.repeat(400)}`],
  ])('%s?%s is forwarded unchanged', (path, query) =>
    expect(proxyTarget(path, query)).toEqual({ serviceId: 'x', query }),
  )

  it.each([
    ['/proxy/x/node/statu', ''],
    ['/proxy/x/node/status/', ''],
    ['/proxy/x//node/status', ''],
    ['/proxy//node/status', ''],
    ['/proxy/x/y/node/status', ''],
    ['/proxy/x/node/../node/status', ''],
    ['/proxy/x/admin', ''],
    ['/x/proxy/x/node/status', ''],
    ['/proxy/x/node/status', 'node_id=%4'],
    ['/proxy/x/node/status', 'node_id=%'],
    [`/proxy/${'x'.repeat(1_001)}/node/status`, ''],
    ['/proxy/x/node/status', 'node_id=1&node_id=2'],
    ['/proxy/x/node/status', 'other=1'],
    ['/proxy/x/node/status', 'node_id=1&other=1'],
    ['/proxy/x/node/status', 'node_id=1;other=1'],
    ['/proxy/x/node/status', 'node_id=%zz'],
    ['/proxy/x/node/status', 'node_id=a/b'],
    ['/proxy/x/node/status', 'node_id=a+b'],
    ['/proxy/x/node/status', `node_id=${'a'.repeat(401)}`],
  ])('%s?%s is rejected', (path, query) => expect(proxyTarget(path, query)).toBeUndefined())

  it('may be a service with a path in its base URL', () => {
    const below = service({ baseUrl: 'https://node.example:8443/api/v1' })
    expect(proxyTarget(`/proxy/${serviceIdOf(below.baseUrl)}/node/status`, '')?.serviceId).toBe(
      serviceIdOf(below.baseUrl),
    )
    expect(upstreamUrl(below, 'node_id=0xaa').href).toBe(
      'https://node.example:8443/api/v1/node/status?node_id=0xaa',
    )
  })
})

describe('headers to the service', () => {
  it('include, for a service added by a browser, only those that signing needs', () => {
    const names = ['X-Original-URL', 'Range', 'X-My-Signature']
    const profile = {
      message: { kind: 'template', template: '{origin}' },
      headers: Object.fromEntries(names.map((name) => [name, '{sig.hex}'])),
    }
    const own = service({ baseUrl: 'https://node.example', profile })
    const headers = { 'x-original-url': '/admin', range: 'bytes=0-1', 'x-my-signature': 's' }
    expect(upstreamHeaders(headers, own, true)).toMatchObject(headers)
    const { 'x-my-signature': signature, ...others } = upstreamHeaders(headers, own, false)
    expect([signature, Object.keys(others)]).toEqual(['s', ['accept', 'accept-encoding', 'user-agent']])
  })

  const signature = {
    authorization: 'Bearer aa',
    'x-node-key': 'k',
    'x-node-timestamp': '1',
    'x-node-nonce': 'n',
    signature: 's',
    'signature-input': 'i',
  }
  it('are those of the signature, Accept, Accept-Encoding and User-Agent', () => {
    const headers = {
      ...signature,
      host: '127.0.0.1:7420',
      cookie: 'a=b',
      origin: 'http://127.0.0.1:7420',
      referer: 'http://127.0.0.1:7420/',
      'user-agent': 'Browser',
      'accept-encoding': 'br',
      'accept-language': 'de',
      'sec-fetch-site': 'same-origin',
      'x-forwarded-for': '1.2.3.4',
      'x-api-key': 'k',
      connection: 'x-node-key',
    }
    expect(upstreamHeaders(headers, service({ baseUrl: 'https://node.example' }), true)).toEqual({
      ...signature,
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'immune-node-dashboard',
    })
  })

  it('exclude names that only resemble those of a signature', () => {
    const others = [
      'proxy-authorization',
      'authorization-x',
      'x-signature',
      'signature-x',
      'x-node-',
      'x-x-node-a',
    ]
    const headers = Object.fromEntries(others.concat('x-node-other-1').map((name) => [name, 'v']))
    expect(upstreamHeaders(headers, service({ baseUrl: 'https://node.example' }), true)).toEqual({
      'x-node-other-1': 'v',
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'immune-node-dashboard',
    })
  })

  it('include those of every built-in profile, so that each can be tried', () => {
    const profiles = [...Object.values(PROFILES), ...PROFILE_TRIES.map(({ profile }) => profile)]
    const names = profiles
      .flatMap((profile) => Object.keys(profile?.headers ?? {}))
      .map((name) => name.toLowerCase())
    const headers = Object.fromEntries(names.map((name) => [name, 'v']))
    expect(upstreamHeaders(headers, service({ baseUrl: 'https://node.example' }), true)).toMatchObject(
      headers,
    )
  })

  it('include those that the profile of the service names', () => {
    const profile = {
      message: { kind: 'template', template: '{path}' },
      headers: { 'X-Api-Key': '{key.hex}', Authorization: 'Bearer {sig.hex}' },
    }
    const headers = { 'x-api-key': 'k', 'x-other': 'o', cookie: 'a=b' }
    const forwarded = upstreamHeaders(headers, service({ baseUrl: 'https://node.example', profile }), true)
    expect(forwarded).toMatchObject({ 'x-api-key': 'k' })
    expect(forwarded).not.toHaveProperty('x-other')
    expect(forwarded).not.toHaveProperty('cookie')
  })
})

describe('headers to the browser', () => {
  it('exclude all that act on this origin, such as Set-Cookie and Location', () => {
    const kept = {
      date: 'Sat, 21 Nov 2026 04:00:00 GMT',
      'retry-after': '7',
      age: '3',
      'content-encoding': 'gzip',
      'content-type': 'application/problem+json; charset=utf-8',
      'www-authenticate': 'Bearer error="invalid_token"',
    }
    const dropped = {
      'x-upstream-status': '200',
      'set-cookie': 'a=b',
      location: 'https://attacker.example/',
      'access-control-allow-origin': '*',
      'clear-site-data': '"*"',
      'strict-transport-security': 'max-age=1',
      'service-worker-allowed': '/',
      'content-security-policy': 'default-src *',
      'cache-control': 'public, max-age=9',
      refresh: '0; url=https://attacker.example/',
      link: '</x>; rel=preload',
    }
    expect(replyHeaders({ ...kept, ...dropped })).toEqual(kept)
  })

  it.each([
    ['application/json', 'application/json'],
    ['text/html; charset=utf-8', 'text/html; charset=utf-8'],
    ['text/plain', 'text/plain'],
    ['text/javascript', 'application/octet-stream'],
    ['application/javascript', 'application/octet-stream'],
    ['text/css', 'application/octet-stream'],
    ['application/jsonp', 'application/octet-stream'],
    ['text/javascript; x=application/json', 'application/octet-stream'],
    ['x/application/json', 'application/octet-stream'],
  ])('have the content type %s as %s', (given, passed) =>
    expect(replyHeaders({ 'content-type': given })).toEqual({ 'content-type': passed }),
  )

  it.each([
    'Basic realm="Bearer"',
    'Basic x, Bearer y',
    'Bearerx',
    'Basic realm="x"',
    'Digest x',
    'Negotiate',
  ])('replace the challenge %s, which would prompt for a password, with X-Challenge', (challenge) =>
    expect(replyHeaders({ 'www-authenticate': challenge })).toEqual({
      'x-challenge': /^\w+/.exec(challenge)?.[0],
    }),
  )

  it.each([
    ['Bearer', 'Bearer'],
    ['bearer realm=a', 'bearer realm=a'],
    ['Bearer realm="a b", error=x', 'Bearer realm="a b", error=x'],
    ['Bearer error="x", Basic realm="y"', 'Bearer error="x"'],
    ['Bearer, Basic realm="y"', 'Bearer'],
    ['Bearer error="x",Basic', 'Bearer error="x"'],
    ['Bearer realm="a\\", Basic realm=\\"b"', undefined],
    ['Bearer realm="a, Basic realm=b', undefined],
    ['Bearer Basic realm="y"', undefined],
    ['Bearer abc==', undefined],
  ])('have of the challenges %j only %j', (given, passed) =>
    expect(replyHeaders({ 'www-authenticate': given })['www-authenticate']).toBe(passed),
  )

  it('exclude values that are invalid in a header', () =>
    expect(replyHeaders({ 'retry-after': '7\u00e4', date: '\u0001' })).toEqual({}))
})

import type { LookupAddress, LookupOptions } from 'node:dns'
import os from 'node:os'
import { describe, expect, it, vi, onTestFinished } from 'vitest'
import {
  isHostBlocked,
  isInReach,
  lookupWithin,
  readAddressList,
  resolveByDns,
  type Reach,
  type Resolve,
} from '#node/address-guard.ts'
import { createHttpClient } from '#node/http-client.ts'
import { startUpstream } from '#test/node/server/upstream-server.ts'

const kindOf = (address: string) =>
  isInReach(address, 'public') ? 'public' : isInReach(address, 'not-link-local') ? 'internal' : 'link-local'

describe('an address', () => {
  /** Both ends of each range, their neighbours, and IPv4 bits at positions that do not embed an address. */
  const KINDS = {
    'link-local': `
      169.254.169.254 100.100.100.200 168.63.129.16 224.0.0.1 255.255.255.255 fe80::1 fe80::1%eth0
      fd00:ec2::254 ff02::1 ::ffff:169.254.169.254 ::ffff:a9fe:a9fe ::169.254.169.254
      64:ff9b::a9fe:a9fe 2002:a9fe:a9fe:: ::ffff:0:169.254.169.254 fe80:1:2:3:4:5:6:7 169.254.0.0
      169.254.255.255 239.255.255.255 240.0.0.0 192.0.0.192 febf::1 fd20:ce::254`,
    internal: `
      127.0.0.1 0.0.0.0 10.1.2.3 100.64.0.1 172.31.255.255 192.168.1.1 ::1 :: ::ffff:127.0.0.1
      64:ff9b::7f00:1 2002:c0a8:101::1 fc00::1 fd12:3456::1 2001:0:1:2::3 ::2 ::ffff
      ::ffff:0:10.0.0.1 fd12:1:2:3:4:5:6:7 100.100.100.199 100.100.100.201 192.0.0.191 192.0.0.255
      fec0::1 feff::1 fd00:ec2::253 fd20:ce::255 0.255.255.255 10.255.255.255 100.127.255.255
      127.255.255.255 172.16.0.0 192.168.255.255 198.18.0.0 198.19.255.255 100::1 64:ff9b:1::1
      fdff:ffff::1`,
    public: `
      93.184.216.34 172.32.0.1 100.128.0.1 2606:4700::1111 ::ffff:8.8.8.8 ::8.8.8.8
      ::ffff:0:8.8.8.8 2606:4700::a9fe:a9fe 2606:4700:a9fe:a9fe:: ::1:0:0:a9fe:a9fe
      64:ff9b::1:7f00:1 2606:4700:1:2:3:4:5:6 169.253.255.255 169.255.0.0 223.255.255.255
      168.63.129.15 168.63.129.17 192.0.1.0 fe7f::1 1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255
      126.255.255.255 128.0.0.0 172.15.255.255 192.167.255.255 192.169.0.0 198.17.255.255
      198.20.0.0 100:0:0:1:: 64:ff9b:2::1 2001:1::1 fbff::1 64:ff9b::808:808`,
  }
  it.each(
    Object.entries(KINDS).flatMap(([kind, all]) =>
      all
        .trim()
        .split(/\s+/)
        .map((one) => [one, kind] as const),
    ),
  )('%s is %s', (address, kind) => {
    expect(isInReach(address, 'anywhere')).toBe(true)
    expect(kindOf(address)).toBe(kind)
  })

  const LINK_LOCAL = `
    169.254.169.254/latest 2852039166/ 0xa9fea9fe/ 0251.0376.0251.0376/ 169.16689662/
    [::ffff:169.254.169.254]/ [0:0:0:0:0:ffff:a9fe:a9fe]/ [fe80::1]/`
  it.each(LINK_LOCAL.trim().split(/\s+/))(
    'http://%s is blocked as link-local, however it is written',
    (address) => {
      const { hostname } = new URL(`http://${address}`)
      expect(isHostBlocked(hostname, 'not-link-local')).toBe(true)
      expect(isHostBlocked(hostname, 'anywhere')).toBe(false)
    },
  )
})

it.each(['10.0.0.1', '[::1]', '::1', '169.254.169.254'])('blocks the host %s without a lookup', (host) => {
  expect(isHostBlocked(host, 'public')).toBe(true)
  expect(isHostBlocked(host, 'anywhere')).toBe(false)
})

it.each(['node.example', '8.8.8.8', '[2606:4700::1111]', 'localhost', '10.0.0.1.example'])(
  'does not block the host %s, which is public or needs a DNS lookup',
  (host) => expect(isHostBlocked(host, 'public')).toBe(false),
)

const answering =
  (...addresses: readonly string[]): Resolve =>
  (_name, answer) =>
    answer(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )

describe('the lookup of a host name', () => {
  const found = (
    reach: Reach,
    options: LookupOptions,
    resolve: Resolve = answering('10.0.0.1', '93.184.216.34', '2606:4700::1111', '8.8.8.8'),
  ) =>
    new Promise<readonly unknown[]>((done) => {
      lookupWithin(reach, resolve)('a.example', options, (...given) => done(given))
    })

  it.each([
    [{ all: true }, ['93.184.216.34', '2606:4700::1111', '8.8.8.8']],
    [{ all: true, family: 0 }, ['93.184.216.34', '2606:4700::1111', '8.8.8.8']],
    [{ all: true, family: 4 }, ['93.184.216.34', '8.8.8.8']],
    [{ all: true, family: 6 }, ['2606:4700::1111']],
  ] as const)('with %o returns %j', async (options, addresses) => {
    expect(await found('public', options)).toEqual([
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    ])
  })

  it('returns the first address within reach unless all are requested', async () => {
    expect(await found('public', {})).toEqual([null, '93.184.216.34', 4])
    expect(await found('public', { all: false, family: 6 })).toEqual([null, '2606:4700::1111', 6])
    expect(await found('anywhere', {})).toEqual([null, '10.0.0.1', 4])
  })

  it('fails if no address is within reach or the name does not resolve', async () => {
    const [blocked, none] = await found('public', { all: true }, answering('10.0.0.1', '169.254.169.254'))
    expect([blocked, none]).toEqual([expect.objectContaining({ code: 'EADDRBLOCKED' }), []])
    expect(blocked).toMatchObject({ message: 'The address is not allowed' })
    expect(await found('public', { family: 6 }, answering('8.8.8.8'))).toMatchObject([
      { code: 'EADDRBLOCKED' },
      [],
    ])
    const missing = new Error('not found')
    expect(await found('public', {}, (_name, answer) => answer(missing, []))).toEqual([missing, []])
  })

  it('returns an IP literal as a list of one address', async () => {
    const addresses = await new Promise<readonly LookupAddress[]>((done) => {
      resolveByDns('127.0.0.1', (_error, all) => done(all))
    })
    expect(addresses).toEqual([{ address: '127.0.0.1', family: 4 }])
  })

  it('blocks the request if no address is allowed', async () => {
    const base = await startUpstream((_request, response) => response.end('secret'))
    const { port } = new URL(base)
    const ask = async (reach: 'public' | 'not-link-local' | 'anywhere', ...addresses: readonly string[]) => {
      const client = createHttpClient({ resolve: answering(...addresses) })
      onTestFinished(client.close)
      const url = new URL(`http://rebound.example:${port}/`)
      const reply = await client.send(
        { url, headers: {}, timeoutMs: 2_000, bodyMaxBytes: 1_000, reach: reach },
        new AbortController().signal,
      )
      return reply.ok ? reply.value.body.toString() : reply.error
    }
    expect(await ask('public', '127.0.0.1')).toBe('blocked')
    expect(await ask('not-link-local', '127.0.0.1')).toBe('secret')
    expect(await ask('not-link-local', '169.254.169.254')).toBe('blocked')
    expect(await ask('anywhere', '127.0.0.1')).toBe('secret')
  })

  it('happens once per request, so that a second DNS answer cannot redirect it', async () => {
    const base = await startUpstream((_request, response) => response.end('first'))
    let asked = 0
    const client = createHttpClient({
      resolve: (name, answer) => {
        asked += 1
        answering(asked === 1 ? '127.0.0.1' : '169.254.169.254')(name, answer)
      },
    })
    onTestFinished(client.close)
    const url = new URL(`http://rebound.example:${new URL(base).port}/`)
    const reply = await client.send(
      { url, headers: {}, timeoutMs: 2_000, bodyMaxBytes: 1_000, reach: 'not-link-local' },
      new AbortController().signal,
    )
    expect(reply.ok).toBe(true)
    expect(asked).toBe(1)
  })

  it('also happens when a request with a wider reach left a connection open', async () => {
    const base = await startUpstream((_request, response) => response.end('secret'))
    const client = createHttpClient({ resolve: answering('127.0.0.1') })
    onTestFinished(client.close)
    const url = new URL(`http://rebound.example:${new URL(base).port}/`)
    const { signal } = new AbortController()
    expect(
      (
        await client.send(
          { url, headers: {}, timeoutMs: 2_000, bodyMaxBytes: 1_000, reach: 'anywhere' },
          signal,
        )
      ).ok,
    ).toBe(true)
    expect(
      await client.send({ url, headers: {}, timeoutMs: 2_000, bodyMaxBytes: 1_000, reach: 'public' }, signal),
    ).toEqual({ ok: false, error: 'blocked' })
  })
})

describe('a list of addresses', () => {
  it.each([
    [['127.0.0.1'], '127.0.0.1', true],
    [['127.0.0.1'], '::ffff:127.0.0.1', true],
    [['127.0.0.1'], '::ffff:7f00:1', true],
    [['::ffff:127.0.0.1'], '127.0.0.1', true],
    [['127.0.0.1'], '127.0.0.2', false],
    [['::1'], '0:0:0:0:0:0:0:1', true],
    [['0:0::1'], '::1', true],
    [['::1'], '127.0.0.1', false],
    [['fe80::1'], 'fe80::1%eth0', true],
    [['10.0.0.0/8', '::1'], '10.200.3.4', true],
    [['10.0.0.0/8'], '11.0.0.1', false],
    [['::ffff:10.0.0.0/104'], '10.1.2.3', true],
    [['fd00::/8'], 'fd12:3456::9', true],
    [['fd00::/8'], 'fe80::1', false],
    [['0.0.0.0/0'], '::1', false],
    [['::/0'], '203.0.113.9', false],
    [['::/0'], '2001:db8::1', true],
    [['::/80'], '127.0.0.1', false],
    [['10.0.0.1'], '', false],
    [['10.0.0.1/32'], '10.0.0.1', true],
    [['10.0.0.1/32'], '10.0.0.2', false],
    [['0.0.0.0/0'], '203.0.113.9', true],
    [['2001:db8:1:2:3:4:5:6/128'], '2001:db8:1:2:3:4:5:6', true],
    [['2001:db8:1:2:3:4:5:6/128'], '2001:db8:1:2:3:4:5:7', false],
    [['2001:db8:1:2:3:4:5:6/127'], '2001:db8:1:2:3:4:5:7', true],
    [['::ffff:10.0.0.0/96'], '203.0.113.9', true],
    [['::ffff:10.0.0.1/128'], '10.0.0.2', false],
    [[], '10.0.0.1', false],
  ])('%j contains %s: %s', (texts, address, isIn) => {
    expect(readAddressList(texts)?.(address)).toBe(isIn)
  })

  it.each(
    ['proxy.example', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '::/129', '::ffff:10.0.0.0/90', ''].concat(
      ['10.0.0.0/x8', '10.0.0.0/8x', '10.0.0.0/ 8', '10.0.0.0/-1', '10.0.0.0/8.5', '10.0.0.0/0008', '/8'],
      ['::ffff:10.0.0.0/95', '::ffff:10.0.0.0/129', '10.0.0', '1:2:3', '[::1]'],
    ),
  )('is rejected if it contains %j', (text) => {
    expect(readAddressList(['127.0.0.1', text])).toBeUndefined()
  })
})

describe('an address in a network of this computer', () => {
  const entry = (address: string, cidr: string | null, family: 'IPv4' | 'IPv6') =>
    ({ address, cidr, family, netmask: '', mac: '', internal: false, scopeid: 0 }) as os.NetworkInterfaceInfo
  const networks = vi.spyOn(os, 'networkInterfaces')
  const inNetworks = (address: string) => {
    networks.mockReturnValue({
      eth0: [
        entry('203.0.113.7', '203.0.113.7/28', 'IPv4'),
        entry('2001:db8:5::7', '2001:db8:5::7/64', 'IPv6'),
        entry('fe80::7', 'fe80::7/64', 'IPv6'),
      ],
      tun0: [entry('198.51.100.9', null, 'IPv4')],
      none: undefined,
    })
    onTestFinished(() => void networks.mockReset())
    return kindOf(address)
  }

  it.each(
    Object.entries({
      internal:
        '203.0.113.7 203.0.113.1 203.0.113.15 198.51.100.9 2001:db8:5::7 2001:db8:5:0:ffff::1 ::ffff:203.0.113.7 ::ffff:cb00:7107 ::203.0.113.7 64:ff9b::203.0.113.7 2002:cb00:7107::1',
      public: '203.0.113.16 198.51.100.8 2001:db8:5:1::7',
      'link-local': 'fe80::8',
    }).flatMap(([kind, all]) => all.split(' ').map((address) => [address, kind] as const)),
  )('%s is %s', (address, kind) => expect(inNetworks(address)).toBe(kind))

  it('is blocked for reach "public", by name too, and networks are read at every lookup', () => {
    expect(inNetworks('203.0.113.7')).toBe('internal')
    expect(isHostBlocked('203.0.113.7', 'public')).toBe(true)
    expect(isHostBlocked('[2001:db8:5::8]', 'public')).toBe(true)
    expect(isHostBlocked('203.0.113.7', 'not-link-local')).toBe(false)
    const found: unknown[] = []
    const resolve: Resolve = (_name, answer) => answer(null, [{ address: '203.0.113.8', family: 4 }])
    const look = () =>
      lookupWithin('public', resolve)('own.example', { all: true }, (error) => found.push(error?.code))
    look()
    networks.mockReturnValue({})
    look()
    expect(found).toEqual(['EADDRBLOCKED', undefined])
  })
})

import { describe, expect, it } from 'vitest'
import {
  isHostBlocked,
  isInReach,
  kindOfAddress,
  lookupWithin,
  readAddressList,
  type Resolve,
} from '#server/address-guard.ts'
import { createUpstream } from '#server/upstream.ts'
import { onTestFinished } from 'vitest'
import { startUpstream } from './upstream-server.ts'

describe('an address', () => {
  it.each([
    ['169.254.169.254', 'link-local'],
    ['100.100.100.200', 'link-local'],
    ['168.63.129.16', 'link-local'],
    ['224.0.0.1', 'link-local'],
    ['255.255.255.255', 'link-local'],
    ['fe80::1', 'link-local'],
    ['fe80::1%eth0', 'link-local'],
    ['fd00:ec2::254', 'link-local'],
    ['ff02::1', 'link-local'],
    ['::ffff:169.254.169.254', 'link-local'],
    ['::ffff:a9fe:a9fe', 'link-local'],
    ['::169.254.169.254', 'link-local'],
    ['64:ff9b::a9fe:a9fe', 'link-local'],
    ['2002:a9fe:a9fe::', 'link-local'],
    ['127.0.0.1', 'internal'],
    ['0.0.0.0', 'internal'],
    ['10.1.2.3', 'internal'],
    ['100.64.0.1', 'internal'],
    ['172.31.255.255', 'internal'],
    ['192.168.1.1', 'internal'],
    ['::1', 'internal'],
    ['::', 'internal'],
    ['::ffff:127.0.0.1', 'internal'],
    ['64:ff9b::7f00:1', 'internal'],
    ['2002:c0a8:101::1', 'internal'],
    ['fc00::1', 'internal'],
    ['fd12:3456::1', 'internal'],
    ['2001:0:1:2::3', 'internal'],
    ['93.184.216.34', 'public'],
    ['172.32.0.1', 'public'],
    ['100.128.0.1', 'public'],
    ['2606:4700::1111', 'public'],
    ['::ffff:8.8.8.8', 'public'],
    ['64:ff9b::808:808', 'public'],
  ])('%s is %s', (address, kind) => {
    expect(kindOfAddress(address)).toBe(kind)
    expect(isInReach(address, 'anywhere')).toBe(true)
    expect(isInReach(address, 'not-link-local')).toBe(kind !== 'link-local')
    expect(isInReach(address, 'public')).toBe(kind === 'public')
  })

  it.each([
    'http://169.254.169.254/latest',
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://0251.0376.0251.0376/',
    'http://169.16689662/',
    'http://[::ffff:169.254.169.254]/',
    'http://[0:0:0:0:0:ffff:a9fe:a9fe]/',
    'http://[fe80::1]/',
  ])('%s is never asked for a page', (url) => {
    expect(isHostBlocked(new URL(url).hostname, 'not-link-local')).toBe(true)
    expect(isHostBlocked(new URL(url).hostname, 'anywhere')).toBe(false)
  })
})

const answering =
  (...addresses: readonly string[]): Resolve =>
  (_name, answer) =>
    answer(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )

describe('a name', () => {
  it('leads to those of its addresses that are in reach', () => {
    lookupWithin('public', answering('10.0.0.1', '93.184.216.34'))(
      'a.example',
      { all: true },
      (error, found) => {
        expect([error, found]).toEqual([null, [{ address: '93.184.216.34', family: 4 }]])
      },
    )
  })

  it('that leads to this network only is not asked', async () => {
    const base = await startUpstream((_request, response) => response.end('secret'))
    const { port } = new URL(base)
    const ask = async (reach: 'public' | 'not-link-local' | 'anywhere', ...addresses: readonly string[]) => {
      const upstream = createUpstream(answering(...addresses))
      onTestFinished(upstream.close)
      const url = new URL(`http://rebound.example:${port}/`)
      const reply = await upstream.ask(url, {}, 2_000, new AbortController().signal, reach)
      return reply.ok ? reply.value.body.toString() : reply.error
    }
    expect(await ask('public', '127.0.0.1')).toBe('blocked')
    expect(await ask('not-link-local', '127.0.0.1')).toBe('secret')
    expect(await ask('not-link-local', '169.254.169.254')).toBe('blocked')
    expect(await ask('anywhere', '127.0.0.1')).toBe('secret')
  })

  it('is resolved once, so that it can not lead elsewhere a moment later', async () => {
    const base = await startUpstream((_request, response) => response.end('first'))
    let asked = 0
    const upstream = createUpstream((name, answer) => {
      asked += 1
      answering(asked === 1 ? '127.0.0.1' : '169.254.169.254')(name, answer)
    })
    onTestFinished(upstream.close)
    const url = new URL(`http://rebound.example:${new URL(base).port}/`)
    const reply = await upstream.ask(url, {}, 2_000, new AbortController().signal, 'not-link-local')
    expect(reply.ok).toBe(true)
    expect(asked).toBe(1)
  })

  it('shares no connection with one that may reach further', async () => {
    const base = await startUpstream((_request, response) => response.end('secret'))
    const upstream = createUpstream(answering('127.0.0.1'))
    onTestFinished(upstream.close)
    const url = new URL(`http://rebound.example:${new URL(base).port}/`)
    const { signal } = new AbortController()
    expect((await upstream.ask(url, {}, 2_000, signal, 'anywhere')).ok).toBe(true)
    expect(await upstream.ask(url, {}, 2_000, signal, 'public')).toEqual({ ok: false, error: 'blocked' })
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
    [['10.0.0.1'], '', false],
  ])('%j has %s: %s', (texts, address, isIn) => {
    expect(readAddressList(texts)?.(address)).toBe(isIn)
  })

  it.each(['proxy.example', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '::/129', '::ffff:10.0.0.0/90', ''])(
    'is none with %j in it',
    (text) => {
      expect(readAddressList(['127.0.0.1', text])).toBeUndefined()
    },
  )
})

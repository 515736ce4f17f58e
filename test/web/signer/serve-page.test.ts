import { getRandomValues } from 'node:crypto'
import * as Comlink from 'comlink'
import { afterEach, describe, expect, it } from 'vitest'
import { bytesToHex } from '#base/bytes.ts'
import { createKeyRing } from '#keys/key-ring.ts'
import { publicKeyOf } from '#keys/nacl-signer.ts'
import { KEY_FILE_BYTES_MAX } from '#keys/read-key.ts'
import { SEED_INPUT_BYTES_MAX } from '#keys/seed.ts'
import { serviceIdOf } from '#protocol/service.ts'
import { parseSettings, type Service } from '#protocol/settings.ts'
import type { EngineSigner, SignerAdmin } from '#signer/api.ts'
import { servePage } from '#signer/serve-page.ts'
import { createIdleLock } from '#signer/idle-lock.ts'
import { keyFileBytes } from '#test/support/key-files.ts'
import { createMemoryKeyStore } from '#test/support/memory-key-store.ts'
import { createFakeClock, TEST_START_MS } from '#test/support/fake-clock.ts'
import { quickly } from '#test/support/quick-derivation.ts'
import { isGoodRequest } from '#test/support/verify-request.ts'

const BASE = 'http://127.0.0.1:7421'
const ID = serviceIdOf(BASE)
const SEED = new Uint8Array(32).fill(0x99)
const REPORT = { network: 'blocked', cryptography: 'webcrypto', worker: 'shared', storage: true } as const

const ports: MessagePort[] = []
afterEach(() => {
  for (const port of ports.splice(0)) port.close()
})

const channel = () => {
  const { port1, port2 } = new MessageChannel()
  ports.push(port1, port2)
  return { port1, port2 }
}

/** A signer, and a way for pages to connect to it. */
function startSigner() {
  const randomBytes = (length: number) => getRandomValues(new Uint8Array(length))
  const wallMs = () => TEST_START_MS
  const store = createMemoryKeyStore()
  const clock = createFakeClock()
  const keyRing = createKeyRing({
    store,
    deriveKey: quickly,
    cryptography: 'webcrypto',
    wallMs,
    randomBytes,
  })
  const idle = createIdleLock(clock, keyRing, store)
  const connect = (): Comlink.Remote<SignerAdmin> => {
    const { port1, port2 } = channel()
    servePage(port1, { keyRing, idle, report: async () => REPORT, after: clock.after, wallMs, randomBytes })
    return Comlink.wrap<SignerAdmin>(port2)
  }
  return { connect, clock, store }
}

async function openEngine(admin: Comlink.Remote<SignerAdmin>): Promise<Comlink.Remote<EngineSigner>> {
  const { port1, port2 } = channel()
  await admin.openEnginePort(Comlink.transfer(port1, [port1]))
  return Comlink.wrap<EngineSigner>(port2)
}

const services = (...list: readonly Record<string, unknown>[]): readonly Service[] => {
  const settings = parseSettings({ version: 1, services: list })
  if (!settings.ok) throw new Error(JSON.stringify(settings.error))
  return settings.value.services
}

const REFUSED = /^refused by the signer$/

describe('a page', () => {
  it('makes, lists and removes keys', async () => {
    const page = startSigner().connect()
    expect(await page.report()).toEqual(REPORT)
    const made = await page.makeKey('wall')
    if (!made.ok) throw new Error(made.error)
    expect(await page.keys()).toEqual([made.value])
    expect(await page.removeKey(made.value.publicKey)).toEqual({ ok: true, value: undefined })
    expect(await page.keys()).toEqual([])
  })

  it.each<[string, () => Uint8Array<ArrayBuffer> | Blob]>([
    ['bytes', () => new TextEncoder().encode(bytesToHex(SEED))],
    ['a file', () => new Blob([bytesToHex(SEED)])],
    ['a file of raw bytes', () => new Blob([SEED])],
  ])('imports a seed from %s', async (_kind, source) => {
    const imported = await startSigner().connect().importKey(source(), 'imported')
    expect(imported).toMatchObject({ ok: true, value: { publicKey: bytesToHex(publicKeyOf(SEED)) } })
  })

  it('gets told that a file is too long, without it being read', async () => {
    const big = new Blob([new Uint8Array(SEED_INPUT_BYTES_MAX + 1)])
    big.arrayBuffer = () => Promise.reject(new Error('read'))
    expect(await startSigner().connect().importKey(big, 'x')).toEqual({ ok: false, error: 'not-a-seed' })
  })

  it.each<[string, readonly unknown[]]>([
    ['makeKey', [7]],
    ['makeKey', []],
    ['importKey', ['9d61b19d', 'a text is no bytes']],
    ['importKey', [new Uint8Array(32).fill(200), 7]],
    ['inspectKey', ['9d61b19d']],
    ['openInspected', ['text']],
    ['keepInspected', [7, 'x']],
    ['keepInspected', ['ab', 'x', { custody: 'cloud' }]],
    ['removeKey', [undefined]],
    ['configure', [undefined]],
    ['configure', ['all']],
    ['configure', [[{ baseUrl: 'ftp://127.0.0.1' }]]],
    ['configure', [Array.from({ length: 17 }, (_, i) => ({ baseUrl: `https://${i}.example` }))]],
    ['configure', [[{ baseUrl: BASE, unknown: 1 }]]],
    ['openEnginePort', [{}]],
    ['openEnginePort', [null]],
  ])('is refused %s with %j', async (name, args) => {
    const page: unknown = startSigner().connect()
    const call: unknown = Reflect.get(Object(page), name)
    await expect(Reflect.apply(Object(call), page, args)).rejects.toThrow(REFUSED)
  })
})

describe('an engine', () => {
  it('gets requests signed for the services of its page', async () => {
    const page = startSigner().connect()
    await page.makeKey('wall')
    const engine = await openEngine(page)
    expect(await engine.signStatusRequest(ID, '0xab')).toEqual({ ok: false, error: 'not-configured' })
    await page.configure(services({ baseUrl: BASE }))
    const signed = await engine.signStatusRequest(ID, '0xab')
    if (!signed.ok) throw new Error(signed.error)
    expect(isGoodRequest(signed.value, BASE, '/node/status')).toBe(true)
  })

  it('gets nothing signed for a service that is no longer configured', async () => {
    const page = startSigner().connect()
    await page.makeKey('wall')
    await page.configure(services({ baseUrl: BASE }))
    const engine = await openEngine(page)
    expect((await engine.signStatusRequest(ID, undefined)).ok).toBe(true)
    await page.configure(services({ baseUrl: 'https://other.example' }))
    expect(await engine.signStatusRequest(ID, undefined)).toEqual({ ok: false, error: 'not-configured' })
  })

  it('of one page is untouched by what another page configures, and has the same keys', async () => {
    const signer = startSigner()
    const [one, other] = [signer.connect(), signer.connect()]
    await one.configure(services({ baseUrl: BASE }))
    await other.configure(services({ baseUrl: 'https://other.example' }))
    await other.makeKey('shared')
    expect((await (await openEngine(one)).signStatusRequest(ID, undefined)).ok).toBe(true)
  })

  it('has none of the page’s calls', async () => {
    const page = startSigner().connect()
    const engine: unknown = await openEngine(page)
    for (const name of [
      'report',
      'keys',
      'makeKey',
      'importKey',
      'inspectKey',
      'openInspected',
      'keepInspected',
      'dropInspected',
      'removeKey',
      'configure',
      'openEnginePort',
      'sign',
    ]) {
      const call: unknown = Reflect.get(Object(engine), name)
      await expect(Reflect.apply(Object(call), engine, []), name).rejects.toThrow(REFUSED)
    }
  })

  it.each<[string, readonly unknown[]]>([
    ['no service', []],
    ['a number for a service', [7, '0xab']],
    ['a number for a node', [ID, 7]],
    ['null for a node', [ID, null]],
  ])('is refused with %s', async (_what, args) => {
    const engine: unknown = await openEngine(startSigner().connect())
    const call: unknown = Reflect.get(Object(engine), 'signStatusRequest')
    await expect(Reflect.apply(Object(call), engine, args)).rejects.toThrow(REFUSED)
  })

  it.each(['', 'x', '__proto__', BASE, 'https~3A~2F~2F127.0.0.1~'])('has no service %j', async (id) => {
    const page = startSigner().connect()
    await page.configure(services({ baseUrl: BASE }))
    const engine = await openEngine(page)
    expect(await engine.signStatusRequest(id, undefined)).toEqual({ ok: false, error: 'not-configured' })
  })

  it('that a newer one replaces has its port closed', async () => {
    const page = startSigner().connect()
    const { port1, port2 } = channel()
    const closed = new Promise<void>((done) => {
      port2.addEventListener('close', () => done())
    })
    port2.start()
    await page.openEnginePort(Comlink.transfer(port1, [port1]))
    await openEngine(page)
    await closed
  })
})

describe('a key that is brought', () => {
  const right = () => new TextEncoder().encode('correct-horse')

  it.each<[string, () => Uint8Array<ArrayBuffer> | Blob]>([
    ['bytes', () => keyFileBytes('openssl-pkcs8.pem')],
    ['a file', () => new Blob([keyFileBytes('openssl-pkcs8.pem')])],
  ])('is shown first and then kept, from %s', async (_kind, source) => {
    const page = startSigner().connect()
    const inspected = await page.inspectKey(source())
    if (inspected.outcome !== 'key') throw new Error(inspected.outcome)
    expect(inspected.key).toMatchObject({ kind: 'pkcs8', family: 'plain' })
    expect(await page.keys()).toEqual([])
    const kept = await page.keepInspected(inspected.key.publicKey, 'mine')
    expect(kept).toMatchObject({ ok: true, value: { publicKey: inspected.key.publicKey } })
    expect(await page.keys()).toHaveLength(1)
  })

  it('asks for its passphrase and is opened with it', async () => {
    const page = startSigner().connect()
    expect(await page.inspectKey(new Blob([keyFileBytes('ssh-aes256-ctr')]))).toEqual({
      outcome: 'needs-passphrase',
      kind: 'encrypted-openssh',
    })
    expect((await page.openInspected(right())).outcome).toBe('key')
  })

  it('waits for the page that brought it and for no other', async () => {
    const signer = startSigner()
    const [one, other] = [signer.connect(), signer.connect()]
    await one.inspectKey(keyFileBytes('ssh-aes256-ctr'))
    expect(await other.openInspected(right())).toEqual({ outcome: 'dropped' })
    await one.dropInspected()
    expect(await one.openInspected(right())).toEqual({ outcome: 'dropped' })
  })

  it('is not read when it is too long, and takes the place of the one before all the same', async () => {
    const page = startSigner().connect()
    await page.inspectKey(keyFileBytes('ssh-aes256-ctr'))
    const big = new Blob([new Uint8Array(KEY_FILE_BYTES_MAX + 1)])
    expect(await page.inspectKey(big)).toEqual({ outcome: 'refused', problem: { reason: 'too-large' } })
    expect(await page.openInspected(right())).toEqual({ outcome: 'dropped' })
  })
})

import { getRandomValues } from 'node:crypto'
import * as Comlink from 'comlink'
import { afterEach, describe, expect, it } from 'vitest'
import { err, ok } from '#base/result.ts'
import { KEY_FILE_BYTES_MAX } from '#keys/read-key.ts'
import { createAutoLock } from '#keys/auto-lock.ts'
import { createTokenRing } from '#keys/token-ring.ts'
import { createTryRounds } from '#keys/try-rounds.ts'
import { serviceIdOf, type ServiceId } from '#record/service.ts'
import { parseSettings } from '#settings/documents.ts'
import type { Service } from '#settings/schema.ts'
import { createPortSigner } from '#engine/port-signer.ts'
import { SIGNED_AT_ONCE_MAX, SIGNER_CALLS, type EngineSigner, type SignerAdmin } from '#signer/api.ts'
import { DRAFTS_MAX, servePage } from '#signer/serve-page.ts'
import { keyFileBytes } from '#test/support/key-files.ts'
import { createMemoryKeyStore } from '#test/support/memory-key-store.ts'
import { createFakeClock, TEST_START_MS } from '#test/support/fake-clock.ts'
import { quickRing } from '#test/support/quick-derivation.ts'
import type { Signer } from '#signing/signer.ts'
import { isGoodRequest } from '#test/support/verify-request.ts'
import { valueOf } from '#test/support/value-of.ts'

const BASE = 'http://127.0.0.1:7421'
const ID = serviceIdOf(BASE)
/** Text in place of the id of a service. */
const noService = (text: string) => text as ServiceId

const REPORT = { network: 'blocked', cryptography: 'webcrypto', worker: 'shared', storage: true } as const

const SELF_TEST = { network: 'blocked', signing: 'right', storage: 'works', tookMs: 4 } as const

const ports: MessagePort[] = []
afterEach(() => {
  for (const port of ports.splice(0)) port.close()
})

const channel = () => {
  const { port1, port2 } = new MessageChannel()
  ports.push(port1, port2)
  return { port1, port2 }
}

/** A signer with a function that connects a page to it. */
function startSigner(
  store = createMemoryKeyStore(),
  randomBytes = (length: number) => getRandomValues(new Uint8Array(length)),
) {
  const wallMs = () => TEST_START_MS
  const clock = createFakeClock()
  const keyRing = quickRing({ store, wallMs })
  const tokens = createTokenRing(store.tokens)
  const idle = createAutoLock(clock, keyRing.lock, store)
  const connect = (): Comlink.Remote<SignerAdmin> => {
    const { port1, port2 } = channel()
    servePage(port1, {
      keyRing,
      tokens,
      idle,
      report: async () => REPORT,
      selfTest: async () => SELF_TEST,
      after: clock.after,
      rounds: createTryRounds(),
      wallMs,
      randomBytes,
    })
    return Comlink.wrap<SignerAdmin>(port2)
  }
  return { connect, clock, store }
}

async function openEngine(admin: Comlink.Remote<SignerAdmin>) {
  const { port1, port2 } = channel()
  await admin.openEnginePort(Comlink.transfer(port1, [port1]))
  return { ...createPortSigner(port2, createFakeClock()), remote: Comlink.wrap<EngineSigner>(port2) }
}

const services = (...list: readonly Record<string, unknown>[]): readonly Service[] =>
  valueOf(parseSettings({ version: 1, services: list })).services

const REFUSED = /^refused by the signer$/

describe('a page', () => {
  it('makes, lists and removes keys', async () => {
    const page = startSigner().connect()
    expect(await page.report()).toEqual(REPORT)
    expect(await page.selfTest()).toEqual(SELF_TEST)
    const made = valueOf(await page.makeKey('wall'))
    expect(await page.keys()).toEqual([made])
    expect(await page.removeKey(made.publicKey)).toEqual(ok(undefined))
    expect(await page.keys()).toEqual([])
  })

  it.each<[string, readonly unknown[]]>([
    ['makeKey', [7]],
    ['makeKey', []],
    ['importKey', [new Uint8Array(32).fill(200), 'there is no such call']],
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
    ['agreeToCorrection', [BASE, '3600000']],
    ['agreeToCorrection', [7, 3_600_000]],
    ['configureDraft', [1, 'all']],
    ['configureDraft', [1, { baseUrl: 'ftp://127.0.0.1' }]],
    ['configureDraft', [{ baseUrl: BASE }]],
    ['keepToken', [ID, 'a text', 'session']],
    ['keepToken', [7, new Uint8Array([65]), 'session']],
    ['forgetToken', [7]],
    ['openEnginePort', [{}]],
    ['openEnginePort', [null]],
  ])('cannot call %s with %j', async (name, args) => {
    const page: unknown = startSigner().connect()
    const call: unknown = Reflect.get(Object(page), name)
    await expect(Reflect.apply(Object(call), page, args)).rejects.toThrow(REFUSED)
  })
})

describe('a token', () => {
  const profile = {
    message: { kind: 'none', token: 'operator-typed' },
    headers: { Authorization: 'Bearer {token}' },
  }
  const typed = () => new TextEncoder().encode('tok_1')

  it('is accepted for a configured service only, sent to no other, and never shown', async () => {
    const page = startSigner().connect()
    const other = 'http://127.0.0.1:7422'
    expect(await page.keepToken(ID, typed(), 'session')).toEqual(err('not-configured'))
    expect(await page.keepToken(noService('no id'), typed(), 'session')).toEqual(err('not-configured'))
    await page.configure(services({ baseUrl: BASE, profile }, { baseUrl: other, profile }))
    await expect(page.keepToken(ID, typed(), Object('cloud'))).rejects.toThrow(REFUSED)
    expect(await page.keepToken(ID, typed(), 'session')).toEqual(ok(undefined))
    expect(await page.tokens()).toEqual([{ serviceId: ID, place: 'session' }])
    const engine = await openEngine(page)
    const signed = await engine.signStatusRequest(ID, undefined)
    expect(signed).toMatchObject(ok({ headers: { Authorization: 'Bearer tok_1' } }))
    expect(await engine.signStatusRequest(serviceIdOf(other), undefined)).toEqual(err('no-token'))
    expect(await page.forgetToken(ID)).toEqual(ok(undefined))
    expect(await engine.signStatusRequest(ID, undefined)).toEqual(err('no-token'))
  })

  it('that another tab’s signer forgot is no longer sent once the page reads its keys', async () => {
    const here = startSigner()
    const [page, other] = [here.connect(), startSigner(here.store).connect()]
    for (const one of [page, other]) await one.configure(services({ baseUrl: BASE, profile }))
    await page.keepToken(ID, typed(), 'device')
    const engine = await openEngine(page)
    expect(await engine.signStatusRequest(ID, undefined)).toMatchObject({ ok: true })
    await other.tokens()
    await other.forgetToken(ID)
    await page.keys()
    expect(await engine.signStatusRequest(ID, undefined)).toEqual(err('no-token'))
  })
})

describe('an engine', () => {
  it('gets signatures only for the services of its own page', async () => {
    const signer = startSigner()
    const page = signer.connect()
    await page.makeKey('wall', undefined, services({ baseUrl: BASE }))
    const engine = await openEngine(page)
    const refused = err('not-configured')
    expect(await engine.signStatusRequest(ID, '0xab')).toEqual(refused)
    await page.configure(services({ baseUrl: BASE }))
    await signer.connect().configure(services({ baseUrl: 'https://other.example' }))
    const signed = valueOf(await engine.signStatusRequest(ID, '0xab'))
    expect(isGoodRequest(signed, BASE, '/node/status')).toBe(true)
    for (const id of ['', 'x', '__proto__', BASE, 'https~3A~2F~2F127.0.0.1~'])
      expect(await engine.remote.signStatusRequests([[noService(id), undefined]]), id).toEqual([refused])
    await page.configure(services({ baseUrl: 'https://other.example' }))
    expect(await engine.signStatusRequest(ID, undefined)).toEqual(refused)
  })

  it('gets signatures for tested services independently of the polled ones', async () => {
    const page = startSigner().connect()
    const both = services({ baseUrl: BASE }, { baseUrl: 'https://other.example' })
    const older = await page.makeKey('older', undefined, both)
    const newer = await page.makeKey('newer', undefined, both)
    if (!older.ok || !newer.ok) throw new Error('no keys')
    const [saved] = services({ baseUrl: BASE, key: older.value.publicKey })
    const [draft] = services({ baseUrl: BASE, key: newer.value.publicKey })
    const [other] = services({ baseUrl: 'https://other.example' })
    if (saved === undefined) throw new Error('no service')
    await page.configure([saved])
    const engine = await openEngine(page)
    const OTHER = serviceIdOf('https://other.example')
    const keyOf = (signed: Awaited<ReturnType<Signer['signStatusRequest']>>) =>
      signed.ok ? signed.value.headers['X-Node-Key'] : signed.error
    const ofDraft = async (draftId: number, id = ID) =>
      keyOf(await engine.signStatusRequest(id, '0xab', 0, { draftId }))
    const polled = async () => keyOf(await engine.signStatusRequest(ID, '0xab'))
    expect(await ofDraft(1)).toBe('not-configured')
    await page.configureDraft(1, draft)
    expect([await ofDraft(1), await polled()]).toEqual([newer.value.publicKey, older.value.publicKey])
    // Tests run side by side, of another service and of the same one with another key.
    await page.configureDraft(2, other)
    await page.configureDraft(3, saved)
    expect([await ofDraft(1), await ofDraft(2), await ofDraft(2, OTHER), await ofDraft(3)]).toEqual([
      newer.value.publicKey,
      'not-configured',
      newer.value.publicKey,
      older.value.publicKey,
    ])
    await page.configureDraft(2, undefined)
    expect([await ofDraft(1), await ofDraft(2, OTHER), await ofDraft(3), await polled()]).toEqual([
      newer.value.publicKey,
      'not-configured',
      older.value.publicKey,
      older.value.publicKey,
    ])
  })

  it('has a limited number of tests, and a new one ends the oldest', async () => {
    const page = startSigner().connect()
    await page.makeKey('wall', undefined, services({ baseUrl: BASE }))
    const engine = await openEngine(page)
    const [draft] = services({ baseUrl: BASE })
    for (let id = 1; id <= DRAFTS_MAX; id++) await page.configureDraft(id, draft)
    await page.configureDraft(1, draft) // A known test replaces no other.
    const works = async (id: number) => (await engine.signStatusRequest(ID, undefined, 0, { draftId: id })).ok
    expect([await works(1), await works(2), await works(DRAFTS_MAX)]).toEqual([true, true, true])
    await page.configureDraft(DRAFTS_MAX + 1, draft)
    expect([await works(1), await works(2), await works(3)]).toEqual([true, false, true])
    expect(await works(DRAFTS_MAX + 1)).toBe(true)
  })

  it('can try signing profiles for a service only while it is being set up', async () => {
    const page = startSigner().connect()
    await page.makeKey('wall', undefined, services({ baseUrl: BASE }))
    const engine = await openEngine(page)
    await page.configureDraft(1, services({ baseUrl: BASE })[0])
    expect(await page.openTryRound(ID)).toEqual(ok(undefined))
    expect((await engine.signStatusRequest(ID, '0xab', 0, { tryId: 'timestamp-only' })).ok).toBe(true)
    await page.configureDraft(1, undefined)
    const later = await engine.signStatusRequest(ID, '0xab', 0, { tryId: 'bearer-v1' })
    expect(later).toEqual(err('not-configured'))
  })

  it('cannot make any of the page’s calls', async () => {
    const page = startSigner().connect()
    const engine: unknown = (await openEngine(page)).remote
    for (const name of [...Object.keys(SIGNER_CALLS), 'sign']) {
      const call: unknown = Reflect.get(Object(engine), name)
      await expect(Reflect.apply(Object(call), engine, []), name).rejects.toThrow(REFUSED)
    }
  })

  it.each<[string, unknown]>([
    ['no list', ID],
    ['a request that is no list', [ID]],
    ['too many requests', Array.from({ length: SIGNED_AT_ONCE_MAX + 1 }, () => [ID, '0xab'])],
    ['no service', [[]]],
    ['a number as the service', [[7, '0xab']]],
    ['a number as the node', [[ID, 7]]],
    ['null as the node', [[ID, null]]],
    ['a text as the correction', [[ID, '0xab', '0']]],
    ['a text as the test', [[ID, '0xab', 0, { draftId: '1' }]]],
    ['an unknown purpose', [[ID, '0xab', 0, {}]]],
  ])('gets no signature with %s', async (_what, requests) => {
    const { remote } = await openEngine(startSigner().connect())
    const call: unknown = Reflect.get(remote, 'signStatusRequests')
    await expect(Reflect.apply(Object(call), remote, [requests])).rejects.toThrow(REFUSED)
  })

  it('gets the other signatures of a turn if one cannot be made', async () => {
    let made = 0
    const page = startSigner(undefined, (length) => {
      made += 1
      if (made === 1) throw new Error('a defect')
      return new Uint8Array(length)
    }).connect()
    await page.makeKey('wall', undefined, services({ baseUrl: BASE }))
    await page.configure(services({ baseUrl: BASE }))
    const { signStatusRequest } = await openEngine(page)
    const signed = await Promise.all(['0x01', '0x02'].map((node) => signStatusRequest(ID, node)))
    expect(signed).toMatchObject([err('error'), { ok: true }])
  })

  it('loses its port when a newer one replaces it', async () => {
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

describe('a key', () => {
  const OTHER = 'https://other.example'
  const own = (template: string) => ({
    baseUrl: BASE,
    profile: { message: { kind: 'template', template }, headers: { Authorization: 'Bearer {sig.hex}' } },
  })
  const first = (...list: readonly Record<string, unknown>[]): Service => {
    const [service] = services(...list)
    if (service === undefined) throw new Error('no service')
    return service
  }
  const errorOf = (signed: Awaited<ReturnType<Signer['signStatusRequest']>>) =>
    signed.ok ? 'signed' : signed.error
  const made = async (
    page: ReturnType<ReturnType<typeof startSigner>['connect']>,
    custody: 'device' | 'vault',
  ) => {
    const place = custody === 'vault' ? { custody, passphrase: passphrase() } : { custody }
    return valueOf(await page.makeKey('wall', place, services({ baseUrl: BASE }))).publicKey
  }
  const passphrase = () => new TextEncoder().encode('twelve or more letters')

  it('does not sign for a service that merely names it', async () => {
    const page = startSigner().connect()
    const key = await made(page, 'device')
    await page.configure(services({ baseUrl: OTHER, key }))
    const engine = await openEngine(page)
    expect(errorOf(await engine.signStatusRequest(serviceIdOf(OTHER), undefined))).toBe('key-not-allowed')
    await page.configureDraft(1, first({ baseUrl: OTHER, key }))
    expect(errorOf(await engine.signStatusRequest(serviceIdOf(OTHER), undefined, 0, { draftId: 1 }))).toBe(
      'key-not-allowed',
    )
    await page.openTryRound(serviceIdOf(OTHER))
    expect(
      errorOf(await engine.signStatusRequest(serviceIdOf(OTHER), undefined, 0, { tryId: 'bearer-v1' })),
    ).toBe('key-not-allowed')
  })

  it('signs no text with another service’s name, even for an accepted service', async () => {
    const page = startSigner().connect()
    const key = await made(page, 'device')
    const engine = await openEngine(page)
    const service = first(own('{origin} other.example {ts.s}'))
    await page.allowSigning(key, service)
    await page.configure([service])
    expect(errorOf(await engine.signStatusRequest(ID, undefined))).toBe('signed')
    await page.configure([service, ...services({ baseUrl: OTHER })])
    expect(errorOf(await engine.signStatusRequest(ID, undefined))).toBe('text-refused')
  })

  it('in an open vault signs for a new service only after its secret, until that is revoked', async () => {
    const page = startSigner().connect()
    const key = await made(page, 'vault')
    const service = first({ baseUrl: OTHER })
    const wrong = { kind: 'passphrase', passphrase: new TextEncoder().encode('not the right one') } as const
    expect(await page.allowSigning(key, service)).toEqual(err('needs-secret'))
    expect(await page.allowSigning(key, service, wrong)).toEqual(err('wrong-secret'))
    await page.configure([service])
    const engine = await openEngine(page)
    const signs = async () => errorOf(await engine.signStatusRequest(serviceIdOf(OTHER), undefined))
    expect(await signs()).toBe('key-not-allowed')
    await page.allowSigning(key, service, { kind: 'passphrase', passphrase: passphrase() })
    expect(await signs()).toBe('signed')
    await page.stopSigning(key, serviceIdOf(OTHER))
    expect(await signs()).toBe('key-not-allowed')
  })

  it('is locked after the computer sleeps past the idle time', async () => {
    const { connect, clock } = startSigner()
    const page = connect()
    await made(page, 'vault')
    await page.configure(services({ baseUrl: BASE }))
    const engine = await openEngine(page)
    const signs = async () => errorOf(await engine.signStatusRequest(ID, undefined))
    expect(await signs()).toBe('signed')
    clock.sleep(16 * 60_000)
    expect(await signs()).toBe('key-locked')
  })

  it('locks when idle until the user turns that off with the passphrase', async () => {
    const { connect, clock, store } = startSigner()
    const page = connect()
    const key = await made(page, 'vault')
    await page.lock()
    expect(await page.presence(false)).toEqual({ minutes: 15, open: 0, locked: 1 })
    await clock.advance(10 * 60_000)
    await page.unlock(key, { kind: 'passphrase', passphrase: passphrase() })
    // Unlocking restarts the full idle time.
    expect((await page.presence(false)).leftMs).toBe(15 * 60_000)
    await clock.advance(60_000)
    expect((await page.presence(false)).leftMs).toBe(14 * 60_000)
    expect(await page.setLockMinutes(0)).toBe('needs-secret')
    const secretOf = (text: string) =>
      ({ kind: 'passphrase', passphrase: new TextEncoder().encode(text) }) as const
    expect(await page.setLockMinutes(0, key, secretOf('not the right one'))).toBe('wrong-secret')
    expect((await page.presence(true)).minutes).toBe(15)
    expect(await page.setLockMinutes(0, key, secretOf('twelve or more letters'))).toBe('kept')
    expect((await page.presence(true)).minutes).toBe(0)
    // The next signer keeps this setting.
    const next = createAutoLock(clock, () => undefined, store)
    await expect.poll(next.minutes).toBe(0)
    expect(await createAutoLock(clock, () => undefined).choose(5)).toBe('not-kept')
  })
})

describe('a time correction', () => {
  const HOUR_MS = 3_600_000

  it('of an hour needs the operator’s consent for each page and service', async () => {
    const signer = startSigner()
    const admin = signer.connect()
    await admin.makeKey('wall', undefined, services({ baseUrl: BASE }))
    await admin.configure(services({ baseUrl: BASE }))
    const engine = await openEngine(admin)
    expect(await engine.signStatusRequest(ID, undefined, 73_000)).toMatchObject({ ok: true })
    const refused = err('time-not-allowed')
    await admin.openTryRound(ID)
    const signed = async () => [
      await engine.signStatusRequest(ID, undefined, HOUR_MS),
      await engine.signStatusRequest(ID, '0xab', HOUR_MS, { tryId: 'timestamp-only' }),
    ]
    expect(await signed()).toEqual([refused, refused])
    for (const tooFar of [24 * HOUR_MS + 1, Number.NaN])
      expect(await admin.agreeToCorrection(ID, tooFar)).toEqual(err('too-far'))
    expect(await admin.agreeToCorrection(serviceIdOf('https://elsewhere.example'), HOUR_MS)).toMatchObject({
      ok: false,
    })
    expect(await admin.agreeToCorrection(ID, HOUR_MS)).toEqual(ok(undefined))
    expect(await signed()).toMatchObject([{ ok: true }, { ok: true }])
    const other = signer.connect()
    await other.configure(services({ baseUrl: BASE }))
    const otherEngine = await openEngine(other)
    expect(await otherEngine.signStatusRequest(ID, undefined, HOUR_MS)).toEqual(refused)
    // Removing a service also removes the consent for it.
    await admin.configure([])
    await admin.configure(services({ baseUrl: BASE }))
    expect(await engine.signStatusRequest(ID, undefined, HOUR_MS)).toEqual(refused)
  })
})

describe('an imported key', () => {
  const right = () => new TextEncoder().encode('correct-horse')

  it.each<[string, () => Uint8Array<ArrayBuffer> | Blob]>([
    ['bytes', () => keyFileBytes('openssl-pkcs8.pem')],
    ['a file', () => new Blob([keyFileBytes('openssl-pkcs8.pem')])],
  ])('from %s is shown before it is kept', async (_kind, source) => {
    const page = startSigner().connect()
    const inspected = await page.inspectKey(source())
    if (inspected.outcome !== 'key') throw new Error(inspected.outcome)
    expect(inspected.key).toMatchObject({ kind: 'pkcs8', family: 'plain' })
    expect(await page.keys()).toEqual([])
    const kept = await page.keepInspected(inspected.key.publicKey, 'mine', undefined)
    expect(kept).toMatchObject(ok({ publicKey: inspected.key.publicKey }))
    expect(await page.keys()).toHaveLength(1)
  })

  it('accepts its passphrase only from the page that imported it', async () => {
    const signer = startSigner()
    const [one, other] = [signer.connect(), signer.connect()]
    expect(await one.inspectKey(new Blob([keyFileBytes('ssh-aes256-ctr')]))).toEqual({
      outcome: 'needs-passphrase',
      kind: 'encrypted-openssh',
    })
    expect(await other.openInspected(right())).toEqual({ outcome: 'dropped' })
    expect((await one.openInspected(right())).outcome).toBe('key')
    await one.dropInspected()
    expect(await one.openInspected(right())).toEqual({ outcome: 'dropped' })
  })

  it('is rejected if it is too large, but still replaces the one before', async () => {
    const page = startSigner().connect()
    await page.inspectKey(keyFileBytes('ssh-aes256-ctr'))
    const big = new Blob([new Uint8Array(KEY_FILE_BYTES_MAX + 1)])
    expect(await page.inspectKey(big)).toEqual({ outcome: 'refused', problem: { reason: 'too-large' } })
    expect(await page.openInspected(right())).toEqual({ outcome: 'dropped' })
  })
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { Result } from '#base/result.ts'
import { serviceIdOf } from '#record/service.ts'
import type { Service } from '#settings/schema.ts'
import type { KeyInfo } from '#signer/api.ts'
import { launchLightBrowser, launchProfile } from '#test/support/launch-browser.ts'
import { isGoodRequest } from '#test/support/verify-request.ts'
import { startSignerSite, type SignerSite } from '#test/e2e/signer-page/site.ts'
import type { SignerPage } from '#test/e2e/signer-page/main.ts'

declare global {
  var signerPage: SignerPage
}

const SERVICE: Service = {
  baseUrl: 'https://api.node.example/v1',
  via: 'proxy',
  profile: 'bearer-v1',
  pollIntervalMs: 15_000,
  timeoutMs: 10_000,
}
const SERVICE_ID = serviceIdOf(SERVICE.baseUrl)
const NODE = '0x7F3a02e1'

let site: SignerSite
let browser: Browser
/** A new context for each test, without earlier storage or Workers. */
let context: BrowserContext

beforeAll(async () => {
  site = await startSignerSite()
  browser = await launchLightBrowser(['--host-resolver-rules=MAP node.example 127.0.0.1'])
})
afterAll(async () => {
  await browser.close()
  await site.stop()
})

beforeEach(async () => {
  site.signerScript = 'as-shipped'
  context = await browser.newContext()
  site.forgetRequests()
})
afterEach(async () => context.close())

const open = async (host = '127.0.0.1', where = context): Promise<Page> => {
  const page = await where.newPage()
  await page.goto(`http://${host}:${site.port}/`)
  await page.waitForFunction(() => 'signerPage' in globalThis)
  return page
}

/** A page of the same origin without a signer, to prepare the browser's storage. */
const openBefore = async (): Promise<Page> => {
  const page = await context.newPage()
  const address = `http://127.0.0.1:${site.port}/set-up`
  await page.route(address, (route) => route.fulfill({ contentType: 'text/html', body: '<p>set-up</p>' }))
  await page.goto(address)
  return page
}

const report = (page: Page) => page.evaluate(() => signerPage.signer.report())
const keys = (page: Page) => page.evaluate(() => signerPage.signer.keys())
const makeKey = (page: Page, label: string) => page.evaluate((l) => signerPage.signer.makeKey(l), label)
/** Configures the service and signs a request for it as the engine does. */
const sign = (page: Page, serviceId = SERVICE_ID, nodeId: string | undefined = NODE) =>
  page.evaluate(
    async ({ service, id, node }) => {
      await signerPage.signer.configure([service])
      return (await signerPage.openEngine()).signStatusRequest(id, node)
    },
    { service: SERVICE, id: serviceId, node: nodeId },
  )

const allowSigning = (page: Page, publicKey: string) =>
  page.evaluate(({ key, service }) => signerPage.signer.allowSigning(key, service), {
    key: publicKey,
    service: SERVICE,
  })

const expectGoodSignature = async (page: Page, publicKey: string) => {
  const signed = await sign(page)
  if (!signed.ok) throw new Error(`not signed: ${signed.error}`)
  expect(signed.value.headers['X-Node-Key']).toBe(publicKey)
  expect(signed.value.query).toBe(`node_id=${NODE}`)
  expect(isGoodRequest(signed.value, 'https://api.node.example', '/v1/node/status')).toBe(true)
}

const made = (result: Result<KeyInfo, string>): KeyInfo => {
  if (!result.ok) throw new Error(`no key: ${result.error}`)
  return result.value
}

describe('in a secure context', () => {
  it('makes a device key that signs, and reports its environment', async () => {
    const page = await open()
    expect(await report(page)).toEqual({
      network: 'blocked',
      cryptography: 'webcrypto',
      worker: 'shared',
      storage: true,
      life: expect.stringMatching(/^immune-worker /),
    })
    const key = made(await makeKey(page, '  wall screen '))
    expect(key).toMatchObject({ label: 'wall screen', custody: 'device' })
    await expectGoodSignature(page, key.publicKey)
  })

  it('restores the key after a reload and a browser restart, without asking', async () => {
    const profile = mkdtempSync(join(tmpdir(), 'signer-profile-'))
    const firstRun = await launchProfile(profile)
    const page = await open('127.0.0.1', firstRun)
    const key = made(await makeKey(page, 'wall screen'))
    await page.reload()
    await page.waitForFunction(() => 'signerPage' in globalThis)
    expect(await keys(page)).toEqual([key])
    await firstRun.close()

    const secondRun = await launchProfile(profile)
    const later = await open('127.0.0.1', secondRun)
    expect(await keys(later)).toEqual([key])
    await expectGoodSignature(later, key.publicKey)
    await secondRun.close()
    rmSync(profile, { recursive: true, force: true, maxRetries: 3 })
  })

  it('continues to sign with one key while a passphrase unlocks the vault of another', async () => {
    const page = await open()
    const device = made(await makeKey(page, 'wall screen'))
    const [seen, opened] = await page.evaluate(
      async ({ service, id, node, key }) => {
        const { signer, openEngine } = signerPage
        const words = (): Uint8Array<ArrayBuffer> => new TextEncoder().encode('a passphrase of this test')
        const vault = await signer.makeKey('desk', { custody: 'vault', passphrase: words() })
        if (!vault.ok) throw new Error(vault.error)
        await signer.lock()
        await signer.configure([{ ...service, key }])
        const engine = await openEngine()
        const order: string[] = []
        const unlocking = signer
          .unlock(vault.value.publicKey, { kind: 'passphrase', passphrase: words() })
          .then(({ ok }) => order.push('open') && ok)
        // Each request follows the signature before it, so they are sequential during the unlock.
        for (let count = 0; count < 5; count++)
          order.push((await engine.signStatusRequest(id, node)).ok ? 'signed' : 'not signed')
        return [order.slice(0, 5), await unlocking] as const
      },
      { service: SERVICE, id: SERVICE_ID, node: NODE, key: device.publicKey },
    )
    expect([seen, opened]).toEqual([['signed', 'signed', 'signed', 'signed', 'signed'], true])
  })

  it('closes its database when another tab deletes it', async () => {
    const page = await open()
    made(await makeKey(page, 'gone with it'))
    const outcome = await page.evaluate(
      () =>
        new Promise((done) => {
          const request = indexedDB.deleteDatabase('immune-signer')
          request.addEventListener('success', () => done('deleted'))
          request.addEventListener('blocked', () => done('blocked'))
        }),
    )
    expect(outcome).toBe('deleted')
    expect(await keys(page)).toEqual([])
    expect(made(await makeKey(page, 'anew')).custody).toBe('device')
  })

  it('migrates the keys of the first database version, which stored only keys', async () => {
    const setUp = await openBefore()
    const { publicKey, broken } = await setUp.evaluate(writeVersion1)
    await setUp.close()
    const page = await open()
    expect(await keys(page)).toEqual([
      { publicKey, label: 'of version 1', createdMs: 1_700_000_000_000, custody: 'device', family: 'plain' },
    ])
    // The first version did not record for which services a key signs.
    expect(await sign(page)).toEqual({ ok: false, error: 'key-not-allowed' })
    expect(await allowSigning(page, publicKey)).toMatchObject({ ok: true })
    await expectGoodSignature(page, publicKey)
    // Version 2 can store notes beside the keys, and the old records remain unchanged.
    const noted = { label: 'renamed', notAfterMs: 1_900_000_000_000 }
    expect(
      await page.evaluate(([key, notes]) => signerPage.signer.noteKey(key, notes), [
        publicKey,
        noted,
      ] as const),
    ).toMatchObject({ ok: true })
    expect(await page.evaluate(() => signerPage.signer.setLockMinutes(30))).toBe('kept')
    const beside = made(await makeKey(page, 'of version 2'))
    await page.close()
    const later = await open()
    expect(await keys(later)).toMatchObject([
      { publicKey, ...noted, grants: [{ serviceId: SERVICE_ID }] },
      { publicKey: beside.publicKey },
    ])
    expect((await later.evaluate(() => signerPage.signer.presence(false))).minutes).toBe(30)
    expect(await later.evaluate(readVersion)).toEqual({
      version: 2,
      kept: [publicKey, broken, beside.publicKey].toSorted(),
    })
  })

  it('does not wait for a tab that has the first version’s database open', async () => {
    const setUp = await openBefore()
    await setUp.evaluate(writeVersion1)
    await setUp.evaluate(
      () =>
        new Promise((done) => {
          const asked = indexedDB.open('immune-signer', 1)
          asked.addEventListener('success', () => {
            // Like the first version, it closes its connection when a newer version opens the database.
            asked.result.addEventListener('versionchange', () => asked.result.close())
            done(undefined)
          })
        }),
    )
    const page = await open()
    expect(await keys(page)).toMatchObject([{ label: 'of version 1', custody: 'device' }])
    await setUp.close()
  })

  it('works for the session if storage is unavailable', async () => {
    const setUp = await openBefore()
    await setUp.evaluate(
      () =>
        new Promise((done) => {
          // A newer version of the app has upgraded the database, so this version can't open it.
          indexedDB.open('immune-signer', 9).addEventListener('success', done)
        }),
    )
    await setUp.close()
    const page = await open()
    expect(await report(page)).toMatchObject({ storage: false, cryptography: 'webcrypto' })
    const key = made(await makeKey(page, 'for now'))
    expect(key.custody).toBe('session')
    await expectGoodSignature(page, key.publicKey)
  })

  it('works as a dedicated Worker if there is no SharedWorker', async () => {
    await context.addInitScript(() => Reflect.deleteProperty(globalThis, 'SharedWorker'))
    const page = await open()
    expect(await report(page)).toMatchObject({ worker: 'dedicated', network: 'blocked', storage: true })
    const key = made(await makeKey(page, 'dedicated'))
    await expectGoodSignature(page, key.publicKey)
  })
})

describe('on plain http', () => {
  it('signs in JavaScript, and keeps the key only for the session', async () => {
    const page = await open('node.example')
    expect(await page.evaluate(() => globalThis.isSecureContext)).toBe(false)
    expect(await report(page)).toEqual({
      network: 'blocked',
      cryptography: 'javascript',
      worker: 'shared',
      storage: false,
    })
    const key = made(await makeKey(page, 'lan'))
    expect(key.custody).toBe('session')
    await expectGoodSignature(page, key.publicKey)
    expect(await page.evaluate(() => indexedDB.databases())).toEqual([])
  })
})

describe('isolation', () => {
  it('reports that requests are possible if the host sends no policy', async () => {
    site.signerScript = 'without-policy'
    const page = await open()
    expect((await report(page)).network).toBe('possible')
    expect(site.requests).toContain('/signer-self-test')
  })

  it('rejects every call if the signer can not start', async () => {
    site.signerScript = 'missing'
    const page = await open()
    const outcomes = await page.evaluate(async () => {
      const failed = (error: unknown): string => String(error)
      return [await signerPage.signer.report().catch(failed), await signerPage.signer.keys().catch(failed)]
    })
    expect(outcomes).toEqual(Array(2).fill('Error: the signer did not start'))
  })

  it('accepts only its own address for a Worker', async () => {
    const page = await open()
    const tried = await page.evaluate(
      (own) =>
        [own, '/assets/other.js', 'data:text/javascript,0', 'https://elsewhere.example/x.js'].map(
          signerPage.trusts,
        ),
      site.requests.find((path) => path.includes('signer-worker')) ?? '',
    )
    expect(tried).toEqual([true, false, false, false])
  })

  it.each([
    ['blocks every kind of request from a Worker', 'as-shipped', []],
    [
      'would block none without its policy',
      'without-policy',
      [
        '/out-fetch',
        '/out-import.js',
        '/out-no-cors',
        '/out-request',
        '/out-events',
        '/out-socket',
        '/out-worker.js',
      ],
    ],
  ] as const)('%s', async (_what, script, reached) => {
    site.signerScript = script
    // The test can inject code only into a dedicated Worker. It runs the same file with the same policy.
    await context.addInitScript(() => Reflect.deleteProperty(globalThis, 'SharedWorker'))
    const page = await open()
    await report(page)
    const [worker] = page.workers()
    if (worker === undefined) throw new Error('no Worker on the page')
    site.forgetRequests()
    const origin = `http://127.0.0.1:${site.port}`
    // Passed as text, because the test runner rewrites import().
    await worker.evaluate(`import('${origin}/out-import.js').catch(() => undefined)`)
    await worker.evaluate(tryWaysOut, origin)
    expect(new Set(site.requests)).toEqual(new Set(reached))
  })
})

/** Runs in a Worker: tries every kind of request, and resolves when each has succeeded or failed. */
async function tryWaysOut(origin: string): Promise<void> {
  const ended = (target: EventTarget): Promise<unknown> =>
    new Promise((done) => {
      for (const name of ['load', 'open', 'message', 'error']) target.addEventListener(name, done)
    })
  const attempt = async (way: () => Promise<unknown>): Promise<void> => {
    await Promise.resolve()
      .then(way)
      .catch(() => undefined)
  }
  await attempt(() => fetch(`${origin}/out-fetch`))
  await attempt(() => fetch(`${origin}/out-no-cors`, { mode: 'no-cors' }))
  await attempt(() => {
    const request = new XMLHttpRequest()
    request.open('GET', `${origin}/out-request`)
    request.send()
    return ended(request)
  })
  await attempt(() => ended(new EventSource(`${origin}/out-events`)))
  await attempt(() => ended(new WebSocket(`${origin.replace('http', 'ws')}/out-socket`)))
  await attempt(() => ended(new Worker(`${origin}/out-worker.js`)))
}

/** Runs in a page: writes the first version's database, with a valid key and one that the signer skips. */
async function writeVersion1(): Promise<{ publicKey: string; broken: string }> {
  const pair = await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])
  if (!('privateKey' in pair)) throw new Error('no pair')
  const raw = new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey))
  const publicKey = Array.from(raw, (byte) => byte.toString(16).padStart(2, '0')).join('')
  const broken = 'ab'.repeat(32)
  const asked = indexedDB.open('immune-signer', 1)
  await new Promise((done, reject) => {
    asked.addEventListener('upgradeneeded', () => {
      const store = asked.result.createObjectStore('keys', { keyPath: 'publicKey' })
      store.put({ publicKey, label: 'of version 1', createdMs: 1_700_000_000_000, key: pair.privateKey })
      store.put({ publicKey: broken, label: 'broken', createdMs: 1 })
    })
    asked.addEventListener('success', done)
    asked.addEventListener('error', reject)
  })
  asked.result.close()
  return { publicKey, broken }
}

/** Runs in a page: reads the database's version and the keys of its records. */
async function readVersion(): Promise<{ version: number; kept: readonly unknown[] }> {
  const asked = indexedDB.open('immune-signer')
  await new Promise((done) => {
    asked.addEventListener('success', done)
  })
  const kept = asked.result.transaction('keys').objectStore('keys').getAllKeys()
  await new Promise((done) => {
    kept.addEventListener('success', done)
  })
  const { version } = asked.result
  asked.result.close()
  return { version, kept: kept.result }
}

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import type { BrowserContext } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { bytesToHex } from '#base/bytes.ts'
import { countInMemory, filesWith, processesOf } from '#test/support/find-bytes.ts'
import { launchProfile } from '#test/support/launch-browser.ts'
import { newSeed, openCustodyPage, SERVICE, SERVICE_ID, type CustodyPage } from '#test/e2e/custody-page.ts'
import { startSignerSite, type SignerSite } from '#test/e2e/signer-page/site.ts'

let site: SignerSite
let profile: string
let context: BrowserContext
let here: CustodyPage

beforeAll(async () => {
  site = await startSignerSite()
})
afterAll(async () => site.stop())
beforeEach(async () => {
  profile = mkdtempSync(join(tmpdir(), 'custody-profile-'))
  site.forgetRequests()
  await start()
})
afterEach(async () => {
  await context.close()
  rmSync(profile, { recursive: true, force: true, maxRetries: 3 })
})

async function start(): Promise<void> {
  context = await launchProfile(profile)
  here = await openCustodyPage(context, site)
}

const CAN_READ_MEMORY = process.platform === 'linux' && process.getuid?.() === 0

/** Occurrences in the memory of all browser processes. */
const countOf = (bytes: Uint8Array): number =>
  processesOf(profile).reduce((sum, pid) => sum + countInMemory(pid, bytes), 0)

/** The end of a seed with SHA-512's padding. */
const paddedEnd = (seed: Uint8Array): Uint8Array =>
  Uint8Array.of(...seed.subarray(16), 0x80, ...new Uint8Array(15))

const FIXED = {
  v: 1,
  title: 'Fixed token',
  message: { kind: 'none', token: 'operator-typed' },
  headers: { Authorization: 'Bearer {token}' },
} as const

/** Stores a token, and expects it in no page, console or request. */
async function keepToken(custody: 'session' | 'device'): Promise<Uint8Array> {
  const token = `tok_${crypto.randomUUID()}`
  const text = new TextEncoder().encode(token)
  const forms = [token, bytesToHex(text), btoa(token).slice(0, 40), Array.from(text).join(',')]
  const kept = await here.page.evaluate(
    async ([service, id, typed, place]) => {
      await signerPage.signer.configure([service])
      const bytes = Uint8Array.from(typed)
      const answer = await signerPage.signer.keepToken(id, bytes, place)
      return answer.ok ? `kept, ${bytes.length} left here` : answer.error
    },
    [{ ...SERVICE, profile: FIXED }, SERVICE_ID, Array.from(text), custody] as const,
  )
  expect(kept).toBe('kept, 0 left here')
  // As the page says, scripts can read a token on the device, but none of a session.
  expect(await here.found(forms)).toEqual(custody === 'device' ? [token] : [])
  await here.page.evaluate((form) => localStorage.setItem('leak', form), forms[1] ?? '')
  expect(await here.found(forms)).toContain(forms[1])
  await here.page.evaluate(() => localStorage.clear())
  return text
}

const inIndexedDbAlone = (secret: Uint8Array): void => {
  const files = filesWith(profile, secret)
  expect(files.length).toBeGreaterThan(0)
  expect(files.filter((file) => !file.includes('IndexedDB'))).toEqual([])
}

it('a secret on the device is only in IndexedDB’s files; a secret in a vault or for the session is in no file', async () => {
  const [onDevice, ofSession, inVault] = [newSeed(), newSeed(), newSeed()]
  const control = newSeed()
  const deviceKey = await here.importSeed(onDevice, 'device')
  expect(await here.sign()).toBe('signed')
  await here.importSeed(ofSession, 'session')
  expect(await here.sign()).toBe('signed')
  const vaultKey = await here.importSeed(inVault, 'vault')
  expect(await here.sign()).toBe('signed')
  await here.lock()
  const tokens = { session: await keepToken('session'), device: await keepToken('device') }
  await here.page.evaluate((hex) => localStorage.setItem('control', hex), bytesToHex(control))
  await context.close()

  for (const secret of [onDevice, tokens.device]) inIndexedDbAlone(secret)
  for (const seed of [ofSession, inVault]) {
    expect(filesWith(profile, seed)).toEqual([])
    expect(filesWith(profile, Buffer.from(bytesToHex(seed)))).toEqual([])
  }
  expect(filesWith(profile, tokens.session)).toEqual([])
  expect(filesWith(profile, Buffer.from(bytesToHex(control))).length).toBeGreaterThan(0)

  await start()
  const keys = await here.page.evaluate(async () => signerPage.signer.keys())
  expect(new Set(keys.map(({ publicKey }) => publicKey))).toEqual(new Set([deviceKey, vaultKey]))
  expect(await here.sign()).toBe('key-locked')
  expect(await here.unlock(vaultKey)).toContain('open')
  await here.page.evaluate((key) => signerPage.signer.removeKey(key), vaultKey)
  expect(await here.sign()).toBe('signed')
})

it.skipIf(!CAN_READ_MEMORY)(
  'a key is never in a hash block, and neither of its halves stays in the browser’s memory once its vault is locked',
  { timeout: 180_000 },
  async () => {
    let seed = newSeed()
    for (const custody of ['device', 'session', 'vault'] as const) {
      seed = newSeed()
      await here.importSeed(seed, custody)
      expect(await here.sign()).toBe('signed')
      // The count comes before a garbage collection.
      expect(countOf(seed.subarray(16)), custody).toBeGreaterThan(0)
      expect(countOf(paddedEnd(seed)), custody).toBe(0)
    }
    const control = newSeed()
    // As a control, the page keeps a reference to a seed.
    await here.page.evaluate((hex) => {
      const bytes = Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
      Reflect.set(globalThis, 'control', bytes)
    }, bytesToHex(control))
    await here.lock()
    await expect
      .poll(
        async () => {
          await collectGarbage()
          // Freed memory may keep the end of a key although the allocator has overwritten its beginning.
          return countOf(seed.subarray(0, 16)) + countOf(seed.subarray(16))
        },
        { timeout: 120_000, interval: 500 },
      )
      .toBe(0)
    expect(countOf(control)).toBeGreaterThan(0)
    expect(await here.sign()).toBe('key-locked')
  },
)

/** Collects garbage in page and signer. The signer alone would do so within a minute. */
async function collectGarbage(): Promise<void> {
  const session = await context.newCDPSession(here.page)
  await session.send('HeapProfiler.collectGarbage')
  await session.send('Memory.simulatePressureNotification', { level: 'critical' })
  const { targetInfos } = await session.send('Target.getTargets', { filter: [{ type: 'shared_worker' }] })
  const collect = JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' })
  for (const { targetId } of targetInfos) {
    const { sessionId } = await session.send('Target.attachToTarget', { targetId, flatten: false })
    const collected = new Promise((done) => session.once('Target.receivedMessageFromTarget', done))
    await session.send('Target.sendMessageToTarget', { sessionId, message: collect })
    await collected
    await session.send('Target.detachFromTarget', { sessionId })
  }
  await session.detach()
}

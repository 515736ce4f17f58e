import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import type { BrowserContext } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { bytesToHex } from '#base/bytes.ts'
import { countInMemory, filesWith, processesOf } from '#test/support/find-bytes.ts'
import { launchProfile } from '#test/support/launch-browser.ts'
import { newSeed, openCustodyPage, SERVICE, SERVICE_ID, type CustodyPage } from './custody-page.ts'
import { startSignerSite, type SignerSite } from './signer-page/site.ts'

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

/** In all processes of the browser. */
const countOf = (bytes: Uint8Array): number =>
  processesOf(profile).reduce((sum, pid) => sum + countInMemory(pid, bytes), 0)

/** The end of a seed as SHA-512 pads it. */
const paddedEnd = (seed: Uint8Array): Uint8Array =>
  Uint8Array.of(...seed.subarray(16), 0x80, ...new Uint8Array(15))

describe('a key that was read from a file', () => {
  it('in custody device is in the files of IndexedDB and no others, as the screen says', async () => {
    const seed = newSeed()
    await here.importSeed(seed, 'device')
    expect(await here.sign()).toBe('signed')
    await context.close()
    const files = filesWith(profile, seed)
    expect(files.length).toBeGreaterThan(0)
    expect(files.filter((file) => !file.includes('IndexedDB'))).toEqual([])
    await start()
    expect(await here.sign()).toBe('signed')
  })

  it.each(['vault', 'session'] as const)('in custody %s is in no file of the profile', async (custody) => {
    const seed = newSeed()
    const publicKey = await here.importSeed(seed, custody)
    const control = newSeed()
    await here.page.evaluate((hex) => localStorage.setItem('control', hex), bytesToHex(control))
    expect(await here.sign()).toBe('signed')
    await here.lock()
    await context.close()
    expect(filesWith(profile, seed)).toEqual([])
    expect(filesWith(profile, Buffer.from(bytesToHex(seed)))).toEqual([])
    expect(filesWith(profile, Buffer.from(bytesToHex(control))).length).toBeGreaterThan(0)
    await start()
    expect(await here.sign()).toBe(custody === 'vault' ? 'key-locked' : 'no-key')
    if (custody === 'vault') expect(await here.unlock(publicKey)).toContain('open')
  })

  it.skipIf(!CAN_READ_MEMORY)(
    'is in no memory of the browser, by neither half, once its vault is locked',
    { timeout: 180_000 },
    async () => {
      const seed = newSeed()
      const control = newSeed()
      await here.importSeed(seed, 'vault')
      expect(await here.sign()).toBe('signed')
      // The control is a seed that a page holds on to.
      await here.page.evaluate((hex) => {
        const bytes = Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
        Reflect.set(globalThis, 'control', bytes)
      }, bytesToHex(control))
      await here.lock()
      await expect
        .poll(
          async () => {
            await collectGarbage()
            // Memory that was given back keeps its end where the allocator writes over its beginning.
            return countOf(seed.subarray(0, 16)) + countOf(seed.subarray(16))
          },
          { timeout: 120_000, interval: 500 },
        )
        .toBe(0)
      expect(countOf(control)).toBeGreaterThan(0)
      expect(await here.sign()).toBe('key-locked')
    },
  )

  it.skipIf(!CAN_READ_MEMORY)(
    'is in no block of a hash, also before memory is collected, in any custody',
    { timeout: 180_000 },
    async () => {
      for (const custody of ['device', 'vault', 'session'] as const) {
        const seed = newSeed()
        await here.importSeed(seed, custody)
        expect(await here.sign()).toBe('signed')
        expect(countOf(seed.subarray(16)), custody).toBeGreaterThan(0)
        expect(countOf(paddedEnd(seed)), custody).toBe(0)
      }
    },
  )
})

describe('a token that was typed', () => {
  const FIXED = {
    v: 1,
    title: 'Fixed token',
    message: { kind: 'none', token: 'operator-typed' },
    headers: { Authorization: 'Bearer {token}' },
  } as const

  it.each(['session', 'device'] as const)(
    'in custody %s is in no page, console and request, and in the files of IndexedDB only where it is kept',
    async (custody) => {
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
      // What the words by the choice say is true: scripts can read one that is kept, and no other.
      expect(await here.found(forms)).toEqual(custody === 'device' ? [token] : [])
      await here.page.evaluate((form) => localStorage.setItem('leak', form), forms[1] ?? '')
      expect(await here.found(forms)).toContain(forms[1])
      await here.page.evaluate(() => localStorage.clear())
      await context.close()
      const files = filesWith(profile, text)
      expect(files.filter((file) => !file.includes('IndexedDB'))).toEqual([])
      expect(files.length > 0).toBe(custody === 'device')
    },
  )
})

/** Has the page and the signer collect what nothing holds. By itself the signer would, within the minute. */
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

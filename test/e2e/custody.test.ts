import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { bytesToHex } from '#base/bytes.ts'
import { serviceIdOf } from '#protocol/service.ts'
import { countInMemory, filesWith, processesOf } from '#test/support/find-bytes.ts'
import { launchProfile } from '#test/support/launch-browser.ts'
import { formsOf, LEAKS, leakedForms, listen } from './leaks.ts'
import { startSignerSite, type SignerSite } from './signer-page/site.ts'
import type { SignerPage } from './signer-page/main.ts'

declare global {
  var signerPage: SignerPage
}

const SERVICE = {
  baseUrl: 'https://api.node.example/v1',
  via: 'proxy',
  profile: 'bearer-v1',
  pollIntervalMs: 15_000,
  deadlineMs: 10_000,
} as const
const PASSPHRASE = 'a passphrase of this test only'

/** Random, so that finding it anywhere can only come from this run. */
const newSeed = (): Uint8Array => crypto.getRandomValues(new Uint8Array(32))

let site: SignerSite
let profile: string
let context: BrowserContext
let page: Page
/** Everything that the page said or asked for. */
let said: readonly string[]

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
  said = listen(context)
  page = await context.newPage()
  await page.goto(`http://localhost:${site.port}/`)
  await page.waitForFunction(() => 'signerPage' in globalThis)
}

/** The seed goes in by a file, so that the test's own messages to the browser do not hold it. */
async function importSeed(seed: Uint8Array, custody: 'device' | 'vault' | 'session'): Promise<string> {
  const input = await page.evaluateHandle(() => {
    const field = document.createElement('input')
    field.type = 'file'
    document.body.append(field)
    return field
  })
  // From the disk: contents that are handed over with the command would pass through the page.
  const keyFile = join(profile, '..', `custody-${process.pid}.key`)
  writeFileSync(keyFile, seed)
  await input.setInputFiles(keyFile)
  const publicKey = await page.evaluate(
    async ([field, how, words]) => {
      const file = field.files?.[0]
      if (file === undefined) throw new Error('no file')
      const place =
        how === 'vault' ? { custody: how, passphrase: new TextEncoder().encode(words) } : { custody: how }
      const kept = await signerPage.bring(file, 'here', place)
      field.remove()
      if (!kept.ok) throw new Error(kept.error)
      return kept.value.publicKey
    },
    [input, custody, PASSPHRASE] as const,
  )
  await input.dispose()
  rmSync(keyFile)
  return publicKey
}

const sign = () =>
  page.evaluate(
    async ([service, id]) => {
      await signerPage.signer.configure([service])
      const signed = await (await signerPage.openEngine()).signStatusRequest(id, '0x7F3a02e1')
      return signed.ok ? 'signed' : signed.error
    },
    [SERVICE, serviceIdOf(SERVICE.baseUrl)] as const,
  )

const unlock = (publicKey: string, words = PASSPHRASE) =>
  page.evaluate(
    async ([key, text]) => {
      const passphrase = new TextEncoder().encode(text)
      const opened = await signerPage.signer.unlock(key, { kind: 'passphrase', passphrase })
      return opened.ok ? `open, ${passphrase.length} left here` : opened.error
    },
    [publicKey, words] as const,
  )

const lock = () => page.evaluate(() => signerPage.signer.lock())

const leaks = (seed: Uint8Array): Promise<readonly string[]> =>
  leakedForms(page, [...said, ...site.requests], formsOf(seed))

it('the search finds what really leaks, in each place that it looks at', async () => {
  for (const [where, leak] of Object.entries(LEAKS)) {
    const seed = newSeed()
    expect(await leaks(seed), where).toEqual([])
    await page.evaluate(leak, bytesToHex(seed))
    await expect.poll(() => leaks(seed), { message: where }).not.toEqual([])
  }
})

describe('a key that was read from a file', () => {
  it.each(['device', 'vault', 'session'] as const)(
    'in custody %s is nowhere in page, storages, console and requests after import, use, lock and reload',
    async (custody) => {
      const seed = newSeed()
      const publicKey = await importSeed(seed, custody)
      expect(await leaks(seed)).toEqual([])
      expect(await sign()).toBe('signed')
      await lock()
      expect(await sign()).toBe(custody === 'vault' ? 'key-locked' : 'signed')
      if (custody === 'vault') {
        expect(await unlock(publicKey, 'not the passphrase')).toBe('wrong-secret')
        expect(await unlock(publicKey)).toBe('open, 0 left here')
        expect(await sign()).toBe('signed')
      }
      expect(await leaks(seed)).toEqual([])
      await page.reload()
      await page.waitForFunction(() => 'signerPage' in globalThis)
      await sign()
      expect(await leaks(seed)).toEqual([])
      // The same search finds each form that really leaks.
      for (const form of formsOf(seed)) {
        await page.evaluate((text) => sessionStorage.setItem('leak', text), form)
        expect(await leaks(seed)).toContain(form)
        await page.evaluate(() => sessionStorage.clear())
      }
    },
  )

  it('in custody device is in the files of IndexedDB and no others, as the screen says', async () => {
    const seed = newSeed()
    await importSeed(seed, 'device')
    expect(await sign()).toBe('signed')
    await context.close()
    const files = filesWith(profile, seed)
    expect(files.length).toBeGreaterThan(0)
    expect(files.filter((file) => !file.includes('IndexedDB'))).toEqual([])
    await start()
    expect(await sign()).toBe('signed')
  })

  it.each(['vault', 'session'] as const)('in custody %s is in no file of the profile', async (custody) => {
    const seed = newSeed()
    const publicKey = await importSeed(seed, custody)
    const control = newSeed()
    await page.evaluate((hex) => localStorage.setItem('control', hex), bytesToHex(control))
    expect(await sign()).toBe('signed')
    await lock()
    await context.close()
    expect(filesWith(profile, seed)).toEqual([])
    expect(filesWith(profile, Buffer.from(bytesToHex(seed)))).toEqual([])
    expect(filesWith(profile, Buffer.from(bytesToHex(control))).length).toBeGreaterThan(0)
    await start()
    expect(await sign()).toBe(custody === 'vault' ? 'key-locked' : 'no-key')
    if (custody === 'vault') expect(await unlock(publicKey)).toContain('open')
  })

  it.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)(
    'is in no memory of the browser once its vault is locked',
    { timeout: 180_000 },
    async () => {
      const seed = newSeed()
      const control = newSeed()
      await importSeed(seed, 'vault')
      expect(await sign()).toBe('signed')
      // The control is a seed that a page holds on to.
      await page.evaluate((hex) => {
        const bytes = Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
        Reflect.set(globalThis, 'control', bytes)
      }, bytesToHex(control))
      const countOf = (bytes: Uint8Array): number =>
        processesOf(profile).reduce((sum, pid) => sum + countInMemory(pid, bytes), 0)
      await lock()
      await expect
        .poll(
          async () => {
            await collectGarbage()
            return countOf(seed)
          },
          { timeout: 120_000, interval: 500 },
        )
        .toBe(0)
      expect(countOf(control)).toBeGreaterThan(0)
      expect(await sign()).toBe('key-locked')
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
      const kept = await page.evaluate(
        async ([service, id, typed, place]) => {
          await signerPage.signer.configure([service])
          const bytes = Uint8Array.from(typed)
          const answer = await signerPage.signer.keepToken(id, bytes, place)
          return answer.ok ? `kept, ${bytes.length} left here` : answer.error
        },
        [{ ...SERVICE, profile: FIXED }, serviceIdOf(SERVICE.baseUrl), Array.from(text), custody] as const,
      )
      expect(kept).toBe('kept, 0 left here')
      // What the words by the choice say is true: scripts can read one that is kept, and no other.
      const found = async () => leakedForms(page, [...said, ...site.requests], forms)
      expect(await found()).toEqual(custody === 'device' ? [token] : [])
      await page.evaluate((form) => localStorage.setItem('leak', form), forms[1] ?? '')
      expect(await found()).toContain(forms[1])
      await page.evaluate(() => localStorage.clear())
      await context.close()
      const files = filesWith(profile, text)
      expect(files.filter((file) => !file.includes('IndexedDB'))).toEqual([])
      expect(files.length > 0).toBe(custody === 'device')
      await start()
    },
  )
})

describe('a passkey', () => {
  it('opens the vault beside the passphrase, end to end, and another one does not', async () => {
    const session = await context.newCDPSession(page)
    await session.send('WebAuthn.enable')
    await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        ctap2Version: 'ctap2_1',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        hasPrf: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    const seed = newSeed()
    const publicKey = await importSeed(seed, 'vault')
    const added = await page.evaluate(
      async ([key, words]) => {
        const made = await signerPage.createPasskey('here')
        if (!made.ok) return made.error
        const passphrase = new TextEncoder().encode(words)
        const kept = await signerPage.signer.addPasskey(key, { kind: 'passphrase', passphrase }, made.value)
        return kept.ok
          ? `${kept.value.passkeys?.length ?? 0}, ${made.value.secret.length} left here`
          : kept.error
      },
      [publicKey, PASSPHRASE] as const,
    )
    expect(added).toBe('1, 0 left here')
    await lock()
    expect(await sign()).toBe('key-locked')
    const byPasskey = () =>
      page.evaluate(async () => {
        const [key] = await signerPage.signer.keys()
        const answer = await signerPage.askPasskey(key?.passkeys ?? [])
        if (!answer.ok) return answer.error
        const { credentialId, secret } = answer.value
        const opened = await signerPage.signer.unlock(key?.publicKey ?? '', {
          kind: 'passkey',
          credentialId,
          secret,
        })
        return opened.ok ? 'open' : opened.error
      })
    expect(await byPasskey()).toBe('open')
    expect(await sign()).toBe('signed')
    expect(await leaks(seed)).toEqual([])
    await lock()
    expect(await unlock(publicKey)).toContain('open')
    await lock()
    const { credentialId } = await page.evaluate(
      async () => (await signerPage.signer.keys())[0]?.passkeys?.[0] ?? { credentialId: '' },
    )
    await page.evaluate(([key, id]) => signerPage.signer.removePasskey(key, id), [
      publicKey,
      credentialId,
    ] as const)
    expect(await byPasskey()).not.toBe('open')
    expect(await sign()).toBe('key-locked')
  })

  it('is not offered where the page was opened by number', async () => {
    expect(await page.evaluate(() => signerPage.canUsePasskeys())).toBe(true)
    await page.goto(`http://127.0.0.1:${site.port}/`)
    await page.waitForFunction(() => 'signerPage' in globalThis)
    expect(await page.evaluate(() => signerPage.canUsePasskeys())).toBe(false)
  })
})

describe('a vault', () => {
  it('moves to another browser as a file that only the passphrase opens', async () => {
    const seed = newSeed()
    const publicKey = await importSeed(seed, 'vault')
    const file = await page.evaluate(async (key) => {
      const text = await signerPage.signer.exportVault(key)
      return text.ok ? text.value : ''
    }, publicKey)
    expect(formsOf(seed).filter((form) => file.includes(form))).toEqual([])
    await page.evaluate((key) => signerPage.signer.removeKey(key), publicKey)
    const take = (words: string) =>
      page.evaluate(
        async ([text, passphrase]) => {
          const taken = await signerPage.signer.importVault(
            new Blob([text]),
            new TextEncoder().encode(passphrase),
            'moved',
          )
          return taken.ok ? taken.value.publicKey : taken.error
        },
        [file, words] as const,
      )
    expect(await take('not the passphrase')).toBe('wrong-secret')
    expect(await take(PASSPHRASE)).toBe(publicKey)
    expect(await sign()).toBe('signed')
  })

  it('locks in every tab, and stays open when the tab that opened it is closed', async () => {
    const publicKey = await importSeed(newSeed(), 'vault')
    const first = page
    page = await context.newPage()
    await page.goto(`http://localhost:${site.port}/`)
    await page.waitForFunction(() => 'signerPage' in globalThis)
    await first.close()
    expect(await sign()).toBe('signed')
    await lock()
    expect(await sign()).toBe('key-locked')
    expect(await unlock(publicKey)).toContain('open')
  })
})

/** Has the page and the signer collect what nothing holds. By itself the signer would, within the minute. */
async function collectGarbage(): Promise<void> {
  const session = await context.newCDPSession(page)
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

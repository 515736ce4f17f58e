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
  heartbeatPeriodMs: 15_000,
  participationUnit: 'auto',
  stakeUnit: '',
} as const
const PASSPHRASE = 'a passphrase of this test only'

/** Random, so that finding it anywhere can only come from this run. */
const newSeed = (): Uint8Array => crypto.getRandomValues(new Uint8Array(32))

let site: SignerSite
let profile: string
let context: BrowserContext
let page: Page
/** Everything that the page said or asked for. */
let said: string[]

beforeAll(async () => {
  site = await startSignerSite()
})
afterAll(async () => site.stop())
beforeEach(async () => {
  profile = mkdtempSync(join(tmpdir(), 'custody-profile-'))
  site.forgetRequests()
  said = []
  await start()
})
afterEach(async () => {
  await context.close()
  rmSync(profile, { recursive: true, force: true, maxRetries: 3 })
})

async function start(): Promise<void> {
  context = await launchProfile(profile)
  context.on('console', (message) => said.push(message.text()))
  context.on('weberror', (error) => said.push(String(error.error())))
  context.on('request', (request) =>
    said.push(request.url(), JSON.stringify(request.headers()), request.postData() ?? ''),
  )
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
      const kept = await signerPage.signer.importKey(file, 'here', place)
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

/** Every way in which a seed could be written down. */
const formsOf = (seed: Uint8Array): readonly string[] => {
  const hex = bytesToHex(seed)
  const base64 = Buffer.from(seed).toString('base64')
  return [
    hex,
    hex.toUpperCase(),
    base64.slice(0, 42),
    base64.slice(0, 42).replaceAll('+', '-').replaceAll('/', '_'),
    Array.from(seed).join(','),
    hex.slice(0, 32),
  ]
}

const leaks = async (seed: Uint8Array): Promise<readonly string[]> => {
  const all = [...said, ...site.requests, ...(await page.evaluate(readEverything))].join('\n')
  return formsOf(seed).filter((form) => all.includes(form))
}

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

/** Has page and Workers collect what nothing holds; the signer by the way of memory that runs short. */
async function collectGarbage(): Promise<void> {
  const session = await context.newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  await session.send('Memory.simulatePressureNotification', { level: 'critical' })
  await session.detach()
}

/** Runs in the page: everything that a script there can read, as texts. */
async function readEverything(): Promise<readonly string[]> {
  const texts: string[] = [
    JSON.stringify(Object.entries(localStorage)),
    JSON.stringify(Object.entries(sessionStorage)),
    document.cookie,
    document.documentElement.outerHTML,
    Array.from(document.querySelectorAll('input'), ({ value }) => value).join('\n'),
    document.title,
    location.href,
    JSON.stringify(history.state),
    JSON.stringify(performance.getEntries()),
  ]
  const whenDone = <T>(request: IDBRequest<T>): Promise<T> =>
    new Promise((done, reject) => {
      request.addEventListener('success', () => done(request.result))
      request.addEventListener('error', () => reject(request.error ?? new Error('no reason given')))
    })
  for (const { name } of await indexedDB.databases()) {
    const database = await whenDone(indexedDB.open(name ?? ''))
    for (const store of database.objectStoreNames)
      for (const record of await whenDone(database.transaction(store).objectStore(store).getAll())) {
        texts.push(JSON.stringify(record))
        if (record.key === undefined) continue
        for (const format of ['jwk', 'pkcs8', 'raw'] as const)
          await crypto.subtle.exportKey(format, record.key).then(
            (exported) =>
              texts.push(
                JSON.stringify(
                  exported instanceof ArrayBuffer ? Array.from(new Uint8Array(exported)) : exported,
                ),
              ),
            () => undefined,
          )
      }
    database.close()
  }
  for (const name of await caches.keys()) texts.push(name)
  return texts
}

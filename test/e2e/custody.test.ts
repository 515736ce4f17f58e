import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { bytesToHex } from '#base/bytes.ts'
import { sharedBrowser } from '#test/support/launch-browser.ts'
import { serviceIdOf } from '#record/service.ts'
import { goTo, newSeed, openCustodyPage, PASSPHRASE, SERVICE, type CustodyPage } from './custody-page.ts'
import { formsOf, LEAKS } from './leaks.ts'
import { startSignerSite, type SignerSite } from './signer-page/site.ts'

let site: SignerSite
let browser: Browser
let context: BrowserContext
let here: CustodyPage

beforeAll(async () => {
  site = await startSignerSite()
  browser = await sharedBrowser()
})
afterAll(async () => {
  await site.stop()
})
beforeEach(async () => {
  site.forgetRequests()
  context = await browser.newContext()
  here = await openCustodyPage(context, site)
})
afterEach(async () => {
  await context.close()
})

it('the search detects a planted leak in every place that it covers', async () => {
  for (const [where, leak] of Object.entries(LEAKS)) {
    const seed = newSeed()
    expect(await here.leaks(seed), where).toEqual([])
    await here.page.evaluate(leak, bytesToHex(seed))
    await expect.poll(() => here.leaks(seed), { message: where }).not.toEqual([])
  }
})

describe('a key from a file', () => {
  it.each(['device', 'vault', 'session'] as const)(
    'in custody %s leaks into no page, storage, console or request after import, use, lock and reload',
    async (custody) => {
      const seed = newSeed()
      const publicKey = await here.importSeed(seed, custody)
      expect(await here.leaks(seed)).toEqual([])
      expect(await here.sign()).toBe('signed')
      await here.lock()
      expect(await here.sign()).toBe(custody === 'vault' ? 'key-locked' : 'signed')
      if (custody === 'vault') {
        expect(await here.unlock(publicKey, 'not the passphrase')).toBe('wrong-secret')
        expect(await here.unlock(publicKey)).toBe('open, 0 left here')
        expect(await here.sign()).toBe('signed')
      }
      expect(await here.leaks(seed)).toEqual([])
      await here.page.reload()
      await here.page.waitForFunction(() => 'signerPage' in globalThis)
      await here.sign()
      expect(await here.leaks(seed)).toEqual([])
      // The same search detects each form when it is planted.
      for (const form of formsOf(seed)) {
        await here.page.evaluate((text) => sessionStorage.setItem('leak', text), form)
        expect(await here.leaks(seed)).toContain(form)
        await here.page.evaluate(() => sessionStorage.clear())
      }
    },
  )
})

describe('a passkey', () => {
  it('opens the vault as an alternative to the passphrase, and stops after it is removed', async () => {
    const session = await context.newCDPSession(here.page)
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
    const publicKey = await here.importSeed(seed, 'vault')
    const added = await here.page.evaluate(
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
    await here.lock()
    expect(await here.sign()).toBe('key-locked')
    const byPasskey = () =>
      here.page.evaluate(async () => {
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
    expect(await here.sign()).toBe('signed')
    expect(await here.leaks(seed)).toEqual([])
    await here.lock()
    expect(await here.unlock(publicKey)).toContain('open')
    await here.lock()
    const { credentialId } = await here.page.evaluate(
      async () => (await signerPage.signer.keys())[0]?.passkeys?.[0] ?? { credentialId: '' },
    )
    await here.page.evaluate(([key, id]) => signerPage.signer.removePasskey(key, id), [
      publicKey,
      credentialId,
    ] as const)
    expect(await byPasskey()).not.toBe('open')
    expect(await here.sign()).toBe('key-locked')
  })

  it('is not offered on a page that was opened by IP address', async () => {
    expect(await here.page.evaluate(() => signerPage.canUsePasskeys())).toBe(true)
    await goTo(here.page, `http://127.0.0.1:${site.port}/`)
    expect(await here.page.evaluate(() => signerPage.canUsePasskeys())).toBe(false)
  })
})

describe('a vault', () => {
  it('moves to another browser in a file that only the passphrase opens', async () => {
    const seed = newSeed()
    const publicKey = await here.importSeed(seed, 'vault')
    const file = await here.page.evaluate(async (key) => {
      const text = await signerPage.signer.exportVault(key)
      return text.ok ? text.value : ''
    }, publicKey)
    expect(formsOf(seed).filter((form) => file.includes(form))).toEqual([])
    await here.page.evaluate((key) => signerPage.signer.removeKey(key), publicKey)
    const take = (words: string) =>
      here.page.evaluate(
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
    expect(await here.sign()).toBe('signed')
  })

  it('signs for no service that a script of the page wrote into its record, even if unlocked repeatedly', async () => {
    const publicKey = await here.importSeed(newSeed(), 'vault')
    const other = await openCustodyPage(context, site)
    const otherKey = await other.importSeed(newSeed(), 'vault')
    await here.lock()
    // Stored notes are only hints, and grants of another vault do not open with this passphrase.
    await here.page.evaluate(writeGrant, [publicKey, otherKey, serviceIdOf(OTHER)] as const)
    await other.page.evaluate((key) => signerPage.signer.removeKey(key), otherKey)
    await other.page.close()
    for (let time = 0; time < 2; time++) {
      expect(await here.unlock(publicKey)).toContain('open')
      expect(await here.sign(OTHER)).toBe('key-not-allowed')
      // Replacing the sealed grants also removed this vault's own service.
      expect(await here.sign()).toBe('key-not-allowed')
      await here.lock()
    }
    const allowed = await here.page.evaluate(
      async ([key, service, words]) => {
        const secret = { kind: 'passphrase', passphrase: new TextEncoder().encode(words) } as const
        return (await signerPage.signer.allowSigning(key, service, secret)).ok
      },
      [publicKey, SERVICE, PASSPHRASE] as const,
    )
    expect(allowed).toBe(true)
    await here.unlock(publicKey)
    expect(await here.sign()).toBe('signed')
  })

  it('signs for services allowed with its secret, even after relocking, and not for revoked ones', async () => {
    const publicKey = await here.importSeed(newSeed(), 'vault')
    const allow = async () =>
      here.page.evaluate(
        async ([key, service, words]) => {
          const secret = { kind: 'passphrase', passphrase: new TextEncoder().encode(words) } as const
          return (await signerPage.signer.allowSigning(key, service, secret)).ok
        },
        [publicKey, { ...SERVICE, baseUrl: OTHER }, PASSPHRASE] as const,
      )
    expect(await allow()).toBe(true)
    await here.lock()
    await here.unlock(publicKey)
    expect([await here.sign(), await here.sign(OTHER)]).toEqual(['signed', 'signed'])
    await here.page.evaluate(([key, id]) => signerPage.signer.stopSigning(key, id), [
      publicKey,
      serviceIdOf(OTHER),
    ] as const)
    await here.lock()
    await here.unlock(publicKey)
    expect([await here.sign(), await here.sign(OTHER)]).toEqual(['signed', 'key-not-allowed'])
  })

  it('locks in every tab, and stays unlocked when the tab that unlocked it closes', async () => {
    const publicKey = await here.importSeed(newSeed(), 'vault')
    const { page: first } = here
    here = await openCustodyPage(context, site)
    await first.close()
    expect(await here.sign()).toBe('signed')
    await here.lock()
    expect(await here.sign()).toBe('key-locked')
    expect(await here.unlock(publicKey)).toContain('open')
  })
})

const OTHER = 'https://other.example/v1'

/** Writes the other vault's sealed grants and an unsealed grant, as any script of this origin could. */
async function writeGrant([publicKey, otherKey, serviceId]: readonly [
  string,
  string,
  string,
]): Promise<void> {
  const database = await new Promise<IDBDatabase>((done, failed) => {
    const opening = indexedDB.open('immune-signer')
    opening.addEventListener('success', () => done(opening.result))
    opening.addEventListener('error', () => failed(opening.error))
  })
  const stores = database.transaction(['keys', 'notes'], 'readwrite')
  const read = (store: string, key: string) =>
    new Promise<object>((done) => {
      const reading = stores.objectStore(store).get(key)
      reading.addEventListener('success', () => done(Object(reading.result)))
    })
  const [record, notes, otherRecord] = await Promise.all([
    read('keys', publicKey),
    read('notes', publicKey),
    read('keys', otherKey),
  ])
  const vaultOf = (of: object): object => ('vault' in of ? Object(of.vault) : {})
  const { grants }: { grants?: unknown } = vaultOf(otherRecord)
  if (grants === undefined) throw new Error('nothing was sealed')
  stores.objectStore('keys').put({ ...record, vault: { ...vaultOf(record), grants } })
  const known = 'grants' in notes && Array.isArray(notes.grants) ? notes.grants : []
  stores.objectStore('notes').put({ ...notes, grants: [...known, { serviceId, profiles: [] }] }, publicKey)
  await new Promise((done) => stores.addEventListener('complete', done))
  database.close()
}

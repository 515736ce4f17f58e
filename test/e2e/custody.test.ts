import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { bytesToHex } from '#base/bytes.ts'
import { sharedBrowser } from '#test/support/launch-browser.ts'
import { goTo, newSeed, openCustodyPage, PASSPHRASE, type CustodyPage } from './custody-page.ts'
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

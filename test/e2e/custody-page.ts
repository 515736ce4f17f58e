import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import type { BrowserContext, Page } from 'playwright-core'
import { serviceIdOf } from '#record/service.ts'
import { formsOf, leakedForms, listen } from './leaks.ts'
import type { SignerPage } from './signer-page/main.ts'
import type { SignerSite } from './signer-page/site.ts'

declare global {
  var signerPage: SignerPage
}

export const SERVICE = {
  baseUrl: 'https://api.node.example/v1',
  via: 'proxy',
  profile: 'bearer-v1',
  pollIntervalMs: 15_000,
  timeoutMs: 10_000,
} as const
export const SERVICE_ID = serviceIdOf(SERVICE.baseUrl)
export const PASSPHRASE = 'a passphrase of this test only'

/** A random seed, so that any occurrence of it comes from this run. */
export const newSeed = (): Uint8Array => crypto.getRandomValues(new Uint8Array(32))

/** A page with the signer and an operator's actions. */
export type CustodyPage = {
  readonly page: Page
  readonly importSeed: (seed: Uint8Array, custody: 'device' | 'vault' | 'session') => Promise<string>
  /** `signed`, or the error. */
  readonly sign: (baseUrl?: string) => Promise<string>
  readonly lock: () => Promise<void>
  readonly unlock: (publicKey: string, words?: string) => Promise<string>
  /** The given forms that occur in the page's output or requests, or where its scripts can read. */
  readonly found: (forms: readonly string[]) => Promise<readonly string[]>
  readonly leaks: (seed: Uint8Array) => Promise<readonly string[]>
}

export async function openCustodyPage(context: BrowserContext, site: SignerSite): Promise<CustodyPage> {
  const said = listen(context)
  const page = await context.newPage()
  await goTo(page, `http://localhost:${site.port}/`)
  const found = (forms: readonly string[]) => leakedForms(page, [...said, ...site.requests], forms)
  return {
    page,
    importSeed: (seed, custody) => importSeed(page, seed, custody),
    sign: (baseUrl = SERVICE.baseUrl) => sign(page, baseUrl),
    lock: () => page.evaluate(() => signerPage.signer.lock()),
    unlock: (publicKey, words = PASSPHRASE) => unlock(page, publicKey, words),
    found,
    leaks: (seed) => found(formsOf(seed)),
  }
}

export async function goTo(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await page.waitForFunction(() => 'signerPage' in globalThis)
}

/** Imports the seed from a file, so that the test's own messages to the browser do not contain it. */
async function importSeed(
  page: Page,
  seed: Uint8Array,
  custody: 'device' | 'vault' | 'session',
): Promise<string> {
  const input = await page.evaluateHandle(() => {
    const field = document.createElement('input')
    field.type = 'file'
    document.body.append(field)
    return field
  })
  // A path on disk, because Playwright would pass file contents through the page.
  const keyFile = join(tmpdir(), `custody-${process.pid}.key`)
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

const sign = (page: Page, baseUrl: string): Promise<string> =>
  page.evaluate(
    async ([service, id]) => {
      await signerPage.signer.configure([service])
      const signed = await (await signerPage.openEngine()).signStatusRequest(id, '0x7F3a02e1')
      return signed.ok ? 'signed' : signed.error
    },
    [{ ...SERVICE, baseUrl }, serviceIdOf(baseUrl)] as const,
  )

const unlock = (page: Page, publicKey: string, words: string): Promise<string> =>
  page.evaluate(
    async ([key, text]) => {
      const passphrase = new TextEncoder().encode(text)
      const opened = await signerPage.signer.unlock(key, { kind: 'passphrase', passphrase })
      return opened.ok ? `open, ${passphrase.length} left here` : opened.error
    },
    [publicKey, words] as const,
  )

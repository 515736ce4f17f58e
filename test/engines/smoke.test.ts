import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bytesToHex } from '#base/bytes.ts'
import { publicKeyOf } from '#keys/signing-key.ts'
import { QUICK, setStage, type Stage } from '#test/e2e/stage.ts'
import { formTexts, firstRunTexts } from '#texts/en-first-run.ts'
import { keyFormatTexts } from '#texts/en-key-formats.ts'
import { keyTexts } from '#texts/en-keys.ts'
import { nodeTexts } from '#texts/en-node.ts'
import { isElement, openFirefox, openWebKit, type DrivenBrowser, type ElementRef } from './webdriver.ts'

/** The first visible element that matches the selector and whose text begins with these words. */
const FIND = `
  const [css, words] = arguments
  return Array.from(document.querySelectorAll(css)).find((one) =>
    one.checkVisibility() && (words === '' || one.textContent.trim().startsWith(words) || one.getAttribute('aria-label') === words)) ?? null`

/** Stored in the document, because a driver's scripts may run with another global object than the page. */
const WATCHING = `
  const note = (what) => document.documentElement.setAttribute('data-broken', (document.documentElement.getAttribute('data-broken') ?? '') + what + '\\n')
  document.addEventListener('securitypolicyviolation', (event) => note([event.violatedDirective, event.blockedURI, event.sourceFile].join(' ')))
  window.addEventListener('error', (event) => note(event.message))
  window.addEventListener('unhandledrejection', (event) => note(String(event.reason)))`

const PASSPHRASE = 'a passphrase of this test only'

/** WebKitGTK cannot store a CryptoKey in a database that a SharedWorker opened; see docs/browsers.md. */
describe.each([
  { name: 'Firefox', open: openFirefox, place: 'On this device' },
  { name: 'WebKitGTK', open: openWebKit, place: 'In the vault' },
])('in $name', ({ open, place }) => {
  let stage: Stage
  let browser: DrivenBrowser
  let folder: string

  const find = async (css: string, words = ''): Promise<ElementRef> => {
    let found: unknown
    await expect
      .poll(
        async () => {
          found = await browser.run(FIND, [css, words])
          return isElement(found)
        },
        { message: `${css} ${words}` },
      )
      .toBe(true)
    if (!isElement(found)) throw new Error('no element')
    return found
  }
  const click = async (css: string, words = ''): Promise<void> => browser.click(await find(css, words))
  const text = async (css: string): Promise<string> =>
    String(await browser.run('return document.querySelector(arguments[0])?.textContent ?? ""', [css]))
  const HERO = `[aria-label="${nodeTexts.hero.label}"]`
  /** The number of points in the longest line. */
  const drawnPoints = async (): Promise<number> =>
    Number(
      await browser.run(
        `return Math.max(0, ...Array.from(document.querySelectorAll('main path.plot-line'), (path) => (path.getAttribute('d') ?? '').split(/[MLHV]/i).length))`,
      ),
    )

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'engine-key-'))
    stage = await setStage({ nodes: 1, service: QUICK, reference: { enroll: false } })
    browser = await open()
  })
  afterAll(async () => {
    await browser?.close()
    await stage?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('starts and asks for a key', async () => {
    await browser.goTo(stage.dashboard.openUrl)
    await browser.run(WATCHING)
    await find('button', 'Start watching')
  })

  /** Types the passphrase into each visible field for one. */
  const typePassphrase = async (): Promise<void> => {
    const fields = await browser.run(
      `return Array.from(document.querySelectorAll('input[type=password][autocomplete$="-password"]')).filter((one) => one.checkVisibility())`,
    )
    if (!Array.isArray(fields)) throw new Error('no fields')
    for (const field of fields) if (isElement(field)) await browser.type(field, PASSPHRASE)
  }

  it('reads a key from a file and stores it', async () => {
    const seed = crypto.getRandomValues(new Uint8Array(32))
    stage.reference.keys.register(bytesToHex(publicKeyOf(seed)))
    const file = join(folder, 'seed.key')
    writeFileSync(file, seed)
    await click('label', firstRunTexts.key.bring)
    const field = await browser.run('return document.querySelector("input[type=file]")')
    if (!isElement(field)) throw new Error('no file field')
    await browser.type(field, file)
    if (place === 'In the vault') {
      await click('label', 'On this device')
      await click('button', keyFormatTexts.keep)
      await expect.poll(() => text('main')).toContain(formTexts.key.problems['not-kept'])
    }
    await click('label', place)
    if (place === 'In the vault') await typePassphrase()
    await click('button', keyFormatTexts.keep)
    await find('button', formTexts.key.undo)
  })

  it('polls, and the service accepts the signature', async () => {
    await click('button', 'Start watching')
    await expect.poll(() => text(HERO)).toContain('Last answer')
    stage.reference.resetStats()
    await expect.poll(() => stage.reference.stats().byStatus['200'] ?? 0).toBeGreaterThan(2)
    expect(Object.keys(stage.reference.stats().byStatus)).toEqual(['200'])
    expect(await text(HERO)).toContain('ACTIVE')
  })

  it('draws a chart', async () => {
    await expect.poll(drawnPoints).toBeGreaterThan(8)
  })

  it('violates no policy and throws nothing', async () => {
    const policy = (await fetch(stage.dashboard.dashboardUrl)).headers.get('content-security-policy')
    expect(policy).toContain("require-trusted-types-for 'script'")
    expect(await browser.run(`return document.documentElement.getAttribute('data-broken')`)).toBeNull()
  })

  it('continues with the same key after a reload, and shows the earlier history', async () => {
    stage.reference.resetStats()
    await browser.reload()
    await expect.poll(drawnPoints).toBeGreaterThan(8)
    // With so few new polls, most of the line must come from stored history.
    expect(stage.reference.stats().byStatus['200'] ?? 0).toBeLessThan(8)
    if (place === 'In the vault') {
      await click('button', keyTexts.unlock.open)
      await find('dialog[open] input')
      await typePassphrase()
      await click('dialog[open] button', keyTexts.unlock.open)
    }
    await expect.poll(() => stage.reference.stats().byStatus['200'] ?? 0).toBeGreaterThan(2)
    await expect.poll(() => text(HERO)).toContain('Last answer')
    expect(Object.keys(stage.reference.stats().byStatus)).toEqual(['200'])
  })
})

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { passwordLine } from '#server/password-file.ts'
import { fileHeaders, roleOf } from '#server/security-headers.ts'
import { headersOf, isThere, startFront, type FrontKind } from '#test/support/running-front.ts'
import { ROOT } from '#test/support/source-tree.ts'
import { hero, QUICK, setStage, type Stage } from '#test/e2e/stage.ts'
import { browserForTests } from '#test/e2e/watched-browser.ts'

const browser = browserForTests(['--ignore-certificate-errors'])
let stage: Stage

beforeAll(async () => {
  stage = await setStage({
    nodes: 2,
    service: QUICK,
    args: ['--allow-host', 'dash.example', '--public'],
    reference: { allowOrigins: ['https://127.0.0.1:*'] },
  })
})
afterAll(async () => {
  await stage.stop()
})

/** One path for each role of a file. */
const assets = readdirSync(join(ROOT, 'dist/web/assets'))
const assetLike = (fits: RegExp): string => `/assets/${assets.find((name) => fits.test(name)) ?? 'missing'}`
const PATHS = [
  '/',
  '/theme.js',
  '/favicon.svg',
  assetLike(/^engine-worker-.*\.js$/),
  assetLike(/^signer-worker-.*\.js$/),
  assetLike(/^index-.*\.js$/),
  assetLike(/\.css$/),
]

/** The proxy sends the same headers as our server. Without a validator, Workers are not cached at all. */
async function expectSameHeaders(url: string, directOrigins: readonly string[]): Promise<void> {
  for (const path of PATHS) {
    const { status, headers } = await headersOf(new URL(path, url).href)
    expect([path, status]).toEqual([path, 200])
    const role = roleOf(path)
    const sent = new Headers({ ...fileHeaders(role, directOrigins) })
    const isWorker = role === 'engine-worker' || role === 'signer-worker'
    for (const [name, value] of sent)
      if (name === 'cache-control' && isWorker) expect(['no-cache', 'no-store']).toContain(headers[name])
      else expect([path, name, headers[name]]).toEqual([path, name, value])
    expect(headers['strict-transport-security']).toBe('max-age=31536000')
  }
}

async function watchThrough(url: string): Promise<void> {
  const page = await browser.openPage({ viewport: { width: 1440, height: 900 } })
  await page.goto(url)
  expect(await page.evaluate(() => globalThis.isSecureContext)).toBe(true)
  await page.getByRole('button', { name: 'Start watching' }).click()
  await hero(page).getByText('ACTIVE', { exact: true }).waitFor()
  stage.reference.resetStats()
  await expect.poll(() => stage.reference.stats().byStatus['200'] ?? 0).toBeGreaterThanOrEqual(4)
  // Status 204 is a preflight of a browser that contacts the service directly.
  const statuses = Object.keys(stage.reference.stats().byStatus)
  expect(statuses.filter((status) => status !== '204')).toEqual(['200'])
}

const KINDS = [
  ['nginx', 'nginx/front.conf', 'nginx/static.conf'],
  ['Caddy', 'caddy/front.Caddyfile', 'caddy/static.Caddyfile'],
] as const satisfies readonly (readonly [FrontKind, string, string])[]

describe.each(KINDS)('%s with the configuration in deploy', (kind, front, alone) => {
  it.skipIf(!isThere[kind])('as a reverse proxy adds TLS and removes no header', async () => {
    const { host } = new URL(stage.dashboard.dashboardUrl)
    const url = await startFront({ kind, file: front, replace: { '127.0.0.1:7420': host } })
    await expectSameHeaders(url, [])
    await watchThrough(url)
  })

  it.skipIf(!isThere[kind])(
    'as the only server hosts the page with its policies, and the browser polls directly',
    async () => {
      const url = await startFront({
        kind,
        file: alone,
        replace: { 'https://node.example': stage.service },
        config: {
          version: 1,
          services: [{ ...QUICK, baseUrl: stage.service, via: 'direct' }],
          nodes: stage.nodes,
        },
      })
      await expectSameHeaders(url, [stage.service])
      // A missing file must not be answered with the page.
      expect((await headersOf(new URL('/assets/gone.js', url).href)).status).toBe(404)
      await watchThrough(url)
    },
  )
})

/** Hosting below a path: nginx keeps the path in the request, and Caddy removes it. */
const BELOW = [
  ['nginx', 'nginx/front.conf', { 'location / {': 'location /immune/ {' }],
  [
    'Caddy',
    'caddy/front.Caddyfile',
    { 'reverse_proxy 127.0.0.1:7420': 'handle_path /immune/* {\n    reverse_proxy 127.0.0.1:7420\n  }' },
  ],
] as const satisfies readonly (readonly [FrontKind, string, Readonly<Record<string, string>>])[]

describe.each(BELOW)('%s with the dashboard below a path', (kind, file, replace) => {
  it.skipIf(!isThere[kind])('supports sign-in, deep links, polling and every page', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'below-'))
    const passwords = join(folder, 'passwords')
    const made = await passwordLine('op', 'correct horse battery', 14)
    writeFileSync(passwords, made.ok ? made.value : '', { mode: 0o600 })
    const access = ['--base-path', '/immune/', '--password-file', passwords, '--trust-from', '127.0.0.1']
    const below = await setStage({
      nodes: 2,
      service: QUICK,
      args: [...access, '--allow-host', 'dash.example'],
    })
    onTestFinished(async () => {
      await below.stop()
      rmSync(folder, { recursive: true })
    })
    const { host } = new URL(below.dashboard.dashboardUrl)
    const front = await startFront({ kind, file, replace: { ...replace, '127.0.0.1:7420': host } })
    const page = await browser.openPage({ viewport: { width: 1440, height: 900 } })
    const outside = new Set<string>()
    page.on('request', (request) => {
      if (!request.url().startsWith(`${front}immune/`)) outside.add(request.url())
    })
    await page.goto(`${front}immune/#/settings/about`)
    await page.getByRole('textbox', { name: 'Name' }).fill('op')
    await page.getByLabel('Password').fill('correct horse battery')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(`${front}immune/#/settings/about`)
    await page.goto(`${front}immune/#/`)
    await page.getByRole('button', { name: 'Start watching' }).click()
    await hero(page).getByText('ACTIVE', { exact: true }).waitFor()
    for (const path of ['alarms', 'journal', 'settings', 'wall']) {
      await page.goto(`${front}immune/#/${path}`)
      await page.getByRole('heading').first().waitFor()
    }
    const names = await page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name))
    expect(names.length).toBeGreaterThan(2)
    expect(names.filter((name) => name?.startsWith('/immune:') !== true)).toEqual([])
    expect([...outside]).toEqual([])
    const manifest = await page.evaluate(async () => {
      const { href = '' } = document.querySelector<HTMLLinkElement>('link[rel="manifest"]') ?? {}
      return (await fetch(href)).status
    })
    expect(manifest).toBe(200)
  })
})

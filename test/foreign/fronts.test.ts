import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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

/** One path of each role. */
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

/** Each header that this product's server sends for that path. A Worker without a validator is not kept at all. */
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
  // 204: preflights of a browser that asks the service itself.
  const statuses = Object.keys(stage.reference.stats().byStatus)
  expect(statuses.filter((status) => status !== '204')).toEqual(['200'])
}

const KINDS = [
  ['nginx', 'nginx/front.conf', 'nginx/static.conf'],
  ['Caddy', 'caddy/front.Caddyfile', 'caddy/static.Caddyfile'],
] as const satisfies readonly (readonly [FrontKind, string, string])[]

describe.each(KINDS)('%s, as deploy has it', (kind, front, alone) => {
  it.skipIf(!isThere[kind])('in front of the dashboard adds TLS, and takes no header away', async () => {
    const { host } = new URL(stage.dashboard.dashboardUrl)
    const url = await startFront({ kind, file: front, replace: { '127.0.0.1:7420': host } })
    await expectSameHeaders(url, [])
    await watchThrough(url)
  })

  it.skipIf(!isThere[kind])(
    'alone hosts the page with its policies, and the browser asks the service itself',
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
      // Never the page in place of a file that is gone.
      expect((await headersOf(new URL('/assets/gone.js', url).href)).status).toBe(404)
      await watchThrough(url)
    },
  )
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import type { Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { launchDashboard } from '#test/support/launch-app.ts'
import { firstRunTexts } from '#texts/en-first-run.ts'
import { browserForTests } from './watched-browser.ts'

const browser = browserForTests()

/** Another program, with a page and service workers of its own; prints its port. `fetched`: what those answer with. */
const OTHER = `
const { createServer } = require('node:http')
createServer((request, response) => {
  const isScript = new URL(request.url, 'http://x').pathname.endsWith('.js')
  response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html')
  response.setHeader('Service-Worker-Allowed', '/')
  response.setHeader('Cache-Control', isScript ? 'max-age=31536000' : 'no-store')
  response.end(isScript ? process.argv[1] : '<p>other program</p>')
}).listen(0, '127.0.0.1', function () { console.log(this.address().port) })
`
const ANSWERS_PAGES = `
addEventListener('install', () => skipWaiting())
addEventListener('activate', (event) => event.waitUntil(clients.claim()))
addEventListener('fetch', (event) => {
  if (event.request.mode === 'navigate') event.respondWith(new Response('other program', { headers: { 'Content-Type': 'text/html' } }))
})`
const ANSWERS_CODE = `
addEventListener('install', () => skipWaiting())
addEventListener('activate', (event) => event.waitUntil(clients.claim()))
addEventListener('fetch', (event) => {
  if (event.request.destination.endsWith('worker')) event.respondWith(new Response('', { headers: { 'Content-Type': 'text/javascript' } }))
})`

/** What a browser keeps of another program that had a port, which is free then. */
async function leftBehind(
  code: string,
  script: string,
  scope: string,
): Promise<{ page: Page; port: string }> {
  const child = spawn(process.execPath, ['-e', OTHER, code], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill())
  const [printed] = await once(child.stdout, 'data')
  const port = String(printed).trim()
  const page = await browser.openPage()
  await page.goto(`http://127.0.0.1:${port}/`)
  await page.evaluate(
    async ([url, given]) => {
      await (await caches.open('other')).put('/kept', new Response('kept'))
      const { installing, active } = await navigator.serviceWorker.register(url, { scope: given })
      if (active !== null) return
      await new Promise<void>((done) => {
        installing?.addEventListener('statechange', () => installing.state === 'activated' && done())
      })
    },
    [script, scope] as const,
  )
  child.kill()
  await once(child, 'exit')
  return { page, port }
}

it.each([
  ['answers for the page', ANSWERS_PAGES, '/worker.js', '/'],
  ['answers for the page, from a folder', ANSWERS_PAGES, '/a/b/worker.js?v=1', '/'],
  ['answers for the page’s Workers alone', ANSWERS_CODE, '/worker.js', '/assets/'],
  ['answers for no page, but for all code', ANSWERS_CODE, '/worker.js', '/'],
])(
  'a service worker of the program that had this port before is gone: one that %s',
  async (_what, ...left) => {
    const { page, port } = await leftBehind(...left)
    const dashboard = await launchDashboard(['--port', port])
    onTestFinished(async () => void (await dashboard.stop()))
    await page.goto(`http://127.0.0.1:${port}/`)
    await page.getByRole('heading', { name: firstRunTexts.title }).waitFor()
    await expect
      .poll(() => page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length))
      .toBe(0)
    expect(await page.evaluate(() => navigator.serviceWorker.controller)).toBeNull()
  },
)

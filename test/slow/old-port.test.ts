import { spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import type { Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { launchDashboard } from '#test/support/launch-app.ts'
import { firstRunTexts } from '#texts/en-first-run.ts'
import { browserForTests } from '#test/e2e/watched-browser.ts'

const browser = browserForTests()

/** Another program with a page and service workers, which prints its port. Its argument is the workers' script. */
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

/** Leaves behind what a browser stores of a program that has since released its port. */
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
  ['intercepts the page', ANSWERS_PAGES, '/worker.js', '/'],
  ['intercepts the page, from a folder', ANSWERS_PAGES, '/a/b/worker.js?v=1', '/'],
  ['intercepts only the page’s Workers', ANSWERS_CODE, '/worker.js', '/assets/'],
  ['intercepts all Workers but no page', ANSWERS_CODE, '/worker.js', '/'],
])('a service worker that another program left at this port is removed if it %s', async (_what, ...left) => {
  const { page, port } = await leftBehind(...left)
  const dashboard = await launchDashboard(['--port', port])
  onTestFinished(async () => void (await dashboard.stop()))
  await page.goto(`http://127.0.0.1:${port}/`)
  await page.getByRole('heading', { name: firstRunTexts.title }).waitFor()
  await expect
    .poll(() => page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length))
    .toBe(0)
  expect(await page.evaluate(() => navigator.serviceWorker.controller)).toBeNull()
})

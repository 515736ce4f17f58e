import { createServer, type Server } from 'node:http'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { watchCsp } from '#test/support/csp.ts'
import { launchBrowser } from '#test/support/launch-browser.ts'
import { portOf } from '#test/support/free-port.ts'

const FORBIDDEN = 'http://127.0.0.1:9/'
const NOTHING = "default-src 'none'"
const SELF = "default-src 'self'; require-trusted-types-for 'script'; trusted-types app"

const FILES: Readonly<Record<string, { type: string; policy: string; body: string }>> = {
  '/': { type: 'text/html', policy: SELF, body: '<!doctype html><script src="/page.js"></script>' },
  '/page.js': {
    type: 'text/javascript',
    policy: NOTHING,
    body: `
      const policy = trustedTypes.createPolicy('app', { createScriptURL: (url) => url })
      const answer = (port) => new Promise((done) => { port.onmessage = done })
      const worker = new Worker(policy.createScriptURL('/worker.js'))
      const shared = new SharedWorker(policy.createScriptURL('/shared.js'))
      globalThis.workersDone = answer(worker)
      globalThis.sharedWorkerId = answer(shared.port).then(({ data }) => data)
      globalThis.pageDone = fetch('${FORBIDDEN}page').catch(() => {
        try { document.createElement('p').innerHTML = '<b>' } catch {}
      })`,
  },
  '/worker.js': {
    type: 'text/javascript',
    policy: NOTHING,
    body: `fetch('${FORBIDDEN}worker').catch(() => postMessage('done'))`,
  },
  '/shared.js': {
    type: 'text/javascript',
    policy: NOTHING,
    body: `
      const tried = fetch('${FORBIDDEN}shared').catch(() => {})
      const id = crypto.randomUUID()
      onconnect = ({ ports: [port] }) => tried.then(() => port.postMessage(id))`,
  },
}

const ALL = [
  { in: 'page', path: '/', directive: 'connect-src', blocked: `${FORBIDDEN}page` },
  { in: 'page', path: '/', directive: 'require-trusted-types-for', blocked: '' },
  { in: 'shared_worker', path: '/shared.js', directive: 'connect-src', blocked: `${FORBIDDEN}shared` },
  { in: 'worker', path: '/worker.js', directive: 'connect-src', blocked: `${FORBIDDEN}worker` },
]

let server: Server
let browser: Browser
let url = ''

beforeAll(async () => {
  server = createServer((request, response) => {
    const file = FILES[request.url ?? '']
    if (file === undefined) return response.writeHead(404).end()
    const headers = { 'Content-Type': file.type, 'Content-Security-Policy': file.policy }
    return response.writeHead(200, headers).end(file.body)
  })
  url = `http://127.0.0.1:${await portOf(server)}/`
})
afterAll(() => {
  server.close()
})
beforeEach(async () => {
  browser = await launchBrowser()
})
afterEach(async () => {
  await browser.close()
})

/** Waits until the page and its Workers have tried everything. Resolves to the SharedWorker's id. */
const allTried = (page: Page): Promise<unknown> =>
  page.evaluate('Promise.all([sharedWorkerId, pageDone, workersDone]).then(([id]) => id)')

async function visit(): Promise<Page> {
  const page = await browser.newPage()
  await page.goto(url)
  await allTried(page)
  return page
}

const sorted = <T extends { in: string; directive: string }>(list: readonly T[]) =>
  list.toSorted((a, b) => `${a.in} ${a.directive}`.localeCompare(`${b.in} ${b.directive}`))

it('reports violations in page, Worker and SharedWorker', async () => {
  const watch = await watchCsp(browser)
  const page = await visit()
  expect(sorted(await watch.violations())).toEqual(ALL)
  await page.close()
})

it('reports violations from before it started', async () => {
  const page = await visit()
  const watch = await watchCsp(browser)
  await expect.poll(async () => sorted(await watch.violations())).toEqual(ALL)
  await page.close()
})

it('continues after a reload, which ends one SharedWorker and starts another', async () => {
  const watch = await watchCsp(browser)
  const page = await browser.newPage()
  await page.goto(url)
  const first = await allTried(page)
  let loads = 1
  // A page that reloads before the browser has ended its SharedWorker connects to the same one again.
  await expect
    .poll(async () => {
      await page.reload()
      loads += 1
      return allTried(page)
    })
    .not.toBe(first)
  const expected = ALL.flatMap((one) => Array(one.in === 'shared_worker' ? 2 : loads).fill(one))
  expect(sorted(await watch.violations())).toEqual(sorted(expected))
  await page.close()
})

import { createServer, type OutgoingHttpHeaders, type Server } from 'node:http'
import { join } from 'node:path'
import { build } from 'vite'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { launchLightBrowser } from '#test/support/launch-browser.ts'
import { portOf } from '#test/support/free-port.ts'

/** An answer to a direct cross-origin request, which a browser might cache. */
type Answer = readonly [status: number, headers: OutgoingHttpHeaders]

const FRESH: Answer = [200, { 'Cache-Control': 'public, max-age=600' }]
const PLAIN: Answer = [200, {}]
const NOT_STORED: Answer = [200, { 'Cache-Control': 'no-store', ETag: '"same"' }]
const preflight = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Headers': 'authorization',
  'Access-Control-Max-Age': '7200',
}

let browser: Browser
let script = ''
let page: Page
let site: Server
let sitePort: number
let service: Server
let url = ''
let asked: string[]
let answer: Answer

beforeAll(async () => {
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    build: { write: false, rolldownOptions: { input: join(import.meta.dirname, 'transport-page.ts') } },
  })
  const [output] = 'output' in built ? built.output : []
  script = output?.code ?? ''
  browser = await launchLightBrowser()
})
afterAll(() => browser.close())

beforeEach(async () => {
  asked = []
  answer = PLAIN
  service = createServer((request, response) => {
    asked.push(request.method ?? '')
    if (request.method === 'OPTIONS') return response.writeHead(204, preflight).end()
    const [status, headers] = answer
    return response.writeHead(status, { ...preflight, ...headers }).end(`${asked.length}`)
  })
  site = createServer((request, response) => {
    const isScript = request.url === '/page.js'
    response.writeHead(200, { 'Content-Type': isScript ? 'text/javascript' : 'text/html' })
    response.end(isScript ? script : '<!doctype html><script type="module" src="/page.js"></script>')
  })
  url = `http://127.0.0.1:${await portOf(service)}/node/status?node_id=0x1`
  page = await browser.newPage()
  sitePort = await portOf(site)
  await page.goto(`http://127.0.0.1:${sitePort}/`)
})
afterEach(async () => {
  await page.close()
  site.close()
  service.closeAllConnections()
  service.close()
})

const ask = (): Promise<string> => page.evaluate((address) => globalThis.ask(address), url)

/** Sends this many requests, and returns all requests that the service received. */
async function requests(count: number): Promise<string> {
  for (let n = 0; n < count; n++) await ask()
  return asked.join(' ')
}

describe('a service on another origin', () => {
  it.each<[string, Answer]>([
    ['max-age of ten minutes', FRESH],
    ['Expires in the future', [200, { Expires: 'Fri, 31 Dec 2100 00:00:00 GMT' }]],
    ['old Last-Modified', [200, { 'Last-Modified': 'Sat, 01 Jan 2000 00:00:00 GMT' }]],
    ['gone', [410, {}]],
    ['permanent redirect', [308, { Location: 'http://127.0.0.1:9/' }]],
  ])('gets every request, whatever the cacheability of its answers: %s', async (_what, given) => {
    answer = given
    expect(await requests(3)).toBe('OPTIONS GET OPTIONS GET OPTIONS GET')
  })

  it.each<[string, Answer]>([
    ['no cache headers', PLAIN],
    ['no-store', NOT_STORED],
    ['an error', [503, {}]],
  ])('gets a preflight only once if its answers are not cacheable: %s', async (_what, given) => {
    answer = given
    expect(await requests(4)).toBe('OPTIONS GET GET GET GET')
  })

  it('gives no cached answer after it stopped or after it sent no-store', async () => {
    answer = PLAIN
    await requests(2)
    answer = FRESH
    const fresh = await ask()
    answer = NOT_STORED
    const later = [await ask(), await ask(), await ask()]
    expect(new Set([fresh, ...later]).size).toBe(4)
    service.closeAllConnections()
    service.close()
    expect(await ask()).toBe('unreachable')
  })

  it('is reachable again after an answer that a browser would cache permanently', async () => {
    await requests(2)
    answer = [301, { Location: 'http://127.0.0.1:9/' }]
    expect(await ask()).toBe('redirected')
    answer = PLAIN
    expect(await ask()).toMatch(/^\d+$/)
  })
})

describe('the browser’s network panel', () => {
  it.each(['through the dashboard’s own server', 'directly'])(
    'shows polls as answered when sent %s',
    async (way) => {
      const ended: string[] = []
      const session = await page.context().newCDPSession(page)
      session.on('Network.loadingFailed', ({ canceled, errorText }) => {
        ended.push(canceled === true ? '(canceled)' : errorText)
      })
      const statuses = new Map<string, number>()
      session.on('Network.responseReceived', ({ requestId, type, response }) => {
        if (type !== 'Preflight') statuses.set(requestId, response.status)
      })
      session.on('Network.loadingFinished', ({ requestId }) => {
        const status = statuses.get(requestId)
        if (status !== undefined) ended.push(String(status))
      })
      await session.send('Network.enable')
      if (way !== 'directly') url = `http://127.0.0.1:${sitePort}/proxy/service/node/status`
      for (let n = 0; n < 5; n++) await ask()
      await expect.poll(() => ended).toEqual(['200', '200', '200', '200', '200'])
    },
  )
})

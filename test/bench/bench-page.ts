import { Agent, createServer, request } from 'node:http'
import { readFile, rm, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { build, loadConfigFromFile } from 'vite'
import { launchBrowser, launchProfile } from '#test/support/launch-browser.ts'
import { portOf } from '#test/support/free-port.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
}

export type BenchPage = {
  readonly page: Page
  /** CPU time of the page's main thread so far, in ms: ticks of the thread, which other load hardly affects. */
  readonly mainCpuMs: () => Promise<number>
  readonly close: () => Promise<void>
}

/**
 * Builds a page of this folder as the product is built, serves it on loopback and opens it in Chromium. `profile` is
 * the folder for the page's storage; without it storage is in memory.
 */
export async function openBenchPage(folder: string, profile?: string): Promise<BenchPage> {
  const served = await serveBenchPage(folder)
  const browser = profile === undefined ? await launchBrowser() : await launchProfile(profile)
  const page = await browser.newPage()
  const failed = new Promise<never>((_, reject) => page.on('pageerror', reject))
  const metrics = await metricsOf(page)
  await Promise.race([page.goto(served.url), failed])
  return {
    page,
    mainCpuMs: async () => (await metrics()).mainCpuMs,
    close: async () => {
      await browser.close()
      await served.close()
    },
  }
}

type Served = { readonly url: string; readonly close: () => Promise<void> }

/** Receives the page's status requests, over keep-alive connections. */
type ServiceBehind = { readonly baseUrl: string; readonly headers: Readonly<Record<string, string>> }

export async function serveBenchPage(folder: string, service?: ServiceBehind): Promise<Served> {
  const outDir = await mkdtemp(join(tmpdir(), 'bench-'))
  const root = join(import.meta.dirname, folder)
  // The Workers need the product's own build options, so that this signer is the one that ships.
  const product = await loadConfigFromFile({ command: 'build', mode: 'production' }, 'vite.config.ts')
  if (product?.config.worker === undefined) throw new Error('vite.config.ts sets no Worker options')
  await build({
    configFile: false,
    // Hides warnings about directives such as "use client", which have no meaning in a bundle.
    logLevel: 'error',
    root,
    worker: product.config.worker,
    build: { outDir, emptyOutDir: true, target: 'es2023', reportCompressedSize: false },
  })
  const agent = new Agent({ keepAlive: true })
  const server = createServer((asked, response) => {
    const path = asked.url === '/' ? '/index.html' : (asked.url ?? '')
    if (service !== undefined && path.startsWith('/node/')) {
      const onward = request(`${service.baseUrl}${path}`, { agent, headers: service.headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, { 'Content-Type': 'application/json' })
        answer.pipe(response)
      })
      onward.on('error', () => response.destroy())
      onward.end()
      return
    }
    // The signer gets the product's policy, which forbids it every connection.
    const policy = path.includes('signer-worker') ? { 'Content-Security-Policy': "default-src 'none'" } : {}
    readFile(join(outDir, path)).then(
      (body) => response.writeHead(200, { 'Content-Type': TYPES[extname(path)] ?? '', ...policy }).end(body),
      () => response.writeHead(404).end(),
    )
  })
  return {
    url: `http://127.0.0.1:${await portOf(server)}/`,
    close: async () => {
      server.close()
      server.closeAllConnections()
      agent.destroy()
      await rm(outDir, { recursive: true })
    },
  }
}

type PageMetrics = { readonly mainCpuMs: number; readonly heapMb: number; readonly domNodes: number }

/** Reads Chromium's metrics of the page. `collected` collects garbage first, so that the heap has none. */
export async function metricsOf(page: Page): Promise<(collected?: boolean) => Promise<PageMetrics>> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  return async (collected = false) => {
    if (collected) await session.send('HeapProfiler.collectGarbage')
    const { metrics } = await session.send('Performance.getMetrics')
    const read = (wanted: string): number => {
      const found = metrics.find(({ name }) => name === wanted)?.value
      if (found === undefined) throw new Error(`Chromium reports no ${wanted}`)
      return found
    }
    return {
      mainCpuMs: read('TaskDuration') * 1_000,
      heapMb: read('JSHeapUsedSize') / 1e6,
      domNodes: read('Nodes'),
    }
  }
}

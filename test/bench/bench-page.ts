import { once } from 'node:events'
import { createServer } from 'node:http'
import { readFile, rm, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { build, loadConfigFromFile } from 'vite'
import { launchBrowser, launchProfile } from '#test/support/launch-browser.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
}

export type BenchPage = {
  readonly page: Page
  /** CPU time of the page's main thread so far, in ms: ticks of the thread, which other load hardly moves. */
  readonly mainCpuMs: () => Promise<number>
  readonly close: () => Promise<void>
}

/**
 * Builds a page of this folder as the product is built, serves it on loopback and opens it in
 * Chromium. `profile`: a folder on disk for what the page keeps; without it all lies in memory.
 */
export async function openBenchPage(folder: string, profile?: string): Promise<BenchPage> {
  const outDir = await mkdtemp(join(tmpdir(), 'bench-'))
  const root = join(import.meta.dirname, folder)
  // The product's own options for Workers, so that the signer here is the signer that is shipped.
  const product = await loadConfigFromFile({ command: 'build', mode: 'production' }, 'vite.config.ts')
  if (product?.config.worker === undefined) throw new Error('vite.config.ts sets no Worker options')
  await build({
    configFile: false,
    logLevel: 'warn',
    root,
    worker: product.config.worker,
    build: { outDir, emptyOutDir: true, target: 'es2023', reportCompressedSize: false },
  })
  const server = createServer((request, response) => {
    const path = request.url === '/' ? '/index.html' : (request.url ?? '')
    // The signer gets the policy that it has in the product: it may reach nothing.
    const policy = path.includes('signer-worker') ? { 'Content-Security-Policy': "default-src 'none'" } : {}
    readFile(join(outDir, path)).then(
      (body) => response.writeHead(200, { 'Content-Type': TYPES[extname(path)] ?? '', ...policy }).end(body),
      () => response.writeHead(404).end(),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')

  const browser = profile === undefined ? await launchBrowser() : await launchProfile(profile)
  const page = await browser.newPage()
  const failed = new Promise<never>((_, reject) => page.on('pageerror', reject))
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  await Promise.race([page.goto(`http://127.0.0.1:${address.port}/`), failed])
  return {
    page,
    mainCpuMs: async () => {
      const { metrics } = await session.send('Performance.getMetrics')
      const seconds = metrics.find(({ name }) => name === 'TaskDuration')?.value
      if (seconds === undefined) throw new Error('Chromium reports no TaskDuration')
      return seconds * 1_000
    },
    close: async () => {
      await browser.close()
      server.close()
      await rm(outDir, { recursive: true })
    },
  }
}

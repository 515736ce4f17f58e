import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'vite'
import { createStaticHost, readStaticFiles, type StaticFile } from '#server/static-host.ts'
import { COMMON_HEADERS } from '#server/security-headers.ts'

export type SignerSite = {
  readonly port: number
  /** Paths of all requests so far. */
  readonly requests: readonly string[]
  readonly forgetRequests: () => void
  /** The signer's script can also come without its policy, as from a badly set up host, or be missing. */
  signerScript: 'as-shipped' | 'without-policy' | 'missing'
  readonly stop: () => Promise<void>
}

/**
 * The real signer and its real page side on a page of their own, built as the app is and
 * hosted by the real static host with its real headers. The app's own page does not hand out
 * the signer; here a test can call it, and send it what no page of ours would.
 */
export async function startSignerSite(): Promise<SignerSite> {
  const folder = mkdtempSync(join(tmpdir(), 'signer-page-'))
  await build({
    root: import.meta.dirname,
    configFile: false,
    logLevel: 'warn',
    build: { outDir: folder, emptyOutDir: true, assetsInlineLimit: 0, modulePreload: { polyfill: false } },
    worker: {
      format: 'es',
      rolldownOptions: { output: { codeSplitting: false, entryFileNames: 'assets/[name]-[hash].js' } },
    },
  })
  const files = await readStaticFiles(folder)
  if (!files.ok) throw new Error(`the page was not built: ${files.error}`)
  const serve = createStaticHost(files.value, () => [])
  const requests: string[] = []
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://site').pathname
    requests.push(path)
    if (site.signerScript !== 'as-shipped' && path.includes('signer-worker'))
      void serveBadly(response, site.signerScript, files.value.get(path))
    else void serve(request, response, path, undefined)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const site: SignerSite = {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    requests,
    forgetRequests: () => requests.splice(0),
    signerScript: 'as-shipped',
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return site
}

async function serveBadly(
  response: ServerResponse,
  how: 'without-policy' | 'missing',
  file: StaticFile | undefined,
): Promise<void> {
  if (how === 'missing' || file === undefined) response.writeHead(404, COMMON_HEADERS).end()
  else
    response
      .writeHead(200, { ...COMMON_HEADERS, 'Content-Type': file.contentType })
      .end(await file.bytes('identity'))
}

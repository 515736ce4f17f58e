import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build, type Plugin } from 'vite'
import type { Argon2Cost } from '#keys/passphrase-key.ts'
import { ARGON2_DEFAULT, ARGON2_FLOOR } from '#keys/vault.ts'
import { createStaticHost, readStaticFiles, type StaticFile } from '#server/static-host.ts'
import { COMMON_HEADERS } from '#server/security-headers.ts'
import { portOf } from '#test/support/free-port.ts'

export type SignerSite = {
  readonly port: number
  /** Paths of all requests so far. */
  readonly requests: readonly string[]
  readonly forgetRequests: () => void
  /** The signer's script can also lack its policy, as on a badly configured host, or be missing. */
  signerScript: 'as-shipped' | 'without-policy' | 'missing'
  readonly stop: () => Promise<void>
}

const inCode = ({ memoryKib, passes }: Argon2Cost): string =>
  `memoryKib: ${memoryKib.toLocaleString('en').replaceAll(',', '_')}, passes: ${passes},`

/** Uses the lowest cost that the signer accepts for vaults, with the same code: a fifth of the time per passphrase. */
const CHEAP_VAULTS: Plugin = {
  name: 'cheap-vaults',
  enforce: 'pre',
  transform(code, id) {
    if (!id.endsWith('/src/core/keys/vault.ts')) return undefined
    const cheap = code.replace(inCode(ARGON2_DEFAULT), inCode(ARGON2_FLOOR))
    if (cheap === code) throw new Error('the source of the vault’s cost has changed')
    return cheap
  },
}

/**
 * The real signer and its page side on a page of its own, built like the app and served by the real static host with
 * its real headers. The app's own page does not expose the signer. Here a test can call it and send it messages that no
 * page of ours would.
 */
export async function startSignerSite(): Promise<SignerSite> {
  const folder = mkdtempSync(join(tmpdir(), 'signer-page-'))
  await build({
    root: import.meta.dirname,
    configFile: false,
    logLevel: 'warn',
    plugins: [CHEAP_VAULTS],
    build: { outDir: folder, emptyOutDir: true, assetsInlineLimit: 0, modulePreload: { polyfill: false } },
    worker: {
      format: 'es',
      plugins: () => [CHEAP_VAULTS],
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
  const site: SignerSite = {
    port: await portOf(server),
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

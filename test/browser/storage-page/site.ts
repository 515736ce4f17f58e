import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { build } from 'vite'
import { portOf } from '#test/support/free-port.ts'

export type StorageSite = {
  /** Each host name under `localhost` is a separate origin with separate storage. */
  readonly urlOf: (host: string) => string
  readonly stop: () => Promise<void>
}

const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript' }

/** The real history on the real IndexedDB, on a page where tests can call it. */
export async function startStorageSite(): Promise<StorageSite> {
  const folder = mkdtempSync(join(tmpdir(), 'storage-page-'))
  await build({
    root: import.meta.dirname,
    configFile: false,
    logLevel: 'warn',
    build: { outDir: folder, emptyOutDir: true, target: 'es2023', modulePreload: { polyfill: false } },
  })
  const server = createServer((request, response) => {
    const path = request.url === '/' ? '/index.html' : (request.url ?? '')
    response.writeHead(200, { 'Content-Type': TYPES[extname(path)] ?? '' })
    response.end(readFileSync(join(folder, path)))
  })
  const port = await portOf(server)
  return {
    urlOf: (host) => `http://${host}.localhost:${port}/`,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

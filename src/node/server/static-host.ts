import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { isUnchanged, sendMethodNotAllowed, sendProblem, problemOf } from './send-reply.ts'
import type { Owner } from './receivers.ts'
import { fileHeaders, roleOf } from './security-headers.ts'
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { err, ok, type Result } from '#base/result.ts'

/** Handles requests for the page and its files. `path`: without the query. `owner`: the visitor's account. */
export type Pages = (
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  owner: Owner,
) => Promise<void>

/** `directOrigins`: sources for the engine Worker's connect-src, evaluated for every request. */
export const createStaticHost =
  (files: StaticFiles, directOrigins: (owner: Owner) => readonly string[]): Pages =>
  async (request, response, path, owner) => {
    const file = files.get(path)
    // Never answers with the page instead of a missing file, because a stale tab must see that its file is gone.
    if (file === undefined) return sendProblem(response, NOT_FOUND)
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return sendMethodNotAllowed(response, 'GET, HEAD')
    const role = roleOf(path)
    const encoding = file.compressible ? chooseEncoding(request.headers['accept-encoding']) : 'identity'
    const headers: Record<string, string | number> = {
      ...fileHeaders(role, directOrigins(owner)),
      'Content-Type': file.contentType,
    }
    if (file.compressible) headers['Vary'] = 'Accept-Encoding'
    // With a validator the browser could keep an engine Worker whose policy has changed.
    if (role !== 'engine-worker') {
      headers['ETag'] = file.etag(encoding)
      if (isUnchanged(request.headers['if-none-match'], file.etag(encoding)))
        return void response.writeHead(304, headers).end()
    }
    const body = await file.bytes(encoding)
    if (encoding !== 'identity') headers['Content-Encoding'] = encoding
    headers['Content-Length'] = body.length
    response.writeHead(200, headers).end(body)
  }

const NOT_FOUND = problemOf(
  404,
  'Not found',
  'There is no such file. To open the dashboard, use its address without a file name.',
)

type Encoding = 'br' | 'gzip' | 'identity'

export type StaticFile = ReturnType<typeof staticFile>

/** Hosted files by their path on the server, e.g. "/assets/index-1.js". */
type StaticFiles = ReadonlyMap<string, StaticFile>

type StaticFilesProblem = 'missing' | 'too-large'

/** A build has about 2 MB; a larger folder is not ours. */
const TOTAL_MAX_BYTES = 64 * 1024 * 1024

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
}

/**
 * Reads a built app into memory. Only files that existed at the start are served, so no path leads out of the folder, and a
 * rebuild cannot mix files of two builds.
 */
export async function readStaticFiles(folder: string): Promise<Result<StaticFiles, StaticFilesProblem>> {
  const files = new Map<string, StaticFile>()
  let totalBytes = 0
  for (const path of await filePathsIn(folder)) {
    const content = await readFile(path)
    totalBytes += content.length
    if (totalBytes > TOTAL_MAX_BYTES) return err('too-large')
    files.set(`/${relative(folder, path).split(sep).join('/')}`, staticFile(extname(path), content))
  }
  const page = files.get('/index.html')
  if (page === undefined) return err('missing')
  return ok(files.set('/', page))
}

/** Walks the folder itself, because a recursive `readdir` follows symbolic links in Node 26 but not in Node 24. */
async function filePathsIn(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    const found = entries.map(async (entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return filePathsIn(path)
      return entry.isFile() ? [path] : []
    })
    return (await Promise.all(found)).flat()
  } catch {
    return [] // A missing folder and an empty one both mean that there is no build.
  }
}

function staticFile(extension: string, content: Buffer) {
  const contentType = CONTENT_TYPES[extension] ?? 'application/octet-stream'
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 22)
  // Each file is compressed once, at the first request; concurrent requests share the promise.
  const compressed = new Map<Encoding, Promise<Buffer>>()
  return {
    contentType,
    compressible: /^(text|application)\/|svg/.test(contentType) && content.length > 256,
    /** Quoted, as in the ETag header; differs by encoding because the bytes do. */
    etag: (encoding: Encoding): string => `"${hash}-${encoding}"`,
    bytes: (encoding: Encoding): Promise<Buffer> => {
      const known = compressed.get(encoding)
      if (known !== undefined) return known
      const made = COMPRESS[encoding](content)
      compressed.set(encoding, made)
      return made
    },
  }
}

/** Level 9 takes six times as much CPU and saves one per cent; the levels above it take seconds. */
const BROTLI_QUALITY = 6

const brotli = promisify(brotliCompress)

const COMPRESS: Readonly<Record<Encoding, (content: Buffer) => Promise<Buffer>>> = {
  br: (content) => brotli(content, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: promisify(gzip),
  identity: async (content) => content,
}

/** The best encoding that an Accept-Encoding header allows. Ignores weights other than 0. */
export function chooseEncoding(accept: string | undefined): Encoding {
  const offered = new Map(
    (accept ?? '').split(',').map((part): [string, string] => {
      const [name = '', weight = ''] = part.toLowerCase().split(';')
      return [name.trim(), weight.trim()]
    }),
  )
  const accepts = (name: string) => offered.has(name) && !/^q=0(\.0*)?$/.test(offered.get(name) ?? '')
  return accepts('br') ? 'br' : accepts('gzip') ? 'gzip' : 'identity'
}

/**
 * Whether a browser requests the script of a service worker. This product has none; another program registered one at this
 * address, and browsers keep requesting its script, at whatever path.
 */
export const isForServiceWorker = (headers: IncomingHttpHeaders): boolean =>
  headers['service-worker'] === 'script' || headers['sec-fetch-dest'] === 'serviceworker'

/** Replaces that service worker, unregisters it, deletes its caches, and reloads its pages from here. */
const FAREWELL = `addEventListener('install', () => skipWaiting())
addEventListener('activate', (event) => event.waitUntil(leave()))
async function leave() {
  await registration.unregister()
  for (const name of await caches.keys()) await caches.delete(name)
  for (const page of await clients.matchAll({ type: 'window' })) page.navigate(page.url).catch(() => undefined)
}
`

export function sendFarewell(response: ServerResponse): void {
  response
    .writeHead(200, {
      'Content-Type': 'text/javascript; charset=utf-8',
      'Cache-Control': 'no-store',
      // Another program on this port may have made the browser cache code under our file names.
      'Clear-Site-Data': '"cache"',
      'Content-Security-Policy': "default-src 'none'",
      'X-Content-Type-Options': 'nosniff',
      // The service worker may have been registered for more than the folder of its script.
      'Service-Worker-Allowed': '/',
    })
    .end(FAREWELL)
}

import { createHash } from 'node:crypto'
import { readFile, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { chooseEncoding, readStaticFiles } from '#server/static-host.ts'
import { policySource } from '#server/security-headers.ts'
import { ask, json } from './http-client.ts'
import { builtFolder, startTestServer, temporaryFolder } from './test-server.ts'

const ON_EVERY_ANSWER = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
}

type Manifest = {
  readonly icons: readonly {
    readonly src: string
    readonly sizes: string
    readonly type: string
    readonly purpose: string
  }[]
}

describe('headers by path', () => {
  const PAGE =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-src 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types immune-workers"
  const OFF = "default-src 'none'; frame-ancestors 'none'; sandbox"
  const TYPES = "require-trusted-types-for 'script'; trusted-types 'none'"
  const FOREVER = 'public, max-age=31536000, immutable'
  const paths: readonly [path: string, status: number, policy: string, cache: string][] = [
    ['/', 200, PAGE, 'no-cache'],
    ['/index.html', 200, PAGE, 'no-cache'],
    ['/assets/engine-worker-1.js', 200, `default-src 'none'; connect-src 'self'; ${TYPES}`, 'no-cache'],
    ['/assets/signer-worker-1.js', 200, `default-src 'none'; ${TYPES}`, 'no-cache'],
    ['/assets/index-1.js', 200, OFF, FOREVER],
    ['/assets/plex-1.woff2', 200, OFF, FOREVER],
    ['/config.schema.json', 200, OFF, 'no-cache'],
    ['/config.json', 200, OFF, 'no-store'],
    ['/assets/missing-1.js', 404, OFF, 'no-store'],
    ['/fleet', 404, OFF, 'no-store'],
  ]
  it.each(paths)('%s', async (path, status, policy, cache) => {
    const { url } = await startTestServer()
    const answer = await ask(url, path)
    expect(answer.status).toBe(status)
    expect(answer.headers).toMatchObject({ ...ON_EVERY_ANSWER, 'cache-control': cache })
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
    expect(answer.headers['content-security-policy']).toBe(policy)
  })

  it('isolate the page and deny it the permissions that it does not need', async () => {
    const { url } = await startTestServer()
    const { headers } = await ask(url, '/')
    expect(headers['cross-origin-opener-policy']).toBe('same-origin')
    expect(headers['permissions-policy']).toContain('camera=()')
    expect(headers['permissions-policy']).toContain('screen-wake-lock=(self)')
  })

  it('belong to a 404, never to the page, if a file is missing', async () => {
    const { url } = await startTestServer()
    const answer = await ask(url, '/assets/missing-1.js')
    expect(answer.body.toString()).not.toContain('<title>')
    expect(answer.headers['content-type']).toBe('application/problem+json')
    expect(json(answer)).toEqual({
      type: 'about:blank',
      status: 404,
      title: 'Not found',
      detail: 'There is no such file. To open the dashboard, use its address without a file name.',
    })
  })
})

const inPublic = (path: string) => readFile(join(import.meta.dirname, '../../../public', path))

it('the web manifest names existing icons of the stated size for each purpose', async () => {
  const { icons }: Manifest = JSON.parse(String(await inPublic('manifest.webmanifest')))
  expect(icons.map(({ purpose, sizes }) => `${purpose} ${sizes}`)).toEqual([
    'any 192x192',
    'any 512x512',
    'maskable 192x192',
    'maskable 512x512',
  ])
  for (const { src, sizes, type } of icons) {
    const bytes = await inPublic(src)
    // A PNG's signature, and the width and height in its first chunk.
    expect([src, bytes.toString('latin1', 1, 4), type]).toEqual([src, 'PNG', 'image/png'])
    expect([src, `${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`]).toEqual([src, sizes])
  }
})

describe('caching', () => {
  it('answers 304 with all headers if the browser has the page', async () => {
    const { url } = await startTestServer()
    const first = await ask(url, '/')
    const again = await ask(url, '/', { headers: { 'if-none-match': `"other", W/${first.headers.etag}` } })
    expect(again.status).toBe(304)
    expect(again.body).toHaveLength(0)
    expect(again.headers['content-security-policy']).toBe(first.headers['content-security-policy'])
    expect((await ask(url, '/', { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
  })

  it('gives the engine Worker no validator, so that a new connect-src applies at once', async () => {
    const { url } = await startTestServer()
    const { headers, body } = await ask(url, '/assets/engine-worker-1.js')
    expect(headers.etag).toBeUndefined()
    expect(headers['last-modified']).toBeUndefined()
    // The ETag that any other file with this content would have.
    const hash = createHash('sha256').update(body).digest('base64url').slice(0, 22)
    const again = await ask(url, '/assets/engine-worker-1.js', {
      headers: { 'if-none-match': `"${hash}-identity"` },
    })
    expect(again.status).toBe(200)
  })

  it.each([
    ['"other",ETAG', 304],
    ['ETAG , "other"', 304],
    ['W/ETAG', 304],
    ['xW/ETAG', 200],
    ['"W/TAG', 200],
    ['*', 200],
    ['', 200],
  ])('answers If-None-Match: %s with %i', async (known, status) => {
    const { url } = await startTestServer()
    const { etag = '' } = (await ask(url, '/')).headers
    const again = await ask(url, '/', {
      headers: { 'if-none-match': known.replace('ETAG', etag).replace('TAG', etag.slice(1)) },
    })
    expect([again.status, again.headers.etag]).toEqual([status, etag])
  })
})

describe('encodings', () => {
  it.each([
    ['br, gzip', 'br'],
    ['gzip, deflate, br;q=0', 'gzip'],
    ['GZIP;q=0.5', 'gzip'],
    ['br;q=0.0, gzip;q=0', 'identity'],
    ['br ; q=0 , gzip', 'gzip'],
    ['br;q=0.001', 'br'],
    ['gzip,br', 'br'],
    ['xbr, gzipx', 'identity'],
    [undefined, 'identity'],
  ])('%s gives %s', (accept, encoding) => expect(chooseEncoding(accept)).toBe(encoding))

  it('compresses text, with an ETag and a length for each encoding', async () => {
    const { url } = await startTestServer()
    const get = (encoding: string) =>
      ask(url, '/assets/index-1.js', { headers: { 'accept-encoding': encoding } })
    const [plain, br, gz] = [await get('identity'), await get('br'), await get('gzip')]
    expect(brotliDecompressSync(br.body)).toEqual(plain.body)
    expect(gunzipSync(gz.body)).toEqual(plain.body)
    expect([plain, br, gz].map(({ headers }) => headers['content-encoding'])).toEqual([
      undefined,
      'br',
      'gzip',
    ])
    expect(new Set([plain, br, gz].map(({ headers }) => headers.etag)).size).toBe(3)
    for (const { headers, body } of [plain, br, gz]) {
      expect(headers['content-length']).toBe(String(body.length))
      expect(headers.vary).toBe('Accept-Encoding')
    }
    expect(br.body.length).toBeLessThan(plain.body.length / 2)
  })

  it('does not compress fonts', async () => {
    const { url } = await startTestServer()
    const { headers } = await ask(url, '/assets/plex-1.woff2', { headers: { 'accept-encoding': 'br' } })
    expect(headers['content-encoding']).toBeUndefined()
    expect(headers['content-type']).toBe('font/woff2')
    expect(headers.vary).toBeUndefined()
  })
})

describe('methods and paths', () => {
  it('answers HEAD with the headers of GET and no body', async () => {
    const { url } = await startTestServer()
    const get = await ask(url, '/')
    const head = await ask(url, '/', { method: 'HEAD' })
    expect(head.body).toHaveLength(0)
    expect(head.headers['content-length']).toBe(get.headers['content-length'])
  })

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('refuses %s', async (method) => {
    const { url } = await startTestServer()
    const answer = await ask(url, '/', { method })
    expect(answer.status).toBe(405)
    expect(answer.headers.allow).toBe('GET, HEAD')
  })

  it.each([
    '/../package.json',
    '/assets/../../package.json',
    '/assets/..%2f..%2fpackage.json',
    '/%2e%2e/package.json',
    '/assets\\..\\index.html',
    '//index.html',
    '/index.html%00.js',
    '/assets',
    '/assets/',
    '*',
  ])('finds nothing at %s', async (target) => {
    const { url } = await startTestServer()
    expect((await ask(url, target)).status).toBe(404)
  })
})

describe('the built folder', () => {
  it('is missing if it does not exist or has no page', async () => {
    const folder = await temporaryFolder()
    expect(await readStaticFiles(folder)).toEqual({ ok: false, error: 'missing' })
    expect(await readStaticFiles(`${folder}/none`)).toEqual({ ok: false, error: 'missing' })
  })

  it('excludes the targets of symbolic links', async () => {
    const folder = await builtFolder()
    const outside = await temporaryFolder()
    await writeFile(join(outside, 'secret.txt'), 'secret')
    await symlink(join(outside, 'secret.txt'), join(folder, 'link.txt'))
    await symlink(outside, join(folder, 'linked'))
    const files = await readStaticFiles(folder)
    expect(files.ok && Array.from(files.value.keys()).filter((path) => /link|secret/.test(path))).toEqual([])
  })

  it('has at most 64 MiB in total', async () => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'index.html'), 'page')
    const film = join(folder, 'film')
    await writeFile(film, '')
    await truncate(film, 64 * 1_048_576 - 4)
    expect((await readStaticFiles(folder)).ok).toBe(true)
    await truncate(film, 64 * 1_048_576 - 3)
    expect(await readStaticFiles(folder)).toEqual({ ok: false, error: 'too-large' })
  })

  it.each([
    ['page.html', 'text/html; charset=utf-8'],
    ['code.js', 'text/javascript; charset=utf-8'],
    ['style.css', 'text/css; charset=utf-8'],
    ['data.json', 'application/json'],
    ['icon.svg', 'image/svg+xml'],
    ['manifest.webmanifest', 'application/manifest+json'],
    ['licence.txt', 'text/plain; charset=utf-8'],
    ['icon.png', 'image/png'],
    ['favicon.ico', 'image/x-icon'],
    ['letters.woff2', 'font/woff2'],
    ['module.wasm', 'application/octet-stream'],
    ['LICENCE', 'application/octet-stream'],
  ])('serves %s as %s', async (name, type) => {
    const folder = await builtFolder()
    await writeFile(join(folder, name), 'text '.repeat(100))
    const files = await readStaticFiles(folder)
    const file = files.ok ? files.value.get(`/${name}`) : undefined
    expect(file?.contentType).toBe(type)
    // Images and fonts are already compressed.
    expect(file?.compressible).toBe(!/\.(png|ico|woff2)$/.test(name))
  })
})

it('a policy has no host that could inject a directive or that browsers ignore', () => {
  expect(
    [
      'http://a_b.example/',
      'http://b,default-src/',
      'http://a;sandbox/',
      'http://*/',
      "http://'self'/",
    ].flatMap(policySource),
  ).toEqual([])
  expect(policySource('https://[::1]:1/a;b')).toEqual(['https://[::1]:1/a%3Bb'])
})

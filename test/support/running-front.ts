import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { freePort } from './free-port.ts'
import { ROOT } from './source-tree.ts'

const has = (program: string, version: string): boolean =>
  spawnSync(program, [version], { stdio: 'ignore', timeout: 10_000 }).error === undefined

export type FrontKind = 'nginx' | 'Caddy'
export const isThere: Readonly<Record<FrontKind, boolean>> = {
  nginx: has('nginx', '-v'),
  Caddy: has('caddy', 'version'),
}

type Front = {
  readonly kind: FrontKind
  /** A file of `deploy`; `replace` fills in its placeholders. */
  readonly file: string
  readonly replace?: Readonly<Record<string, string>>
  /** Content of a `config.json` beside the built page. */
  readonly config?: object
}

/** Runs a real web server with a file of `deploy` until the test ends. Resolves to its https address. */
export async function startFront({ kind, file, replace = {}, config }: Front): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'front-'))
  const port = await freePort()
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-keyout', key, '-out', cert]
  execFileSync('openssl', [...made, ...subject], { stdio: 'ignore' })
  const root = join(folder, 'root')
  if (config !== undefined) {
    cpSync(join(ROOT, 'dist/web'), root, { recursive: true })
    writeFileSync(join(root, 'config.json'), JSON.stringify(config))
  }
  const own: Readonly<Record<string, string>> =
    kind === 'nginx'
      ? {
          'listen 80;': `listen 127.0.0.1:${await freePort()};`,
          'listen 443 ssl;': `listen 127.0.0.1:${port} ssl;`,
          '/etc/ssl/dash.pem': cert,
          '/etc/ssl/dash.key': key,
        }
      : { 'dash.example {': `https://127.0.0.1:${port} {\n  tls ${cert} ${key}\n  bind 127.0.0.1` }
  let text = readFileSync(join(ROOT, 'deploy', file), 'utf8')
  for (const [from, to] of Object.entries({
    ...own,
    ...(config !== undefined && { '/srv/dashboard': root }),
    ...replace,
  })) {
    expect(text).toContain(from)
    text = text.replaceAll(from, to)
  }
  const conf = join(folder, 'front.conf')
  writeFileSync(
    conf,
    kind === 'nginx'
      ? nginxWhole(folder, text)
      : `{\n  admin off\n  auto_https disable_redirects\n}\n${text}`,
  )
  const program =
    kind === 'nginx'
      ? spawn('nginx', ['-p', folder, '-c', conf, '-g', 'daemon off;'], { stdio: 'ignore' })
      : spawn('caddy', ['run', '--adapter', 'caddyfile', '--config', conf], {
          stdio: 'ignore',
          env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
        })
  const ended = once(program, 'exit')
  onTestFinished(async () => {
    program.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  })
  const url = `https://127.0.0.1:${port}/`
  await expect
    .poll(
      () =>
        headersOf(url).then(
          ({ status }) => status,
          () => 0,
        ),
      { timeout: 20_000 },
    )
    .toBeGreaterThan(0)
  return url
}

/** The nginx configuration around a file for `http`. nginx runs as the user who runs the tests. */
const nginxWhole = (folder: string, text: string): string => `
worker_processes 1;
error_log stderr;
pid ${folder}/nginx.pid;
${process.getuid?.() === 0 ? 'user root;' : ''}
events {}
http {
  access_log off;
  default_type application/octet-stream;
  types {
    text/html html;
    text/css css;
    text/javascript js;
    application/json json;
    application/manifest+json webmanifest;
    image/svg+xml svg;
    image/png png;
    font/woff2 woff2;
    text/plain txt;
  }
  client_body_temp_path ${folder};
  proxy_temp_path ${folder};
  fastcgi_temp_path ${folder};
  uwsgi_temp_path ${folder};
  scgi_temp_path ${folder};
  ${text}
}
`

type Answer = { readonly status: number; readonly headers: Readonly<Record<string, string | undefined>> }

/** Accepts any certificate, because the test's own is self-signed. */
export const headersOf = (url: string): Promise<Answer> =>
  new Promise((done, failed) => {
    request(url, { rejectUnauthorized: false, agent: false }, (response) => {
      response.resume()
      const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)])
      done({ status: response.statusCode ?? 0, headers: Object.fromEntries(headers) })
    })
      .on('error', failed)
      .end()
  })

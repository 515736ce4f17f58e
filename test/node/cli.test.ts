import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { serviceIdOf } from '#record/service.ts'
import { parseServerConfig } from '#settings/documents.ts'
import { portOf } from '#test/support/free-port.ts'
import { ask, json } from './server/http-client.ts'

const ROOT = join(import.meta.dirname, '../..')
let project = ''
let cli = ''

/** A separate project with the real bundle, below node_modules so that the bundle can resolve Vite. */
beforeAll(async () => {
  const cache = join(ROOT, 'node_modules', '.cache')
  await mkdir(cache, { recursive: true })
  project = await mkdtemp(join(cache, 'cli-test-'))
  cli = join(project, 'dist', 'node', 'cli.js')
  await writeFile(join(project, 'package.json'), await readFile(join(ROOT, 'package.json')))
  await mkdir(join(project, 'dist', 'web'), { recursive: true })
  await writeFile(join(project, 'dist', 'web', 'index.html'), '<!doctype html><title>Built page</title>')
  await writeFile(join(project, 'dist', 'web', 'login.html'), '<body data-state="form">')
  await writeFile(
    join(project, 'index.html'),
    '<!doctype html><html><head><title>Source page</title></head><body></body></html>',
  )
  const vite = join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js')
  const flags = [
    'build',
    '--ssr',
    'src/node/cli.ts',
    '--outDir',
    join(project, 'dist', 'node'),
    '--logLevel',
    'warn',
  ]
  await promisify(execFile)(process.execPath, [vite, ...flags], { cwd: ROOT })
})
afterAll(() => rm(project, { recursive: true, force: true }))

type Ended = { readonly code: number | null; readonly out: string; readonly err: string }

function run(args: readonly string[], input = '') {
  const child: ChildProcess = spawn(process.execPath, [cli, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, XDG_DATA_HOME: join(project, 'data') },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdin?.end(input)
  const text = { out: '', err: '' }
  child.stdout?.setEncoding('utf8').on('data', (part: string) => (text.out += part))
  child.stderr?.setEncoding('utf8').on('data', (part: string) => (text.err += part))
  const ended: Promise<Ended> = once(child, 'close').then(([code]) => ({ code, ...text }))
  return { child, ended }
}

/** Resolves once `addresses` URLs are printed; `urls` has each by the label line above it. */
async function start(args: readonly string[], addresses: number) {
  const { child, ended } = run(args)
  const urls = new Map<string, string>()
  let opening = ''
  if (child.stdout === null) throw new Error('no output')
  const lines = createInterface({ input: child.stdout })
  const printed = new Promise<void>((resolve) => {
    let label = ''
    lines.on('line', (line) => {
      // The dashboard's URL ends with the owner's token.
      if (/^http:\/\/\S+\/(\?token=\S+)?$/.test(line)) urls.set(label, new URL('/', line).href)
      if (line.includes('?token=')) opening = line
      label = line
      if (urls.size === addresses) resolve()
    })
  })
  await Promise.race([
    printed,
    ended.then(({ code, err }) => Promise.reject(new Error(`ended with ${code}: ${err}`))),
  ])
  return { child, ended, urls, opening }
}

/** The headers of a browser that opened the printed address. */
async function ownerOf(opening: string) {
  const { headers } = await ask(new URL('/', opening).href, `/${new URL(opening).search}`)
  return { headers: { cookie: headers['set-cookie']?.[0]?.split(';')[0] } }
}

const FREE = ['--port', '0', '--reference-port', '0']

describe('start', () => {
  it('prints three URLs and serves the page, the demo configuration and a proxy to the demo', async () => {
    const { child, ended, urls, opening } = await start(['start', ...FREE, '--nodes', '600'], 3)
    const dashboard = urls.get('Dashboard:') ?? ''
    const reference = urls.get('Reference service (demo nodes):') ?? ''
    expect(urls.has('Reference control:')).toBe(true)
    expect((await ask(dashboard, '/')).body.toString()).toContain('Built page')

    const config = parseServerConfig(json(await ask(dashboard, '/config.json', await ownerOf(opening))))
    if (!config.ok) throw new Error(JSON.stringify(config.error))
    const { demo, canAddServices, services } = config.value
    expect([canAddServices, services]).toEqual([true, []])
    expect(demo?.service).toMatchObject({
      baseUrl: reference.slice(0, -1),
      label: 'Demo service on this computer',
      via: 'proxy',
      // At most 100 requests a second.
      pollIntervalMs: 6_000,
    })
    expect(demo?.nodes).toHaveLength(600)
    expect(demo?.nodes[0]?.id).toMatch(/^0x[0-9a-f]{64}$/)

    const status = await ask(dashboard, `/proxy/${serviceIdOf(reference.slice(0, -1))}/node/status`)
    expect(status.status).toBe(401)
    expect(status.headers.date).toBeDefined()

    child.kill('SIGTERM')
    const { code, err } = await ended
    expect([code, err]).toEqual([0, ''])
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('exits on %s while a request hangs', async (signal) => {
    const token = 'a-long-token'
    const { child, ended, urls } = await start(['start', ...FREE, '--reference-control-token', token], 3)
    const reference = urls.get('Reference service (demo nodes):') ?? ''
    const control = urls.get('Reference control:') ?? ''
    await ask(control, '/faults', {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ node: '*', fault: 'hang' }),
    })
    const hanging = ask(
      urls.get('Dashboard:') ?? '',
      `/proxy/${serviceIdOf(reference.slice(0, -1))}/node/status`,
    ).then(
      () => 'answered',
      () => 'ended',
    )
    const inFlight = async () =>
      json(await ask(control, '/stats', { headers: { authorization: `Bearer ${token}` } }))
    await expect.poll(inFlight).toMatchObject({ inFlight: 1 })
    child.kill(signal)
    expect((await ended).code).toBe(0)
    expect(await hanging).toBe('ended')
  })

  it('names --reference-port if that port is in use', async () => {
    const taken = createServer()
    onTestFinished(() => void taken.close())
    const port = String(await portOf(taken))
    expect(await run(['start', '--port', '0', '--reference-port', port]).ended).toEqual({
      code: 1,
      out: '',
      err: `Port ${port} is in use. Choose another with --reference-port P, where 0 picks a free one.\n`,
    })
  })
})

it('hash-password reads the password from standard input', async () => {
  const { out } = await run(['hash-password', 'op'], 'correct horse battery\n').ended
  expect(out).toMatch(/^op:\$scrypt\$ln=17,r=8,p=1\$\S+\n$/)
})

it.skipIf(process.platform !== 'linux')('hash-password hides what is typed at a terminal', async () => {
  const command = `"${process.execPath}" "${cli}" hash-password op`
  const terminal = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'])
  onTestFinished(() => void terminal.kill('SIGKILL'))
  let shown = ''
  terminal.stdout.setEncoding('utf8').on('data', (part: string) => (shown += part))
  await once(terminal.stdout, 'data') // Waits for the prompt.
  terminal.stdin.write('correct horse battery x\u007f\r')
  expect(await once(terminal, 'close')).toEqual([0, null])
  expect(shown).toMatch(/op:\$scrypt\$ln=17,r=8,p=1\$\S+/)
  expect(shown).not.toContain('battery')
})

it('dev serves the source page with hot reload, and the demo configuration', async () => {
  const { child, ended, urls } = await start(['dev', ...FREE], 3)
  const dashboard = urls.get('Dashboard:') ?? ''
  const page = await ask(dashboard, '/', { headers: { accept: 'text/html' } })
  expect(page.body.toString()).toContain('Source page')
  expect(page.body.toString()).toContain('/@vite/client')
  expect(page.headers['cross-origin-embedder-policy']).toBe('require-corp')
  expect(json(await ask(dashboard, '/config.json'))).toHaveProperty('demo.service.pollIntervalMs', 5_000)
  child.kill('SIGINT')
  expect((await ended).code).toBe(0)
})

describe('a start error', () => {
  it.each([
    [['strat'], /^Unknown command "strat"/],
    [
      ['start', ...FREE, '--reference-control-token', 'abc'],
      /^The control token must have at least 8 characters and no spaces\.$/,
    ],
    [
      ['serve', '--port', '0', '--host', 'no-such-host.invalid', '--public'],
      /^This computer has no address "no-such-host\.invalid"\. Choose another with --host H\.$/,
    ],
  ])('of %j is one line and exit code 1', async (args, line) => {
    const { code, out, err } = await run(args).ended
    expect([code, out]).toEqual([1, ''])
    expect(err.trimEnd()).toMatch(line)
    expect(err.trimEnd()).not.toContain('\n')
  })

  it('of a missing build names the build command', async () => {
    const bare = join(project, 'bare')
    await mkdir(join(bare, 'dist', 'node'), { recursive: true })
    await writeFile(join(bare, 'package.json'), '{"type":"module","version":"1.2.3"}')
    for (const file of ['cli.js', 'faults.js'])
      await writeFile(join(bare, 'dist', 'node', file), await readFile(join(project, 'dist', 'node', file)))
    cli = join(bare, 'dist', 'node', 'cli.js')
    onTestFinished(() => {
      cli = join(project, 'dist', 'node', 'cli.js')
    })
    const { code, err } = await run(['serve', '--port', '0']).ended
    expect(code).toBe(1)
    expect(err).toMatch(/ contains no build of the dashboard\. Run: npm run build\n$/)
    expect((await run(['--version']).ended).out).toBe('1.2.3\n')
  })
})

describe('the faults of the reference service', () => {
  const line = async (fault: string) => (await run(['reference', '--port', '0', '--fault', fault]).ended).err

  it('include those of tests only if bench-faults.js is present', async () => {
    expect(await line('xss=1')).toBe('--fault xss=1: "xss" takes no value.\n')
    const bench = join(project, 'dist', 'node', 'bench-faults.js')
    await rename(bench, `${bench}.away`)
    onTestFinished(() => rename(`${bench}.away`, bench))
    expect(await line('xss=1')).toBe('--fault xss=1: unknown fault.\n')
    expect(await line('hang=1')).toBe('--fault hang=1: "hang" takes no value.\n')
  })
})

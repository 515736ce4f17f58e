import { valueOf } from '#test/support/value-of.ts'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdir, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Server } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { err, ok } from '#base/result.ts'
import { serviceIdOf } from '#record/service.ts'
import { systemClock } from '#platform/system-clock.ts'
import { startServerWatch } from '#watch/server-watch.ts'
import { runParsed } from '#node/command-line.ts'
import {
  browserEnvironment,
  browserOpener,
  dataFolder,
  runServe,
  type RunningReference,
  type ServePorts,
} from '#server/serve.ts'
import { DEV_COMMAND, SERVE_COMMAND, START_COMMAND } from '#server/serve-options.ts'
import { HASH_COMMAND, hashPassword, openPasswordFile, passwordLine } from '#server/password-file.ts'
import { serviceAt } from '#settings/schema.ts'
import { createFiles } from '#test/node/collector/running.ts'
import { runReference } from '#test/node/reference/running.ts'
import { temporaryFile } from '#test/support/temporary-file.ts'
import { ask, json } from './http-client.ts'
import { builtFolder, certificate, temporaryFolder } from './test-server.ts'
import { startUpstream } from './upstream-server.ts'

/** A project folder with a build in it. */
async function builtProject(): Promise<string> {
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'dist'))
  await rename(await builtFolder(), join(folder, 'dist', 'web'))
  return folder
}

/** The ports of a command that runs in this process. */
type Ports = ServePorts & { readonly readSecret: (prompt: string) => Promise<string> }

function terminal(given: Partial<Ports> = {}) {
  const out: string[] = []
  const said: string[] = []
  const hangUps = new Set<() => void>()
  let stop = (): void => undefined
  let open = (): void => undefined
  const stopped = new Promise<void>((resolve) => (stop = resolve))
  /** Resolves with the line about access, which is printed once the server listens. */
  const opened = new Promise<'open'>((resolve) => (open = () => resolve('open')))
  const ports: Ports = {
    out: (line) => {
      out.push(line)
      if (line.startsWith('Access: ')) open()
    },
    err: (line) => said.push(line),
    readSecret: () => Promise.resolve(''),
    clock: systemClock,
    startWatch: startServerWatch,
    projectFolder: '/no/such/project',
    env: {},
    platform: process.platform,
    untilStopped: () => stopped,
    onHangUp: (run) => {
      hangUps.add(run)
      return () => hangUps.delete(run)
    },
    startReference: () => Promise.resolve(err('There is no reference service here.')),
    loadVite: () => Promise.reject(new Error('there is no Vite here')),
    ...given,
  }
  const run = (...[name, ...argv]: readonly string[]) => {
    if (name === 'hash-password')
      return runParsed(HASH_COMMAND, argv, ports, (user) => hashPassword(user, ports))
    if (name === 'serve') return runParsed(SERVE_COMMAND, argv, ports, (command) => runServe(command, ports))
    const spec = name === 'dev' ? DEV_COMMAND : START_COMMAND
    return runParsed(spec, argv, ports, (command) => runServe(command, ports))
  }
  return { out, said, hangUps, stop, opened, ports, run }
}

/** Serves until the test ends, with its own data folder, and on a free port unless `line` names one. */
async function serving(line: string, given: Partial<Ports> = {}) {
  const shell = terminal({ projectFolder: await builtProject(), ...given })
  const [command = '', ...argv] = line.split(' ')
  const ended = shell.run(command, '--port', '0', ...argv, '--data', await temporaryFolder())
  onTestFinished(async () => {
    shell.stop()
    await ended
  })
  if ((await Promise.race([ended, shell.opened])) !== 'open') throw new Error(shell.said.join('\n'))
  const stop = () => {
    shell.stop()
    return ended
  }
  const printed = shell.out[1] ?? ''
  return { ...shell, stop, printed, url: printed.replace(/\?.*/, '') }
}

const fileWith = async (text: string): Promise<string> => temporaryFile(text, 0o600)

const configWith = (document: object): Promise<string> =>
  fileWith(JSON.stringify({ version: 1, ...document }))

/** So that a test's sign-in takes milliseconds. */
const CHEAP = 14

const accountLine = async (name: string): Promise<string> =>
  valueOf(await passwordLine(name, 'correct horse battery', CHEAP))

const WORKER = '/assets/engine-worker-1.js'

describe('hash-password', () => {
  const typing = (text: string, prompts: string[] = []) =>
    terminal({
      readSecret: async (prompt) => {
        prompts.push(prompt)
        return text
      },
    })

  it('asks for the password of the name and prints a line for a password file', async () => {
    const prompts: string[] = []
    const { run, out, said } = typing('1234567890\n', prompts)
    expect([await run('hash-password', 'op'), said]).toEqual([0, []])
    expect(prompts).toEqual(['Password for op: '])
    expect(out).toEqual([expect.stringMatching(/^op:\$scrypt\$ln=17,r=8,p=1\$[^$]+\$[^$]+$/)])
  })

  it('prints a line that verifies the password without its final line end', async () => {
    const { ports, out, said } = typing('12345\n6789\r\n')
    expect([await hashPassword('op', ports, CHEAP), said]).toEqual([0, []])
    const accounts = openPasswordFile(await fileWith(out.join('\n')), (line) => said.push(line))
    expect(accounts.ok && (await accounts.value.verify('op', '12345\n6789'))).toBe(true)
  })

  it.each(['123456789', '123456789\n', '123456789\r\n', '1234\n6789\r\n'])(
    'does not count the line end of %j, which is too short',
    async (typed) => {
      const prompts: string[] = []
      const { run, out, said } = typing(typed, prompts)
      expect(await run('hash-password', 'op')).toBe(1)
      expect([prompts, out, said]).toEqual([
        ['Password for op: '],
        [],
        ['The password must have 10 to 1024 characters.'],
      ])
    },
  )
})

const LOCAL = 'Access: this computer only. Changes require the first address above.'

const NO_ADDING = 'Adding services and receivers: disabled.'
const TRUSTING = '--trust-header X-User --trust-from 127.0.0.1'
const NAMED = 'Access: users whom the proxy at 127.0.0.1 names in X-User'

describe('serve', () => {
  it('prints its URL and who has access, and serves until it is stopped', async () => {
    const { url, printed, out, said, stop, hangUps } = await serving('serve')
    expect(out).toEqual([
      'Dashboard:',
      expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{43}$/),
      LOCAL,
    ])
    expect(said).toEqual([])
    expect((await ask(url, '/')).body.toString()).toContain('<title>Page</title>')
    expect(json(await ask(url, '/config.json'))).toMatchObject({ canAddServices: false, isViewOnly: true })
    const opened = await ask(url, `/${new URL(printed).search}`)
    const headers = { cookie: opened.headers['set-cookie']?.[0]?.split(';')[0] }
    expect(json(await ask(url, '/config.json', { headers }))).toMatchObject({ canAddServices: true })
    // Without a log there is nothing to reopen on SIGHUP, so closing the terminal ends it.
    expect(hangUps.size).toBe(0)
    expect(await stop()).toBe(0)
    await expect(ask(url, '/')).rejects.toThrow('ECONNREFUSED')
  })

  it.each([
    ['--no-add', `${LOCAL} ${NO_ADDING}`],
    ['--public', 'Access: everyone, read-only.'],
    [
      `${TRUSTING} --trust-from 10.0.0.0/8`,
      `Access: users whom the proxy at 127.0.0.1 or 10.0.0.0/8 names in X-User. ${NO_ADDING}`,
    ],
    [`${TRUSTING} --no-add`, `${NAMED}. ${NO_ADDING}`],
    [`${TRUSTING} --allow-host a.example`, `${NAMED}. ${NO_ADDING}`],
    [`${TRUSTING} --allow-host a.example --allow-add`, `${NAMED}. Adding services and receivers: enabled.`],
  ])('with %s prints: %s', async (flags, line) => {
    expect((await serving(`serve ${flags}`)).out.at(-1)).toBe(line)
  })

  it.each(['/immune', '/immune/'])(
    'with the base path %s answers requests with and without that path',
    async (given) => {
      const { url } = await serving(`serve --base-path ${given}`)
      const { origin, pathname } = new URL(url)
      expect(pathname).toBe('/immune/')
      for (const path of ['/immune/', '/', '/immune/?a=b'])
        expect((await ask(origin, path)).body.toString()).toContain('<title>Page</title>')
      const { status, headers } = await ask(origin, '/immune')
      expect([status, headers.location]).toEqual([308, '/immune/'])
      for (const path of ['/immunex/', '/immune/immune/', '/immune/no', '//immune/'])
        expect((await ask(origin, path)).status, path).toBe(404)
      const headersOfPage = { origin }
      const forgotten = await ask(origin, '/immune/forget', { method: 'POST', headers: headersOfPage })
      expect([json(forgotten), forgotten.headers['clear-site-data']]).toEqual([{ cleared: [] }, undefined])
    },
  )

  it('requires sign-in on the page of the build and prints the number of accounts', async () => {
    const file = await fileWith(`${await accountLine('op')}\n${await accountLine('night')}`)
    const { out, url } = await serving(`serve --password-file ${file} --session-hours 1`)
    expect(out.at(-1)).toBe(
      'Access: sign-in required (2 accounts). Adding services and receivers: enabled through the first address above.',
    )
    expect((await ask(url, '/')).headers.location).toBe('login')
    expect((await ask(url, '/login')).body.toString()).toContain('data-state="form"')
    const { status, headers } = await ask(url, '/login', {
      method: 'POST',
      headers: { origin: new URL(url).origin },
      body: 'name=op&password=correct+horse+battery',
    })
    expect(status).toBe(303)
    expect(headers['set-cookie']?.[0]).toContain('Max-Age=3600;')
  })

  it('warns of plain http on other addresses than loopback', async () => {
    const { out, said } = await serving('serve --host 0.0.0.0 --public')
    expect(out[1]).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/)
    expect(said).toEqual([expect.stringMatching(/^Plain http: .*--tls-cert and --tls-key/)])
  })

  it('prints no such warning over https with client certificates', async () => {
    const { key, cert } = await certificate('server')
    const [keyFile, certFile] = [await fileWith(String(key)), await fileWith(String(cert))]
    const { out, said } = await serving(
      `serve --host 0.0.0.0 --tls-key ${keyFile} --tls-cert ${certFile} --tls-client-ca ${certFile}`,
    )
    expect(out[1]).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/$/)
    expect(out.at(-1)).toBe(
      `Access: client certificates issued by the authority in ${certFile}. ${NO_ADDING}`,
    )
    expect(said).toEqual([])
  })

  it('answers to its allowed hosts only, up to its rate limit', async () => {
    const { url } = await serving('serve --allow-host wall.example --public --rate-limit 1')
    const status = async (host: string) => (await ask(url, '/', { headers: { host } })).status
    expect([await status('wall.example'), await status('other.example')]).toEqual([200, 421])
    expect(await status('wall.example')).toBe(429)
  })

  it('serves its configuration and lets the engine Worker connect to direct services', async () => {
    const config = await configWith({
      services: [serviceAt('https://direct.example', 'direct'), serviceAt('https://other.example', 'proxy')],
      receivers: [{ kind: 'webhook', url: 'https://hooks.example/x', via: 'direct' }],
      queryApis: [{ url: 'http://127.0.0.1:1', scrapeMs: 15_000, days: 10 }],
    })
    const { url, said } = await serving(`serve --config ${config}`)
    // Without --sign-key no key is reported as missing.
    expect(said).toEqual([])
    expect(json(await ask(url, '/config.json'))).toMatchObject({
      services: [{ baseUrl: 'https://direct.example' }, { baseUrl: 'https://other.example' }],
      queryApis: [{ name: 'Prometheus' }],
    })
    const policyOf = async (at: string) => (await ask(at, WORKER)).headers['content-security-policy']
    expect(await policyOf(url)).toContain(
      "connect-src 'self' https://direct.example https://hooks.example/x;",
    )
    const open = await serving(`serve --public --config ${config}`)
    expect(await policyOf(open.url)).toContain("connect-src 'self' https://direct.example;")
  })

  it('queries the configured API with a token from its environment', async () => {
    const sent: unknown[] = []
    const engine = await startUpstream((request, response) => {
      sent.push(request.headers.authorization)
      response.writeHead(418).end()
    })
    const config = await configWith({
      services: [{ baseUrl: 'https://a.example' }],
      queryApis: [{ url: engine, scrapeMs: 15_000, days: 10, bearer: 'env:TOKEN' }],
    })
    const { url } = await serving(`serve --config ${config}`, { env: { TOKEN: 'tok_1' } })
    const answer = await ask(url, '/query/network?from=0&step=60000&steps=1')
    expect([answer.status, json(answer)]).toMatchObject([
      502,
      { detail: 'It answered 418, but not in the format of the Prometheus API.' },
    ])
    expect(sent).toEqual(['Bearer tok_1'])
  })

  it('lists added services from the data folder, and none with --public', async () => {
    const home = await temporaryFolder()
    const folder = join(home, 'immune-node-dashboard')
    await mkdir(folder)
    const added = JSON.stringify({ version: 1, services: [{ baseUrl: 'https://added.example' }] })
    await writeFile(join(folder, 'services.json'), added)
    const listed = async (line: string) => {
      const shell = terminal({ projectFolder: await builtProject(), env: { XDG_DATA_HOME: home } })
      const ended = shell.run(...line.split(' '))
      await Promise.race([ended, shell.opened])
      const answer = json(await ask(shell.out[1] ?? '', '/services'))
      shell.stop()
      await ended
      return answer
    }
    const there = [{ baseUrl: 'https://added.example' }]
    expect(await listed(`serve --port 0 --data ${folder}`)).toMatchObject({ services: there })
    expect(await listed('serve --port 0 --public')).toEqual({ services: [] })
    if (process.platform === 'linux')
      expect(await listed('serve --port 0')).toMatchObject({ services: there })
  })

  it('logs requests to standard output, or to a file that it reopens on SIGHUP', async () => {
    const { url, out } = await serving('serve --access-log -')
    await ask(url, '/config.json')
    await expect.poll(() => out.at(-1)).toContain('"path":"/config.json"')
    const log = join(await temporaryFolder(), 'access.log')
    const noted = await serving(`serve --access-log ${log}`)
    await rename(log, `${log}.1`)
    for (const run of noted.hangUps) run()
    await expect.poll(() => existsSync(log)).toBe(true)
    expect(noted.hangUps.size).toBe(1)
    await noted.stop()
    expect(noted.hangUps.size).toBe(0)
  })

  it('applies its configuration to the watch on SIGHUP', async () => {
    const { config, key } = createFiles(await runReference({ nodes: 1 }), 1)
    const folder = await temporaryFolder()
    const accounts = await fileWith(await accountLine('op'))
    const { said, hangUps, stop } = await serving(
      `serve --config ${config} --sign-key ${key} --notify --data ${folder} --password-file ${accounts}`,
    )
    await writeFile(config, '{')
    for (const run of hangUps) run()
    expect(said.join('\n')).toContain(config)
    await stop()
    expect(hangUps.size).toBe(0)
  })

  it('reports receivers whose secret can’t be read', async () => {
    const receivers = [{ kind: 'webhook', url: 'https://hook.example/x', secret: 'env:UNSET' }]
    const config = await configWith({ receivers })
    const { said } = await serving(`serve --config ${config}`)
    expect(said).toEqual(['receivers.0: env:UNSET: this variable is not set.'])
  })

  it('signs with --sign-key and reports services without a matching key', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const own = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('hex')
    const key = await fileWith(String(privateKey.export({ format: 'pem', type: 'pkcs8' })))
    const keyless = { v: 1, message: { kind: 'none' }, headers: {} }
    const config = await configWith({
      services: [
        { baseUrl: 'https://own.example', key: own },
        { baseUrl: 'https://other.example', key: 'ab'.repeat(32) },
        { baseUrl: 'https://keyless.example', profile: keyless },
      ],
    })
    const passwords = await fileWith(await accountLine('op'))
    const { said } = await serving(`serve --config ${config} --sign-key ${key} --password-file ${passwords}`)
    expect(said).toEqual(['https://other.example: no --sign-key matches its key; browsers sign for it.'])
    const fronted = await serving(`serve --config ${config} --sign-key ${key} ${TRUSTING}`)
    const told = await ask(fronted.url, '/config.json', { headers: { 'x-user': 'op' } })
    expect(json(told)).toMatchObject({ signedByServer: [{ service: 'https://own.example', publicKey: own }] })
  })
})

describe('a start of serve', () => {
  it.each([
    ['its configuration', '--config FILE', /^FILE: does not exist\.$/],
    ['its password file', '--password-file FILE', /^FILE: does not exist\.$/],
    ['its certificate', '--tls-cert FILE --tls-key FILE', /^TLS: ENOENT/],
    ['the folder of its log', '--access-log FILE/log', /^--access-log FILE\/log: can’t be written: ENOENT/],
    ['its key', '--sign-key FILE --trust-header X-User --trust-from 127.0.0.1', /^FILE: does not exist\.$/],
  ])('fails without %s', async (_what, flags, line) => {
    const none = join(await temporaryFolder(), 'none')
    const shell = terminal({ projectFolder: await builtProject() })
    const argv = `serve --port 0 ${flags.replaceAll('FILE', none)}`.split(' ')
    expect(await shell.run(...argv)).toBe(1)
    expect(shell.out).toEqual([])
    expect(shell.said.map((each) => each.replaceAll(none, 'FILE'))).toEqual([expect.stringMatching(line)])
  })

  it('fails without a build, or with other files in it', async () => {
    const projectFolder = await builtProject()
    const web = join(projectFolder, 'dist', 'web')
    const saidBy = async () => {
      const shell = terminal({ projectFolder })
      expect(await shell.run('serve', '--port', '0')).toBe(1)
      return shell.said
    }
    await writeFile(join(web, 'film'), '')
    await truncate(join(web, 'film'), 64 * 1_048_576)
    expect(await saidBy()).toEqual([
      `${web} is too large to be a built dashboard. Remove it and run: npm run build`,
    ])
    await rm(web, { recursive: true })
    expect(await saidBy()).toEqual([`${web} contains no build of the dashboard. Run: npm run build`])
  })

  it('fails on a port in use, or on an address of another computer', async () => {
    const { url } = await serving('serve')
    const { port } = new URL(url)
    const shell = terminal({ projectFolder: await builtProject() })
    expect(await shell.run('serve', '--port', port)).toBe(1)
    expect(await shell.run('serve', '--port', '0', '--host', '192.0.2.1', '--public')).toBe(1)
    expect(shell.said).toEqual([
      `Port ${port} is in use. Choose another with --port P, where 0 picks a free one.`,
      'This computer has no address "192.0.2.1". Choose another with --host H.',
    ])
  })
})

describe('start', () => {
  const demo = { service: serviceAt('http://127.0.0.1:7421', 'proxy'), nodes: [] }

  /** A stand-in for the reference service, which counts how often it is closed. */
  function reference(wanted: object[] = []) {
    const state = { closed: 0 }
    const running: RunningReference = {
      baseUrl: 'http://127.0.0.1:7421',
      controlUrl: 'http://127.0.0.1:7422',
      controlToken: 'token',
      demo,
      close: () => Promise.resolve(void state.closed++),
    }
    const startReference: ServePorts['startReference'] = (options) => {
      wanted.push(options)
      return Promise.resolve(ok(running))
    }
    return { state, wanted, startReference }
  }

  it('prints the URLs of the reference service, offers its nodes and stops both', async () => {
    const { state, wanted, startReference } = reference()
    const { out, url, stop } = await serving('start --nodes 12 --reference-port 0', { startReference })
    expect(wanted).toEqual([{ port: 0, nodes: 12, controlToken: undefined }])
    expect(out.slice(2)).toEqual([
      'Reference service (demo nodes):',
      'http://127.0.0.1:7421/',
      'Reference control:',
      'http://127.0.0.1:7422/',
      'Control token:',
      'token',
      LOCAL,
    ])
    expect(json(await ask(url, '/config.json'))).toMatchObject({
      demo: { service: { baseUrl: demo.service.baseUrl } },
    })
    // There is no query API, and none for its nodes.
    expect((await ask(url, '/query/network?from=0&step=60000&steps=1')).status).toBe(403)
    expect(state.closed).toBe(0)
    expect(await stop()).toBe(0)
    expect(state.closed).toBe(1)
  })

  it('starts no reference service with --no-reference', async () => {
    const { wanted, startReference } = reference()
    const { out, url } = await serving('start --no-reference', { startReference })
    expect([wanted, out.length]).toEqual([[], 3])
    expect(json(await ask(url, '/config.json'))).not.toHaveProperty('demo')
  })

  it('reports why the reference service did not start, and serves nothing', async () => {
    const shell = terminal({ projectFolder: await builtProject() })
    expect(await shell.run('start', '--port', '0')).toBe(1)
    expect([shell.out, shell.said]).toEqual([[], ['There is no reference service here.']])
  })

  it('stops the reference service if the dashboard cannot start', async () => {
    const { state, startReference } = reference()
    const shell = terminal({ startReference })
    expect(await shell.run('start', '--port', '0')).toBe(1)
    expect([state.closed, shell.out]).toEqual([1, []])
  })

  it('signs for the demo too', async () => {
    const { startReference } = reference()
    const { privateKey } = generateKeyPairSync('ed25519')
    const key = await fileWith(String(privateKey.export({ format: 'pem', type: 'pkcs8' })))
    const { said, url } = await serving(`start --sign-key ${key} ${TRUSTING}`, { startReference })
    expect(said).toEqual([])
    const told = await ask(url, '/config.json', { headers: { 'x-user': 'op' } })
    expect(json(told)).toMatchObject({ signedByServer: [{ service: demo.service.baseUrl }] })
    const id = serviceIdOf(demo.service.baseUrl)
    const asked = await ask(url, `/proxy/${id}/node/status?node_id=%0a`, { headers: { 'x-user': 'op' } })
    expect(asked.headers['x-proxy-failure']).toBe('not-signed')
  })
})

describe('dev', () => {
  type Vite = Awaited<ReturnType<ServePorts['loadVite']>>
  type Page = Awaited<ReturnType<Vite['createServer']>>

  /** A running dev server with a stand-in for Vite, which answers with `answer`. */
  async function developing(answer: Page['middlewares']) {
    const made: Parameters<Vite['createServer']>[0][] = []
    const state = { closed: 0 }
    const projectFolder = await temporaryFolder()
    const running = await serving('dev --no-reference', {
      projectFolder,
      loadVite: () =>
        Promise.resolve({
          createServer: (config) => {
            made.push(config)
            return Promise.resolve({
              middlewares: answer,
              close: () => Promise.resolve(void state.closed++),
            })
          },
        }),
    })
    return { ...running, made, state, projectFolder }
  }

  it('serves the source page with the isolation of the built one, without a build', async () => {
    const { url, made, projectFolder, state, stop } = await developing((request, response) => {
      response.end(`source of ${request.url}`)
    })
    const answer = await ask(url, '/src/main.ts')
    expect([answer.status, answer.body.toString()]).toEqual([200, 'source of /src/main.ts'])
    expect(answer.headers).toMatchObject({
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
      'cross-origin-resource-policy': 'same-origin',
    })
    expect(made).toEqual([
      {
        root: projectFolder,
        appType: 'spa',
        server: { middlewareMode: true, hmr: { server: expect.anything() }, allowedHosts: true },
      },
    ])
    const server: Server | undefined = made[0]?.server.hmr.server
    expect(server?.listening).toBe(true)
    await stop()
    expect(state.closed).toBe(1)
  })

  it.each([
    ['/', 'vite-hmr', 'HTTP/1.1 101 X'],
    ['/', 'other', ''],
    ['/', undefined, ''],
    ['/config.json', 'vite-ping', ''],
  ])('closes a connection that upgrades at %s to %s, unless Vite accepts it', async (path, wanted, came) => {
    const { url, made } = await developing((_request, response) => void response.end())
    made[0]?.server.hmr.server.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 101 X\r\n\r\n'))
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    const protocol = wanted === undefined ? '' : `Sec-WebSocket-Protocol: ${wanted}\r\n`
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${protocol}\r\n`,
    )
    let said = ''
    socket.on('data', (part) => (said += part.toString())).on('error', () => undefined)
    await once(socket, 'close')
    expect(said.trim()).toBe(came)
  })

  it('answers 404 for a missing file and 500 for one that Vite cannot build', async () => {
    const { url } = await developing((request, _response, next) => {
      next(request.url === '/broken' ? new Error('a mistake in the source') : undefined)
    })
    expect((await ask(url, '/missing')).status).toBe(404)
    const broken = await ask(url, '/broken')
    expect(broken.status).toBe(500)
    expect(broken.body.toString()).not.toContain('mistake')
  })
})

describe.skipIf(process.platform === 'win32')('--open', () => {
  /** Replaces the program that opens browsers by one that records its arguments and environment. */
  async function withProgram(exitCode: number | undefined) {
    const folder = await temporaryFolder()
    const notes = join(folder, 'notes')
    if (exitCode !== undefined) {
      const program = join(folder, browserOpener(process.platform, '').file)
      await writeFile(
        program,
        `#!/bin/sh
{
  echo "$@"
  kill -s 0 -- -$$ || echo 'in a group of another'
  for fd in 0 2; do [ /dev/fd/$fd -ef /dev/null ] || echo "$fd is not empty"; done
  /usr/bin/env
} > ${notes}.new
/bin/mv ${notes}.new ${notes}
exit ${exitCode}
`,
      )
      await chmod(program, 0o700)
    }
    vi.stubEnv('PATH', folder)
    onTestFinished(() => void vi.unstubAllEnvs())
    return notes
  }
  const FAILED = 'Could not open a browser. Open the first address above.'

  it('opens the URL in a detached program that has neither the terminal nor the secrets', async () => {
    const notes = await withProgram(0)
    vi.stubEnv('IMMUNE_NODE_KEY', 'seed-of-a-key')
    const { url, printed, said } = await serving('serve --open')
    await expect.poll(() => readFileSync(notes, 'utf8')).toContain(`${url}?token=`)
    // Every user of this computer can see the command line, so its token works only once.
    expect(readFileSync(notes, 'utf8')).not.toContain(printed)
    expect(readFileSync(notes, 'utf8')).toContain('PATH=')
    expect(readFileSync(notes, 'utf8')).not.toContain('seed-of-a-key')
    await ask(url, '/')
    expect(said).toEqual([])
  })

  it.each([
    ['there is no program for it', undefined],
    ['the program fails', 3],
  ])('asks the user to open the URL if %s', async (_why, exitCode) => {
    await withProgram(exitCode)
    const { said } = await serving('serve --open')
    await expect.poll(() => said).toEqual([FAILED])
  })

  it('is off by default', async () => {
    await withProgram(undefined)
    const { url, said } = await serving('serve')
    await ask(url, '/')
    expect(said).toEqual([])
  })
})

const ADDRESS = 'http://127.0.0.1:7420/?a=1&calc.exe'

it.each([
  ['darwin', 'open', []],
  ['win32', 'rundll32.exe', ['url.dll,FileProtocolHandler']],
  ['linux', 'xdg-open', []],
  ['freebsd', 'xdg-open', []],
] as const)('on %s the URL is a single argument of %s, without a shell', (platform, file, before) =>
  expect(browserOpener(platform, ADDRESS)).toEqual({ file, args: [...before, ADDRESS] }),
)

it('a browser inherits only the variables that it needs, and no secret', () => {
  const needed = { PATH: '/bin', HOME: '/home/op', DISPLAY: ':0', SYSTEMROOT: 'C:' }
  const secrets = {
    NODE_KEY: 'seed',
    AWS_SECRET_ACCESS_KEY: 'x',
    XDG_SECRET: 'x',
    PATH_KEY: 'x',
    NODE_OPTIONS: 'x',
  }
  expect(browserEnvironment({ ...needed, ...secrets, LANG: undefined })).toEqual(needed)
})

it.each([
  ['linux', {}, '/home/op', '/home/op/.local/share/immune-node-dashboard'],
  ['linux', { XDG_DATA_HOME: '/data' }, '/home/op', '/data/immune-node-dashboard'],
  ['linux', { XDG_DATA_HOME: 'relative' }, '/home/op', '/home/op/.local/share/immune-node-dashboard'],
  [
    'darwin',
    { XDG_DATA_HOME: '/data' },
    '/Users/op',
    '/Users/op/Library/Application Support/immune-node-dashboard',
  ],
  [
    'win32',
    { APPDATA: 'C:\\Users\\op\\Roaming' },
    'C:\\Users\\op',
    'C:\\Users\\op\\Roaming\\immune-node-dashboard',
  ],
  ['win32', { APPDATA: '' }, 'C:\\Users\\op', 'C:\\Users\\op\\AppData\\Roaming\\immune-node-dashboard'],
] as const)('the data folder on %s, with %o and the home %s, is %s', (platform, env, home, folder) =>
  expect(dataFolder({ platform, env }, home)).toBe(folder),
)

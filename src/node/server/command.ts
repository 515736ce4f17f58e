import { homedir } from 'node:os'
import { join, posix, win32 } from 'node:path'
import { err, ok, type Result } from '#base/result.ts'
import type { Service } from '#settings/schema.ts'
import { needsKey } from '#signing/profile-needs.ts'
import { openAccessLog } from './access-log.ts'
import { createGate, type Access } from './access.ts'
import { createOwnerToken, openOwnerSecret, type OwnerToken } from './owner-token.ts'
import { openPasswordFile, passwordLine } from './password-file.ts'
import { createServerSigner, type ServerSigner } from './server-signer.ts'
import { openSigningKeys } from './signing-keys.ts'
import { createQueryApis } from './query-api.ts'
import { openAddedServices, openReceivers, type Owner } from './receivers.ts'
import { createSignIn } from './sign-in.ts'
import {
  isReachedByOthers,
  parseCommand,
  type Command,
  type ReferenceArguments,
  type ServeArguments,
  DASHBOARD_PORT,
  LOOPBACK,
  RATE_LIMIT,
  REFERENCE_PORT,
} from './arguments.ts'
import { openConfigFile } from './config-file.ts'
import { startDashboardServer, type DashboardServer, type ListenProblem } from './dashboard-server.ts'
import { isLoopbackHost } from './request-guard.ts'
import { openTlsFiles } from './tls-files.ts'
import { fittingSources, noRoom } from './security-headers.ts'
import { createServiceList, namedServices, type Demo } from './service-list.ts'
import { readStaticFiles, createStaticHost, type Pages } from './static-host.ts'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { spawn } from 'node:child_process'

/** A reference service that runs in this process. */
export type RunningReference = {
  readonly baseUrl: string
  readonly controlUrl: string
  readonly controlToken: string
  readonly demo: Demo
  readonly close: () => Promise<void>
}

/** What the commands need of the world; the composition root gives it. */
export type CommandPorts = {
  readonly out: (line: string) => void
  readonly err: (line: string) => void
  /** Everything on standard input; what a person types there is not shown. */
  readonly readSecret: (prompt: string) => Promise<string>
  /** Milliseconds that never go back. */
  readonly nowMs: () => number
  /** The folder of package.json. */
  readonly projectFolder: string
  readonly version: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Resolves when the person ends the program. */
  readonly untilStopped: () => Promise<void>
  /** Calls `run` at each SIGHUP; the returned function ends that. */
  readonly onHangUp: (run: () => void) => () => void
  /** The error is one line for the person. */
  readonly startReference: (options: ReferenceArguments) => Promise<Result<RunningReference, string>>
  readonly runReference: (argv: readonly string[]) => Promise<number>
  readonly runCollect: (argv: readonly string[]) => Promise<number>
  readonly runProbe: (argv: readonly string[]) => Promise<number>
  readonly loadVite: () => Promise<Vite>
}

/** Runs one command to its end; resolves with the exit code. */
export async function runCommand(argv: readonly string[], ports: CommandPorts): Promise<number> {
  const command = parseCommand(argv)
  if (!command.ok) return fail(ports, [command.error])
  switch (command.value.kind) {
    case 'help':
      ports.out(HELP)
      return 0
    case 'version':
      ports.out(ports.version)
      return 0
    case 'reference':
      return ports.runReference(command.value.argv)
    case 'collect':
      return ports.runCollect(command.value.argv)
    case 'probe':
      return ports.runProbe(command.value.argv)
    case 'hash-password':
      return hashPassword(command.value.name, ports)
    case 'serve':
    case 'start':
    case 'dev':
      return runServers(command.value, ports)
  }
}

export async function hashPassword(name: string, ports: CommandPorts, cost?: number): Promise<number> {
  const password = (await ports.readSecret(`Password of ${name}: `)).replace(/\r?\n$/, '')
  const line = await passwordLine(name, password, cost)
  if (!line.ok) return fail(ports, [line.error])
  ports.out(line.value)
  return 0
}

type ServingCommand = Extract<Command, { serve: ServeArguments }>

async function runServers(command: ServingCommand, ports: CommandPorts): Promise<number> {
  // Before anything listens, so that a program that is stopped early ends its servers too.
  const stopped = ports.untilStopped()
  const wanted = command.kind === 'serve' ? undefined : command.reference
  const reference = wanted === undefined ? undefined : await ports.startReference(wanted)
  if (reference?.ok === false) return fail(ports, [reference.error])
  const running = reference?.value
  const started = await startServer(command, running?.demo, ports)
  if (!started.ok) {
    await running?.close()
    return fail(ports, started.error)
  }
  announce(command.serve, started.value, running, ports)
  await stopped
  await Promise.all([started.value.server.close(), running?.close()])
  started.value.end()
  return 0
}

async function startServer(
  { kind, serve }: ServingCommand,
  demo: Demo | undefined,
  ports: CommandPorts,
): Promise<Result<Started, readonly string[]>> {
  const file = serve.configFile === undefined ? undefined : openConfigFile(serve.configFile, ports.err)
  if (file?.ok === false) return file
  const access = openAccess(serve, ports)
  if (!access.ok) return access
  const tls = openTlsFiles(serve.tls, ports.err)
  if (!tls.ok) return tls
  const isPublic = access.value.kind === 'public'
  // What browsers added while nobody else could reach the server is not for everybody.
  const folder = isPublic
    ? undefined
    : (serve.dataFolder ?? dataFolder(process.platform, ports.env, homedir()))
  const added = openAddedServices(folder, ports.err)
  const accessLog = await openLog(serve, ports)
  if (!accessLog.ok) return err([accessLog.error])
  const signer = await openSigner(serve, () => namedServices(file?.value, demo), ports)
  if (!signer.ok) return signer
  const services = createServiceList({ file: file?.value, demo, added, keyOf: signer.value?.keyOf })
  const receivers = openReceivers(file?.value, folder, ports.err)
  const direct = (owner: Owner) => [
    ...services.directOrigins(owner),
    ...(isPublic ? [] : receivers.directSources(owner)),
  ]
  reportNoRoom(direct(undefined), ports.err)
  const pages = await pagesOf(kind, ports, direct)
  if (!pages.ok) return pages
  const { nowMs } = ports
  const { host, port, allowedHosts, addServices } = serve
  const owner = openOwner(serve, folder, ports)
  const isLocal = !isReachedByOthers(serve)
  const { trustFrom } = serve
  const gate = createGate({ access: access.value, isLocal, owner, addServices, nowMs, trustFrom })
  const server = await startDashboardServer({
    host,
    port,
    allowedHosts,
    services,
    added,
    receivers,
    direct,
    queryApis: createQueryApis(
      () => file?.value.queryApis() ?? [],
      { platform: process.platform, env: ports.env },
      ports.err,
    ),
    rateLimit: serve.rateLimit,
    accessLog: accessLog.value,
    signer: signer.value,
    pages: pages.value.handler,
    gate,
    signIn: createSignIn({ access: access.value, gate, page: pages.value.loginPage, nowMs }),
    tls: tls.value,
  })
  if (!server.ok) return err([listenLine(server.error, serve)])
  // A terminal that is closed ends a server that has no log to begin anew.
  const log = accessLog.value
  const endHangUp = log === undefined ? () => undefined : ports.onHangUp(log.reopen)
  return ok({
    server: server.value,
    access: access.value,
    owner,
    end: () => {
      endHangUp()
      log?.close()
    },
  })
}

/** Where somebody counts as this computer: whose pages may change something. */
const openOwner = (serve: ServeArguments, folder: string | undefined, { err: report }: CommandPorts) =>
  isReachedByOthers(serve) || folder === undefined
    ? undefined
    : createOwnerToken(openOwnerSecret(folder, report), serve.tls !== undefined)

/** The file may have grown beside what browsers added before. */
function reportNoRoom(direct: readonly string[], report: (line: string) => void) {
  const fitting = fittingSources(direct)
  for (const source of direct.filter((each) => !fitting.includes(each)))
    report(`${source}: ${noRoom('receiver')}. Pages don’t reach it.`)
}

type Started = {
  readonly server: DashboardServer
  readonly access: Access
  readonly owner: OwnerToken | undefined
  readonly end: () => void
}

function openAccess({ access }: ServeArguments, ports: CommandPorts): Result<Access, readonly string[]> {
  if (access === undefined) return ok({ kind: 'this-computer' })
  if (access.kind === 'header') return ok(access)
  if (access.kind !== 'password') return ok({ kind: access.kind })
  const accounts = openPasswordFile(access.file, ports.err)
  return accounts.ok ? ok({ kind: 'password', accounts: accounts.value, lifeMs: access.lifeMs }) : accounts
}

const openLog = async ({ accessLog: target }: ServeArguments, { out, err: report }: CommandPorts) =>
  target === undefined ? ok(undefined) : openAccessLog({ target, out, report, now: () => new Date() })

async function openSigner(
  { signKeys, passphrase }: ServeArguments,
  services: () => readonly Service[],
  ports: CommandPorts,
): Promise<Result<ServerSigner | undefined, readonly string[]>> {
  if (signKeys.length === 0) return ok(undefined)
  const keys = await openSigningKeys(signKeys, passphrase, { platform: process.platform, env: ports.env })
  if (!keys.ok) return keys
  const signer = createServerSigner(keys.value, services, Date.now)
  const unused = services().filter((service) => needsKey(service) && signer.keyOf(service) === undefined)
  for (const { baseUrl } of unused)
    ports.err(`${baseUrl}: no --sign-key is the key that it wants; browsers sign for it.`)
  return ok(signer)
}

async function pagesOf(
  kind: ServingCommand['kind'],
  ports: CommandPorts,
  directOrigins: (owner: Owner) => readonly string[],
) {
  if (kind === 'dev')
    return ok({ handler: createDevPages(await ports.loadVite(), ports.projectFolder), loginPage: '' })
  const folder = join(ports.projectFolder, 'dist', 'web')
  const files = await readStaticFiles(folder)
  if (files.ok) {
    const login = await files.value.get('/login.html')?.bytes('identity')
    return ok({
      handler: () => createStaticHost(files.value, directOrigins),
      loginPage: login?.toString('utf8') ?? '',
    })
  }
  return err([
    files.error === 'missing'
      ? `There is no built dashboard in ${folder}. Build it with: npm run build`
      : `${folder} holds more than a built dashboard. Remove it and run: npm run build`,
  ])
}

function announce(
  serve: ServeArguments,
  { server, access, owner }: Started,
  reference: RunningReference | undefined,
  { out, err: say }: CommandPorts,
) {
  out('Dashboard:')
  out(server.url + (owner?.query ?? ''))
  if (reference !== undefined) {
    out('Reference service (demo nodes):')
    out(`${reference.baseUrl}/`)
    out('Reference control:')
    out(`${reference.controlUrl}/`)
    out('Control token:')
    out(reference.controlToken)
  }
  out(openLine(serve, access))
  if (!isLoopbackHost(serve.host) && serve.tls === undefined)
    say(
      'This is plain http: what is shown, and a password, can be read on the way. Give --tls-cert and --tls-key, or put a server with TLS in front.',
    )
  if (serve.open)
    openBrowser(server.url + (owner?.queryOnce() ?? ''), () =>
      say('No browser could be opened. Open the address above yourself.'),
    )
}

/** What is open to whom, in one line. */
function openLine(serve: ServeArguments, access: Access): string {
  const mayAdd =
    serve.addServices === 'always' || (serve.addServices === 'local' && !isReachedByOthers(serve))
  const where = serve.addServices === 'always' ? '' : ' on pages that were opened by the address above'
  const adds = mayAdd
    ? `they may add services and receivers${where}`
    : 'services and receivers: as configured'
  switch (access.kind) {
    case 'this-computer':
      return `Open to this computer only; services and receivers may ${mayAdd ? '' : 'not '}be added. What changes or sends something needs a page that was opened by the address above.`
    case 'public':
      return 'Open to everybody, to read only: nothing can be added, no message and no silence is passed on.'
    case 'certificate':
      return `Open to clients with a certificate of ${serve.tls?.caFile ?? ''}; ${adds}.`
    case 'header':
      return `Open to whom ${serve.trustFrom.join(', ')} names in ${access.name}; ${adds}.`
    case 'password':
      return `Open to who signs in (accounts: ${access.accounts.count()}); ${adds}.`
  }
}

export function listenLine(
  problem: ListenProblem,
  { host, port }: Pick<ServeArguments, 'host' | 'port'>,
): string {
  switch (problem) {
    case 'port-in-use':
      return portInUseLine(port, '--port')
    case 'port-not-allowed':
      return `Port ${port} may not be used by this user. Choose one above 1023 with --port P.`
    case 'no-such-host':
      return `This computer has no address "${host}". Choose another with --host H.`
    case 'failed':
      return `The dashboard can not listen on ${host}, port ${port}. Choose others with --host H and --port P.`
  }
}

export const portInUseLine = (port: number, flag: string): string =>
  `Port ${port} is in use. Choose another with ${flag} P, where 0 picks a free one.`

function fail({ err: say }: CommandPorts, lines: readonly string[]): number {
  for (const line of lines) say(line)
  return 1
}

const NAME = 'immune-node-dashboard'

/** Where a program keeps its data for one user, by the conventions of each system. */
export function dataFolder(
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): string {
  if (platform === 'win32')
    return win32.join(nonEmpty(env['APPDATA']) ?? win32.join(home, 'AppData', 'Roaming'), NAME)
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support', NAME)
  return posix.join(absolute(env['XDG_DATA_HOME']) ?? posix.join(home, '.local', 'share'), NAME)
}

const nonEmpty = (text: string | undefined) => (text === '' ? undefined : text)

/** The XDG specification has relative paths ignored. */
const absolute = (path: string | undefined) => (path?.startsWith('/') === true ? path : undefined)

/** As much of Vite as is used: the package itself is loaded by the command line, in development only. */
type Vite = {
  readonly createServer: (config: {
    root: string
    appType: 'spa'
    server: { middlewareMode: true; hmr: { server: Server }; allowedHosts: true }
  }) => Promise<{
    middlewares: (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void
    close: () => Promise<void>
  }>
}

/**
 * The page from its source, with hot reload. Without the Content-Security-Policy of the built
 * app: hot reload puts scripts into the page.
 */
const createDevPages =
  (vite: Vite, root: string) =>
  async (server: Server): Promise<Pages> => {
    const page = await vite.createServer({
      root,
      appType: 'spa',
      // Host names were checked before a request gets there.
      server: { middlewareMode: true, hmr: { server }, allowedHosts: true },
    })
    server.once('close', () => void page.close())
    // Vite leaves open what it does not take.
    server.on('upgrade', ({ headers, url }, socket) => {
      if (url?.split('?')[0] !== '/' || !/^vite-(hmr|ping)$/.test(headers['sec-websocket-protocol'] ?? ''))
        socket.destroy()
    })
    return (request, response) =>
      new Promise((resolve, reject) => {
        // Isolated as the built page is, so that what depends on it can be seen here too.
        response.setHeader('Cross-Origin-Opener-Policy', 'same-origin')
        response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp')
        response.setHeader('Cross-Origin-Resource-Policy', 'same-origin')
        response.once('close', resolve)
        page.middlewares(request, response, (error) => {
          if (error !== undefined) reject(error instanceof Error ? error : new Error('the page was not made'))
          else response.writeHead(404).end()
        })
      })
  }

const HELP = `immune-node-dashboard: monitoring dashboard for immune nodes

Usage: immune-node-dashboard COMMAND [FLAGS]

Commands
  start       the dashboard, and a reference service with demo nodes on this computer
  serve       the dashboard alone
  collect     asks nodes without a screen and tells Prometheus; "collect --help" lists its own flags
  probe       tries a service as the dashboard does; "probe --help" lists its own flags
  dev         as start, with hot reload from the source
  reference   the reference service alone; "reference --help" lists its own flags
  hash-password NAME
              reads a password on standard input and prints its line for --password-file

Flags of start, serve and dev
  --port P                     port of the dashboard (${DASHBOARD_PORT}); 0 picks a free one
  --host H                     name or address to listen on (${LOOPBACK})
  --open                       opens the dashboard in the browser
  --config FILE                services, nodes, limits, alarms, views and receivers; see config.schema.json
  --data DIR                   where services and receivers that were added in the browser are kept
  --allow-host NAME            a further host name that it answers to; may be repeated
  --allow-add                  those who are signed in may add services and receivers in the browser
  --no-add                     nobody may
  --tls-cert FILE --tls-key FILE
                               certificate chain and key (PEM): https

Who may come in, where others reach the server (--host, --allow-host); one of these is then needed
  --password-file FILE         who signs in; lines of hash-password. --session-hours N (168) ends a session
  --trust-header NAME --trust-from ADDRESS
                               whom the server in front, at that address or network, names in that header
  --tls-client-ca FILE         who has a client certificate of this authority (with --tls-cert and --tls-key);
                               --tls-client-crl FILE lists those of it that are revoked
  --access-log FILE            a line of JSON for each request, - for standard output; begun anew at SIGHUP
  --rate-limit N               requests a second of one visitor (${RATE_LIMIT})
  --trust-from ADDRESS         a server in front, which says in X-Forwarded-For for whom it asks; may be repeated
  --sign-key SOURCE            signs status requests of configured services itself, so that browsers need no key:
                               a file of the owner's alone, env:NAME or credential:NAME; may be repeated.
                               Only with access control
  --passphrase SOURCE          of an encrypted one
  --public                     everybody, to read: nothing can be added, no message and no silence is passed on

Flags of start and dev
  --reference-port Q           port of the reference service (${REFERENCE_PORT}); 0 picks a free one
  --reference-control-token T  token of its control address (random)
  --nodes N                    how many nodes its network has, all of which are offered for watching (12, of them 3)
  --no-reference               starts none

  --help, --version`

type Program = { readonly file: string; readonly args: readonly string[] }

/** How each system opens an address. None of these is a shell, so nothing in the address is carried out. */
export function browserOpener(platform: NodeJS.Platform, url: string): Program {
  if (platform === 'darwin') return { file: 'open', args: [url] }
  if (platform === 'win32') return { file: 'rundll32.exe', args: ['url.dll,FileProtocolHandler', url] }
  return { file: 'xdg-open', args: [url] }
}

/** What a browser needs of the environment; the rest of it may be secrets, such as a key for --sign-key env:NAME. */
const BROWSER_ENV =
  'PATH HOME USER LOGNAME SHELL LANG LANGUAGE LC_ALL TZ TMPDIR BROWSER DISPLAY WAYLAND_DISPLAY XAUTHORITY DESKTOP_SESSION KDE_FULL_SESSION KDE_SESSION_VERSION DBUS_SESSION_BUS_ADDRESS XDG_RUNTIME_DIR XDG_SESSION_TYPE XDG_CURRENT_DESKTOP XDG_DATA_DIRS XDG_CONFIG_DIRS XDG_DATA_HOME XDG_CONFIG_HOME WSL_DISTRO_NAME WSL_INTEROP SystemRoot SystemDrive windir ComSpec PATHEXT USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA PROGRAMDATA ProgramFiles TEMP TMP'.split(
    ' ',
  )

export const browserEnvironment = (
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      // Windows writes some of them in other cases.
      value !== undefined && BROWSER_ENV.some((known) => known.toLowerCase() === name.toLowerCase())
        ? [[name, value]]
        : [],
    ),
  )

/** Opens the address in the person's browser. Calls `onFailure` when there is no program for it. */
export function openBrowser(url: string, onFailure: () => void) {
  const { file, args } = browserOpener(process.platform, url)
  const env = browserEnvironment(process.env)
  const child = spawn(file, args, { detached: true, stdio: 'ignore', env })
  child.once('error', onFailure)
  child.once('exit', (code) => {
    if (code !== 0) onFailure()
  })
  child.unref()
}

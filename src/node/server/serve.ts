import { spawn } from 'node:child_process'
import { homedir } from 'node:os'
import { join, posix, win32 } from 'node:path'
import { fail, type Output, listenProblem } from '#node/command-line.ts'
import { err, ok, type Result } from '#base/result.ts'
import type { Service } from '#settings/schema.ts'
import { needsKey, needsToken } from '#signing/profile-needs.ts'
import { openAccessLog, type AccessLog } from './access-log.ts'
import { createGate, type Access } from './access.ts'
import { createOwnerToken, openOwnerSecret, type OwnerToken } from './owner-token.ts'
import { openPasswordFile } from './password-file.ts'
import type { Clock } from '#base/clock.ts'
import type { Signer } from '#signing/signer.ts'
import type { ServedWatch } from './answer-watch.ts'
import { createServerSigner, openSigningKeys } from './signing-keys.ts'
import { createQueryApis } from './query-apis.ts'
import { createDeliver, secretProblems, type Deliver } from './deliver.ts'
import { openAddedServices, openReceivers, type Owner } from './receivers.ts'
import { readWordFrom, type SecretWorld } from './secrets.ts'
import { createSignIn } from './sign-in.ts'
import { createDevPages, type Vite } from './dev-pages.ts'
import { isReachedByOthers, type DemoOptions, type ServeCommand, type ServeOptions } from './serve-options.ts'
import { NO_FILE, openConfigFile, type ConfigFile } from './config-file.ts'
import { startDashboardServer, urlOf, type DashboardServer } from './dashboard-server.ts'
import { isLoopbackHost } from '#record/service.ts'
import { openTlsFiles } from './tls-files.ts'
import { fittingSources, noRoom } from './security-headers.ts'
import { createServiceList, namedServices, type Demo, type ServiceSources } from './service-list.ts'
import { readStaticFiles, createStaticHost } from './static-host.ts'

export type RunningReference = {
  readonly baseUrl: string
  readonly controlUrl: string
  readonly controlToken: string
  readonly demo: Demo
  readonly close: () => Promise<void>
}

export type WatchRequest = {
  readonly clock: Clock
  readonly folder: string
  readonly file: Pick<ConfigFile, 'current' | 'receivers'>
  readonly signer: Signer
  readonly deliver: Deliver
  /** Whether this server has the credential that the service requires, if any. */
  readonly canPoll: (service: Service) => boolean
  /** For links in messages; without a slash at the end. */
  readonly dashboardUrl: string
  readonly report: (line: string) => void
}

export type RunningWatch = {
  readonly watch: ServedWatch
  /** Applies a changed configuration now. */
  readonly reload: () => void
  readonly stop: () => Promise<void>
}

export type ServePorts = SecretWorld &
  Output & {
    readonly clock: Clock
    /** The error is one line for the user. */
    readonly startWatch: (request: WatchRequest) => Result<RunningWatch, string>
    /** The folder of package.json. */
    readonly projectFolder: string
    readonly untilStopped: () => Promise<void>
    /** Calls `run` at each SIGHUP; the returned function unsubscribes. */
    readonly onHangUp: (run: () => void) => () => void
    /** The error is one line for the user. */
    readonly startReference: (options: DemoOptions) => Promise<Result<RunningReference, string>>
    readonly loadVite: () => Promise<Vite>
  }

export async function runServe(command: ServeCommand, ports: ServePorts): Promise<number> {
  // Before anything listens, so that stopping the program early also closes its servers.
  const stopped = ports.untilStopped()
  const wanted = command.demo
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
  await Promise.all([started.value.server.close(), running?.close(), started.value.end()])
  return 0
}

async function startServer(
  { kind, serve }: ServeCommand,
  demo: Demo | undefined,
  ports: ServePorts,
): Promise<Result<Started, readonly string[]>> {
  const file = serve.config === undefined ? ok(NO_FILE) : openConfigFile(serve.config, ports.err)
  if (!file.ok) return file
  const access = openAccess(serve, ports)
  if (!access.ok) return access
  const tls = openTlsFiles(serve.tls, ports.err)
  if (!tls.ok) return tls
  const isPublic = access.value.kind === 'public'
  // Entries added in browsers of a local server must not become public.
  const folder = isPublic ? undefined : (serve.data ?? dataFolder(ports, homedir()))
  const accessLog = await openLog(serve, ports)
  if (!accessLog.ok) return err([accessLog.error])
  const signer = await openSigner(serve, () => namedServices(file.value, demo), ports)
  if (!signer.ok) return signer
  const { keyOf } = signer.value
  const sources = { file: file.value, demo, keyOf, isWatched: serve.notify }
  const lists = openLists(sources, folder, isPublic, ports)
  reportNoRoom(lists.direct(undefined), ports.err)
  const pages = await pagesOf(kind, ports, lists.direct)
  if (!pages.ok) return pages
  const nowMs = ports.clock.monotonicMs
  const owner = openOwner(serve, folder, ports)
  const isLocal = !isReachedByOthers(serve)
  const { host, port, allowHost: allowedHosts, addServices, basePath, trustFrom } = serve
  const gate = createGate({ access: access.value, isLocal, owner, addServices, nowMs, basePath, trustFrom })
  const deliver = createDeliver({ folder, world: ports, report: ports.err })
  for (const line of secretProblems(file.value.receivers(), ports)) ports.err(line)
  const watch = openWatch(serve, { file: file.value, signer: signer.value, deliver }, ports)
  if (!watch.ok) return err([watch.error])
  const server = await startDashboardServer({
    host,
    port,
    allowedHosts,
    ...lists,
    deliver,
    queryApis: createQueryApis(file.value.queryApis, ports, ports.err),
    rateLimit: serve.rateLimit,
    accessLog: accessLog.value,
    signer: signer.value,
    watch: watch.value?.watch,
    pages: pages.value.handler,
    gate,
    signIn: createSignIn({ gate, page: pages.value.loginPage, nowMs }),
    tls: tls.value,
  })
  if (!server.ok) {
    await watch.value?.stop()
    return err([notListening(server.error, serve)])
  }
  const endLog = followHangUp(accessLog.value, watch.value, ports)
  return ok({
    server: server.value,
    access: access.value,
    owner,
    end: async () => {
      endLog()
      await watch.value?.stop()
    },
  })
}

/** Services and receivers, of the file and of browsers. */
function openLists(
  sources: Omit<ServiceSources, 'added'>,
  folder: string | undefined,
  isPublic: boolean,
  { err: report }: ServePorts,
) {
  const added = openAddedServices(folder, report)
  const services = createServiceList({ ...sources, added })
  const receivers = openReceivers(sources.file, folder, report, sources.isWatched)
  const direct = (owner: Owner) => [
    ...services.directOrigins(owner),
    ...(isPublic ? [] : receivers.directSources(owner)),
  ]
  return { added, services, receivers, direct }
}

const notListening = (error: Error, serve: ServeOptions): string =>
  listenProblem(error, serve) ??
  `The dashboard can’t listen on ${serve.host}, port ${serve.port}. Choose others with --host H and --port P.`

/** At SIGHUP the log is reopened and the watch reloads. A server with neither ends with its terminal. */
function followHangUp(
  log: AccessLog | undefined,
  watch: RunningWatch | undefined,
  { onHangUp }: ServePorts,
): () => void {
  if (log === undefined && watch === undefined) return () => undefined
  const endHangUp = onHangUp(() => {
    log?.reopen()
    watch?.reload()
  })
  return () => {
    endHangUp()
    log?.close()
  }
}

const openOwner = (serve: ServeOptions, folder: string | undefined, { err: report }: ServePorts) =>
  isReachedByOthers(serve) || folder === undefined
    ? undefined
    : createOwnerToken(openOwnerSecret(folder, report), serve.tls !== undefined, serve.basePath)

/** The file may have grown since browsers added entries. */
function reportNoRoom(direct: readonly string[], report: (line: string) => void) {
  const fitting = fittingSources(direct)
  for (const source of direct.filter((each) => !fitting.includes(each)))
    report(`${source}: ${noRoom('receiver')}. Pages can’t reach it.`)
}

type Started = {
  readonly server: DashboardServer
  readonly access: Access
  readonly owner: OwnerToken | undefined
  readonly end: () => Promise<void>
}

function openAccess({ access }: ServeOptions, ports: ServePorts): Result<Access, readonly string[]> {
  if (access === undefined) return ok({ kind: 'this-computer' })
  if (access.kind !== 'password') return ok(access)
  const accounts = openPasswordFile(access.file, ports.err)
  return accounts.ok ? ok({ kind: 'password', accounts: accounts.value, lifeMs: access.lifeMs }) : accounts
}

const openLog = async ({ accessLog: target }: ServeOptions, { out, err: report }: ServePorts) =>
  target === undefined ? ok(undefined) : openAccessLog({ target, out, report, now: () => new Date() })

async function openSigner(
  { signKey: signKeys, passphrase }: ServeOptions,
  services: () => readonly Service[],
  ports: ServePorts,
): Promise<Result<WatchSigner, readonly string[]>> {
  const keys = await openSigningKeys(signKeys, passphrase, ports)
  if (!keys.ok) return keys
  const signer = createServerSigner(keys.value, services, ports.clock.wallMs)
  const unused =
    signKeys.length === 0
      ? []
      : services().filter((service) => needsKey(service) && signer.keyOf(service) === undefined)
  for (const { baseUrl } of unused)
    ports.err(`${baseUrl}: no --sign-key matches its key; browsers sign for it.`)
  return ok(signer)
}

type WatchSigner = ReturnType<typeof createServerSigner>

type WatchParts = Pick<WatchRequest, 'file' | 'deliver'> & { readonly signer: WatchSigner }

function openWatch(
  { notify, data, dashboardUrl, metricsBearer, tls, host, port, basePath }: ServeOptions,
  { file, signer, deliver }: WatchParts,
  ports: ServePorts,
): Result<RunningWatch | undefined, string> {
  if (!notify) return ok(undefined)
  const bearer = metricsBearer === undefined ? ok(undefined) : readWordFrom(metricsBearer, ports)
  if (!bearer.ok) return bearer
  const started = ports.startWatch({
    clock: ports.clock,
    folder: data ?? dataFolder(ports, homedir()),
    file,
    signer,
    deliver,
    canPoll: (service) => !needsToken(service) && (!needsKey(service) || signer.keyOf(service) !== undefined),
    dashboardUrl:
      dashboardUrl ?? urlOf(tls === undefined ? 'http' : 'https', host, port).replace(/\/$/, basePath),
    report: ports.err,
  })
  if (!started.ok) return started
  const { watch } = started.value
  return ok({ ...started.value, watch: { ...watch, metricsBearer: bearer.value } })
}

async function pagesOf(
  kind: ServeCommand['kind'],
  ports: ServePorts,
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
      ? `${folder} contains no build of the dashboard. Run: npm run build`
      : `${folder} is too large to be a built dashboard. Remove it and run: npm run build`,
  ])
}

function announce(
  serve: ServeOptions,
  { server, access, owner }: Started,
  reference: RunningReference | undefined,
  { out, err: report }: ServePorts,
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
  out(accessLine(serve, access))
  if (!isLoopbackHost(serve.host) && serve.tls === undefined)
    report(
      'Plain http: anyone on the network path can read passwords and pages. Use --tls-cert and --tls-key, or a reverse proxy with TLS.',
    )
  if (serve.open)
    openBrowser(server.url + (owner?.queryOnce() ?? ''), () =>
      report('Could not open a browser. Open the first address above.'),
    )
}

function accessLine(serve: ServeOptions, access: Access): string {
  const { addServices } = serve
  const isLocal = addServices === 'local' && !isReachedByOthers(serve)
  const adding =
    addServices === 'always' ? 'enabled' : isLocal ? 'enabled through the first address above' : 'disabled'
  const adds = `Adding services and receivers: ${adding}.`
  switch (access.kind) {
    case 'this-computer':
      return `Access: this computer only. Changes require the first address above.${adding === 'disabled' ? ` ${adds}` : ''}`
    case 'public':
      return 'Access: everyone, read-only.'
    case 'certificate':
      return `Access: client certificates issued by the authority in ${serve.tls?.caFile ?? ''}. ${adds}`
    case 'header':
      return `Access: users whom the proxy at ${serve.trustFrom.join(' or ')} names in ${access.name}. ${adds}`
    case 'password': {
      const count = access.accounts.count()
      return `Access: sign-in required (${count} account${count === 1 ? '' : 's'}). ${adds}`
    }
  }
}

const NAME = 'immune-node-dashboard'

export function dataFolder({ platform, env }: SecretWorld, home: string): string {
  if (platform === 'win32')
    return win32.join(nonEmpty(env['APPDATA']) ?? win32.join(home, 'AppData', 'Roaming'), NAME)
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support', NAME)
  return posix.join(absolute(env['XDG_DATA_HOME']) ?? posix.join(home, '.local', 'share'), NAME)
}

const nonEmpty = (text: string | undefined) => (text === '' ? undefined : text)

/** The XDG specification requires that relative paths are ignored. */
const absolute = (path: string | undefined) => (path?.startsWith('/') === true ? path : undefined)

type Program = { readonly file: string; readonly args: readonly string[] }

/** None of these is a shell, so nothing in the URL is executed. */
export function browserOpener(platform: NodeJS.Platform, url: string): Program {
  if (platform === 'darwin') return { file: 'open', args: [url] }
  if (platform === 'win32') return { file: 'rundll32.exe', args: ['url.dll,FileProtocolHandler', url] }
  return { file: 'xdg-open', args: [url] }
}

/** The environment variables that a browser needs. Others may be secrets, such as a key for --sign-key env:NAME. */
const BROWSER_ENV =
  'PATH HOME USER LOGNAME SHELL LANG LANGUAGE LC_ALL TZ TMPDIR BROWSER DISPLAY WAYLAND_DISPLAY XAUTHORITY DESKTOP_SESSION KDE_FULL_SESSION KDE_SESSION_VERSION DBUS_SESSION_BUS_ADDRESS XDG_RUNTIME_DIR XDG_SESSION_TYPE XDG_CURRENT_DESKTOP XDG_DATA_DIRS XDG_CONFIG_DIRS XDG_DATA_HOME XDG_CONFIG_HOME WSL_DISTRO_NAME WSL_INTEROP SystemRoot SystemDrive windir ComSpec PATHEXT USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA PROGRAMDATA ProgramFiles TEMP TMP'.split(
    ' ',
  )

export const browserEnvironment = (
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      // Windows ignores the case of these names.
      value !== undefined && BROWSER_ENV.some((known) => known.toLowerCase() === name.toLowerCase())
        ? [[name, value]]
        : [],
    ),
  )

function openBrowser(url: string, onFailure: () => void) {
  const { file, args } = browserOpener(process.platform, url)
  const env = browserEnvironment(process.env)
  const child = spawn(file, args, { detached: true, stdio: 'ignore', env })
  child.once('error', onFailure)
  child.once('exit', (code) => {
    if (code !== 0) onFailure()
  })
  child.unref()
}

import { execFile } from 'node:child_process'
import { mkdtemp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { type QueryApiSource, serviceAt, type ServerConfig } from '#settings/schema.ts'
import { type Receiver } from '#settings/receiver.ts'
import { createGate, type Access, type GateOptions } from '#server/access.ts'
import { resolveByDns, type Resolve } from '#node/address-guard.ts'
import type { AccessLog } from '#server/access-log.ts'
import { isReachedByOthers, RATE_LIMIT } from '#server/serve-options.ts'
import { CONNECTION_LIMITS, type ConnectionLimits } from '#server/connections.ts'
import type { OwnerToken } from '#server/owner-token.ts'
import { createDeliver } from '#server/deliver.ts'
import { createSignIn } from '#server/sign-in.ts'
import { createQueryApis } from '#server/query-apis.ts'
import { openAddedServices, openReceivers, type Owner } from '#server/receivers.ts'
import { NO_FILE, openConfigFile, type ConfigFile } from '#server/config-file.ts'
import { startDashboardServer, type DashboardServerOptions } from '#server/dashboard-server.ts'
import type { WatchedTls } from '#server/tls-files.ts'
import { createServerSigner, type ServerSigner } from '#server/signing-keys.ts'
import { createServiceList, type Demo } from '#server/service-list.ts'
import { readStaticFiles, createStaticHost } from '#server/static-host.ts'
import { valueOf } from '#test/support/value-of.ts'

/** A configuration of services that this server proxies. */
export const configOf = (...baseUrls: readonly string[]): ServerConfig => ({
  ...NO_FILE.current(),
  services: baseUrls.map((baseUrl) => serviceAt(baseUrl, 'proxy')),
})

const NO_SIGNER = createServerSigner({ find: () => undefined }, () => [], Date.now)

const LOGIN_PAGE = '<!doctype html><title>Sign in</title><body data-state="form">'

const run = promisify(execFile)

/** A folder that is removed after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dashboard-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A self-signed certificate for loopback, which can also be an authority and its only client. */
export async function certificate(name: string) {
  const folder = await temporaryFolder()
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1']
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  await run('openssl', ['req', '-x509', ...kind, '-keyout', key, '-out', cert, ...subject])
  return { key: await readFile(key), cert: await readFile(cert) }
}

/** A folder laid out as a build is. */
export async function builtFolder(): Promise<string> {
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'assets'))
  const files: Record<string, string> = {
    'index.html': '<!doctype html><title>Page</title>',
    'config.schema.json': '{}',
    'login.html': LOGIN_PAGE,
    'favicon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'assets/index-1.js': `export const text = '${'long '.repeat(200)}'`,
    'assets/index-1.css': 'body{}',
    'assets/plex-1.woff2': 'font',
    'assets/engine-worker-1.js': 'self.onmessage = null',
    'assets/signer-worker-1.js': 'self.onconnect = null',
  }
  for (const [path, content] of Object.entries(files)) await writeFile(join(folder, path), content)
  return folder
}

export type TestServerOptions = {
  readonly config?: ServerConfig
  readonly receivers?: readonly Receiver[]
  readonly queryApis?: readonly QueryApiSource[]
  readonly signer?: ServerSigner
  readonly watch?: DashboardServerOptions['watch']
  readonly rateLimit?: number
  readonly trustFrom?: readonly string[]
  readonly accessLog?: AccessLog
  readonly configFile?: ConfigFile
  readonly demo?: Demo
  /** Absent: every page on this computer counts as its owner's. */
  readonly owner?: OwnerToken
  readonly addServices?: GateOptions['addServices']
  readonly access?: Access
  readonly nowMs?: () => number
  readonly limits?: ConnectionLimits
  readonly resolve?: Resolve
  readonly after?: DashboardServerOptions['after']
  readonly tls?: WatchedTls
  readonly dataFolder?: string
  readonly env?: Readonly<Record<string, string>>
  readonly host?: string
  readonly allowedHosts?: readonly string[]
  readonly pages?: DashboardServerOptions['pages']
}

/** The real server on a free port, with a built folder; closed after the test. */
export async function startTestServer(options: TestServerOptions = {}) {
  const files = valueOf(await readStaticFiles(await builtFolder()))
  const server = await openTestServer(options, files)
  onTestFinished(server.close)
  return server
}

/** Like `startTestServer`, but with these files, and closed by the caller. */
export async function openTestServer(
  {
    config,
    receivers = [],
    queryApis = [],
    signer = NO_SIGNER,
    watch,
    rateLimit = RATE_LIMIT,
    trustFrom = [],
    accessLog,
    configFile,
    demo,
    owner,
    addServices = 'local',
    access = { kind: 'this-computer' },
    nowMs = () => performance.now(),
    limits = CONNECTION_LIMITS,
    resolve = resolveByDns,
    after,
    tls,
    dataFolder,
    env = {},
    host = '127.0.0.1',
    allowedHosts = [],
    pages,
  }: TestServerOptions,
  files: Parameters<typeof createStaticHost>[0] = new Map(),
) {
  const reports: string[] = []
  const added = openAddedServices(dataFolder, (line) => reports.push(line))
  const file = configFile ?? {
    ...NO_FILE,
    ...(config && { current: () => config }),
    receivers: () => receivers,
    queryApis: () => queryApis,
  }
  const told = openReceivers(file, dataFolder, (line) => reports.push(line), watch !== undefined)
  const services = createServiceList({
    file,
    demo,
    added,
    keyOf: signer.keyOf,
    isWatched: watch !== undefined,
  })
  const direct = (account: Owner) => [...services.directOrigins(account), ...told.directSources(account)]
  const isLocal = !isReachedByOthers({ host, allowHost: allowedHosts, trustFrom })
  const gate = createGate({ access, isLocal, owner, addServices, nowMs, trustFrom })
  const server = await startDashboardServer({
    host,
    port: 0,
    allowedHosts,
    services,
    added,
    receivers: told,
    deliver: createDeliver({
      folder: dataFolder,
      world: { platform: process.platform, env },
      report: (line) => reports.push(line),
    }),
    direct,
    signer,
    watch,
    rateLimit,
    accessLog,
    queryApis: createQueryApis(file.queryApis, { platform: process.platform, env }, (line) =>
      reports.push(line),
    ),
    gate,
    signIn: createSignIn({ gate, page: LOGIN_PAGE, nowMs }),
    limits,
    resolve,
    ...(after && { after }),
    tls,
    pages: pages ?? (() => createStaticHost(files, direct)),
  })
  if (!server.ok) throw server.error
  const { url, close } = server.value
  return { url, close, reports, host: new URL(url).host }
}

export async function configFileWith(document: unknown, reports: string[] = []) {
  const path = join(await temporaryFolder(), 'config.json')
  await writeFile(path, typeof document === 'string' ? document : JSON.stringify(document))
  return { path, opened: openConfigFile(path, (line) => reports.push(line)), reports }
}

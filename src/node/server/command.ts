import { homedir } from 'node:os'
import { join, posix, win32 } from 'node:path'
import { err, ok, type Result } from '#base/result.ts'
import { openAddedServices, openReceivers } from './receivers.ts'
import {
  parseCommand,
  type Command,
  type ReferenceArguments,
  type ServeArguments,
  DASHBOARD_PORT,
  LOOPBACK,
  REFERENCE_PORT,
} from './arguments.ts'
import { openConfigFile } from './config-file.ts'
import { startDashboardServer, type DashboardServer, type ListenProblem } from './dashboard-server.ts'
import { isLoopbackHost } from './request-guard.ts'
import { createServiceList, type Demo } from './service-list.ts'
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
  /** The folder of package.json. */
  readonly projectFolder: string
  readonly version: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Resolves when the person ends the program. */
  readonly untilStopped: () => Promise<void>
  /** The error is one line for the person. */
  readonly startReference: (options: ReferenceArguments) => Promise<Result<RunningReference, string>>
  readonly runReference: (argv: readonly string[]) => Promise<number>
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
    case 'serve':
    case 'start':
    case 'dev':
      return runServers(command.value, ports)
  }
}

type ServingCommand = Extract<Command, { serve: ServeArguments }>

async function runServers(command: ServingCommand, ports: CommandPorts): Promise<number> {
  // Before anything listens, so that a program that is stopped early ends its servers too.
  const stopped = ports.untilStopped()
  const wanted = command.kind === 'serve' ? undefined : command.reference
  const reference = wanted === undefined ? undefined : await ports.startReference(wanted)
  if (reference?.ok === false) return fail(ports, [reference.error])
  const running = reference?.value
  const server = await startServer(command, running?.demo, ports)
  if (!server.ok) {
    await running?.close()
    return fail(ports, server.error)
  }
  announce(command.serve, server.value, running, ports)
  await stopped
  await Promise.all([server.value.close(), running?.close()])
  return 0
}

async function startServer(
  { kind, serve }: ServingCommand,
  demo: Demo | undefined,
  ports: CommandPorts,
): Promise<Result<DashboardServer, readonly string[]>> {
  const file = serve.configFile === undefined ? undefined : openConfigFile(serve.configFile, ports.err)
  if (file?.ok === false) return file
  const folder = serve.dataFolder ?? dataFolder(process.platform, ports.env, homedir())
  const canAddServices =
    serve.addServices === 'always' || (serve.addServices === 'loopback' && isLoopbackHost(serve.host))
  const added = openAddedServices(folder, ports.err)
  const services = createServiceList({ file: file?.value, demo, added, canAddServices })
  const receivers = openReceivers(file?.value, folder, ports.err)
  const pages = await pagesOf(kind, ports, () => [...services.directOrigins(), ...receivers.directSources()])
  if (!pages.ok) return pages
  const { host, port, allowedHosts } = serve
  const server = await startDashboardServer({
    host,
    port,
    allowedHosts,
    services,
    added,
    receivers,
    pages: pages.value,
  })
  return server.ok ? server : err([listenLine(server.error, serve)])
}

async function pagesOf(
  kind: ServingCommand['kind'],
  ports: CommandPorts,
  directOrigins: () => readonly string[],
) {
  if (kind === 'dev') return ok(createDevPages(await ports.loadVite(), ports.projectFolder))
  const folder = join(ports.projectFolder, 'dist', 'web')
  const files = await readStaticFiles(folder)
  if (files.ok) return ok(() => createStaticHost(files.value, directOrigins))
  return err([
    files.error === 'missing'
      ? `There is no built dashboard in ${folder}. Build it with: npm run build`
      : `${folder} holds more than a built dashboard. Remove it and run: npm run build`,
  ])
}

function announce(
  serve: ServeArguments,
  server: DashboardServer,
  reference: RunningReference | undefined,
  { out, err: say }: CommandPorts,
) {
  out('Dashboard:')
  out(server.url)
  if (reference !== undefined) {
    out('Reference service (demo nodes):')
    out(`${reference.baseUrl}/`)
    out('Reference control:')
    out(`${reference.controlUrl}/`)
    out('Control token:')
    out(reference.controlToken)
  }
  if (!isLoopbackHost(serve.host))
    say(
      'Others can reach this dashboard over plain http. Put a server with TLS in front of it for more than a try.',
    )
  if (serve.open)
    openBrowser(server.url, () => say('No browser could be opened. Open the address above yourself.'))
}

function listenLine(problem: ListenProblem, { host, port }: ServeArguments): string {
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
  dev         as start, with hot reload from the source
  reference   the reference service alone; "reference --help" lists its own flags

Flags of start, serve and dev
  --port P                     port of the dashboard (${DASHBOARD_PORT}); 0 picks a free one
  --host H                     name or address to listen on (${LOOPBACK})
  --open                       opens the dashboard in the browser
  --config FILE                services, nodes and receivers of alarms; see config.schema.json
  --data DIR                   where services and receivers that were added in the browser are kept
  --allow-host NAME            a further host name that it answers to; may be repeated
  --allow-add                  services may be added in the browser even when others can reach the server
  --no-add                     services may not be added in the browser

Flags of start and dev
  --reference-port Q           port of the reference service (${REFERENCE_PORT}); 0 picks a free one
  --reference-control-token T  token of its control address (random)
  --nodes N                    how many nodes its network has
  --no-reference               starts none

  --help, --version`

type Program = { readonly file: string; readonly args: readonly string[] }

/** How each system opens an address. None of these is a shell, so nothing in the address is carried out. */
export function browserOpener(platform: NodeJS.Platform, url: string): Program {
  if (platform === 'darwin') return { file: 'open', args: [url] }
  if (platform === 'win32') return { file: 'rundll32.exe', args: ['url.dll,FileProtocolHandler', url] }
  return { file: 'xdg-open', args: [url] }
}

/** Opens the address in the person's browser. Calls `onFailure` when there is no program for it. */
function openBrowser(url: string, onFailure: () => void) {
  const { file, args } = browserOpener(process.platform, url)
  const child = spawn(file, args, { detached: true, stdio: 'ignore' })
  child.once('error', onFailure)
  child.once('exit', (code) => {
    if (code !== 0) onFailure()
  })
  child.unref()
}

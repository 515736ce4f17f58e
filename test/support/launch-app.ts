import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'

type Running = {
  /** Everything printed so far, for the messages of failed tests. */
  readonly output: () => string
  /** Sends the app a signal, SIGTERM by default, waits for it to exit, and resolves to its exit code. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>
}

/** The printed addresses, each with a trailing slash. `openUrl` includes the token that signs in the owner. */
export type Dashboard = Running & { readonly dashboardUrl: string; readonly openUrl: string }

export type App = Dashboard & {
  readonly referenceUrl: string
  readonly controlUrl: string
  /** Bearer token of the control address. */
  readonly controlToken: string
}

const CLI = join(import.meta.dirname, '../../dist/node/cli.js')
const CONTROL_TOKEN = 'control-token-of-the-tests'

/** Ends a start that hangs; a normal one takes less than a second. */
const START_LIMIT_MS = 120_000

/** Starts the built app with its own reference service on free ports, as a new user does. */
export async function launchApp(args: readonly string[] = []): Promise<App> {
  const ports = ['--port', '0', '--reference-port', '0', '--reference-control-token', CONTROL_TOKEN]
  const { url, ...running } = await launch(['start', ...ports, ...args], 3)
  return {
    ...running,
    ...(await opened(url('Dashboard'))),
    referenceUrl: url('Reference service'),
    controlUrl: url('Reference control'),
    controlToken: CONTROL_TOKEN,
  }
}

/** Starts the built dashboard alone, on a free port unless `args` name one. `cli` selects another build. */
export async function launchDashboard(args: readonly string[] = [], cli = CLI): Promise<Dashboard> {
  const { url, ...running } = await launch(['serve', '--port', '0', ...args], 1, cli)
  return { ...running, ...(await opened(url('Dashboard'))) }
}

/** The cookies of a browser that opened each dashboard by its printed address. Test contexts start with them. */
export const ownerCookies: { readonly name: string; readonly value: string; readonly url: string }[] = []

async function opened(openUrl: string): Promise<Pick<Dashboard, 'dashboardUrl' | 'openUrl'>> {
  const dashboardUrl = openUrl.replace(/\?.*/, '')
  if (openUrl !== dashboardUrl && openUrl.startsWith('http:')) {
    const { headers } = await fetch(openUrl, { redirect: 'manual' })
    const [, name = '', value = ''] = /^([^=]+)=([^;]+)/.exec(headers.get('set-cookie') ?? '') ?? []
    ownerCookies.push({ name, value, url: dashboardUrl })
  }
  return { dashboardUrl, openUrl }
}

/** Reads the addresses from the output: a label line that ends with a colon, then a line with only the address. */
async function launch(
  argv: readonly string[],
  urlCount: number,
  cli = CLI,
): Promise<Running & { readonly url: (label: string) => string }> {
  const child = spawn(process.execPath, [cli, ...argv], { stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = once(child, 'exit')
  const killWithUs = () => child.kill('SIGKILL')
  process.once('exit', killWithUs)

  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const urls = new Map<string, string>()
  const addresses = new Promise<void>((found) => {
    let label = ''
    createInterface({ input: child.stdout }).on('line', (line) => {
      output += `${line}\n`
      if (/^https?:\/\/\S+$/.test(line)) urls.set(label, line)
      else label = line
      if (urls.size === urlCount) found()
    })
  })

  const stop = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> => {
    process.off('exit', killWithUs)
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal)
      await exited
    }
    return child.exitCode
  }

  const limit = AbortSignal.timeout(START_LIMIT_MS)
  const outcome = await Promise.race([
    addresses.then(() => 'up' as const),
    exited.then(() => 'ended' as const),
    once(limit, 'abort').then(() => 'hung' as const),
  ])
  if (outcome !== 'up') {
    child.kill('SIGKILL')
    throw new Error(`The app ${outcome} before it printed its addresses. Its output:\n${output}`)
  }
  const url = (label: string): string => {
    const found = Array.from(urls).find(([line]) => line.startsWith(label))?.[1]
    if (found === undefined)
      throw new Error(`The app printed no address under "${label}…". Its output:\n${output}`)
    return found
  }
  return { url, output: () => output, stop }
}

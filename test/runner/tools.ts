import { spawnSync, type SpawnSyncOptions } from 'node:child_process'
import process from 'node:process'
import { findBrowser, findLightBrowser } from '#test/support/find-browser.ts'

export type Tool = {
  readonly name: string
  /** The Debian package. */
  readonly apt: string
  /** How to install it manually. */
  readonly hint: string
  /** Without it tests take longer, or are skipped with a reason in allowed-skips.json. */
  readonly optional?: true
}

const HEADLESS_SHELL = 'Chromium’s headless shell'

/** The programs that tests use besides Node. */
export const TOOLS: readonly Tool[] = [
  {
    name: 'Chromium',
    apt: 'chromium',
    hint: 'install Chromium or Chrome, or set CHROMIUM_PATH to its program file',
  },
  {
    name: HEADLESS_SHELL,
    apt: 'chromium-headless-shell',
    hint: 'install Chromium’s headless shell',
    optional: true,
  },
  { name: 'curl', apt: 'curl', hint: 'install curl and put it on PATH' },
  { name: 'openssl', apt: 'openssl', hint: 'install openssl and put it on PATH' },
  { name: 'ssh-keygen', apt: 'openssh-client', hint: 'install OpenSSH and put ssh-keygen on PATH' },
]

/** The programs that the dashboard works with. */
export const THIRD_PARTY: readonly Tool[] = [
  {
    name: 'prometheus-alertmanager',
    apt: 'prometheus-alertmanager',
    hint: 'install Prometheus Alertmanager',
    optional: true,
  },
  { name: 'nginx', apt: 'nginx-light', hint: 'install nginx', optional: true },
  { name: 'caddy', apt: 'caddy', hint: 'install Caddy', optional: true },
  {
    name: 'victoria-metrics',
    apt: 'victoria-metrics',
    hint: 'install single-node VictoriaMetrics',
    optional: true,
  },
  { name: 'promtool', apt: 'prometheus', hint: 'install Prometheus and promtool', optional: true },
]

/** The other browser engines: Firefox needs no driver; WebKitGTK needs its driver and a virtual display. */
export const ENGINES: readonly Tool[] = [
  { name: 'firefox-esr', apt: 'firefox-esr', hint: 'install Firefox ESR and put firefox-esr on PATH' },
  {
    name: 'WebKitWebDriver',
    apt: 'webkit2gtk-driver',
    hint: 'install WebKitGTK’s driver and its MiniBrowser',
  },
  { name: 'xvfb-run', apt: 'xvfb', hint: 'install Xvfb' },
]

export type Machine = {
  readonly isThere: (tool: string) => boolean
  /** Whether packages can be installed without asking the user. */
  readonly canInstall: () => boolean
  readonly install: (packages: readonly string[]) => void
}

/**
 * Finds the programs that tests use, and installs missing ones where possible. Returns one line for each that is still
 * missing.
 */
export function ensureTools(
  say: (line: string) => void,
  tools: readonly Tool[],
  machine: Machine = thisMachine,
): readonly string[] {
  const missing = tools.filter(({ name }) => !machine.isThere(name))
  if (missing.length > 0 && machine.canInstall()) {
    say(`Installing ${missing.map(({ name }) => name).join(', ')} ...`)
    const needed = missing.filter(({ optional }) => optional !== true)
    if (needed.length > 0) machine.install(needed.map(({ apt }) => apt))
    // One at a time, because apt-get installs nothing if it does not know one of the packages.
    for (const { apt, optional } of missing) if (optional === true) machine.install([apt])
  }
  return missing
    .filter(({ name, optional }) => optional !== true && !machine.isThere(name))
    .map(({ name, hint }) => `${name} is missing: ${hint}.`)
}

const runs = (program: string): boolean =>
  // Some of these programs do not know --version and exit with an error, which still shows that they are installed.
  spawnSync(program, ['--version'], { stdio: 'ignore', timeout: 10_000 }).error === undefined

function isHere(tool: string): boolean {
  if (tool === 'Chromium') return findBrowser() !== undefined
  return tool === HEADLESS_SHELL ? findLightBrowser() !== undefined : runs(tool)
}

const thisMachine: Machine = {
  isThere: isHere,
  canInstall: () => process.platform === 'linux' && process.getuid?.() === 0 && runs('apt-get'),
  install: (packages) => {
    const options: SpawnSyncOptions = {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    }
    spawnSync('apt-get', ['update'], options)
    spawnSync('apt-get', ['install', '-y', '--no-install-recommends', ...packages], options)
  },
}

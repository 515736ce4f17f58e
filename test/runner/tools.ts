import { spawnSync, type SpawnSyncOptions } from 'node:child_process'
import process from 'node:process'
import { findBrowser } from '#test/support/find-browser.ts'

type Tool = {
  readonly name: string
  /** Debian's package. */
  readonly apt: string
  /** How to get it by hand. */
  readonly hint: string
}

/** The programs that tests use beside Node. */
const TOOLS: readonly Tool[] = [
  {
    name: 'Chromium',
    apt: 'chromium',
    hint: 'install Chromium or Chrome, or set CHROMIUM_PATH to its program file',
  },
  { name: 'curl', apt: 'curl', hint: 'install curl and put it on PATH' },
  { name: 'openssl', apt: 'openssl', hint: 'install openssl and put it on PATH' },
  { name: 'ssh-keygen', apt: 'openssh-client', hint: 'install OpenSSH and put ssh-keygen on PATH' },
]

export type Machine = {
  readonly isThere: (tool: string) => boolean
  /** Whether packages can be installed without asking anybody. */
  readonly canInstall: () => boolean
  readonly install: (packages: readonly string[]) => void
}

/**
 * Makes sure that the programs which tests use are there: finds them, or installs them where
 * that is possible. Returns one line for each that is still missing.
 */
export function ensureTools(say: (line: string) => void, machine: Machine = thisMachine): readonly string[] {
  const missing = TOOLS.filter(({ name }) => !machine.isThere(name))
  if (missing.length > 0 && machine.canInstall()) {
    say(`Installing ${missing.map(({ name }) => name).join(', ')} ...`)
    machine.install(missing.map(({ apt }) => apt))
  }
  return missing
    .filter(({ name }) => !machine.isThere(name))
    .map(({ name, hint }) => `${name} is missing: ${hint}.`)
}

const runs = (program: string): boolean =>
  // None of them does anything for this; a program that is there may well end with an error.
  spawnSync(program, ['--version'], { stdio: 'ignore', timeout: 10_000 }).error === undefined

const thisMachine: Machine = {
  isThere: (tool) => (tool === 'Chromium' ? findBrowser() !== undefined : runs(tool)),
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

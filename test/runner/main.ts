import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { FAULTS } from '#test/faults/matrix.ts'
import { NOT_RUN } from '#test/faults/not-run.ts'
import type { SoakReport } from '#test/soak/judge.ts'
import { filesOf, read } from '#test/support/source-tree.ts'
import { atMost } from './at-most.ts'
import { faultProblems, faultResults, faultTable, rowsIn } from './fault-results.ts'
import { run } from './run.ts'
import {
  add,
  checkTally,
  closingLine,
  NOTHING,
  reasonOf,
  slowest,
  soakTally,
  unexplainedSkips,
  vitestTally,
  type AllowedSkip,
  type Tally,
  type VitestReport,
} from './tally.ts'
import { ENGINES, ensureTools } from './tools.ts'
import { wantedOf } from './wanted.ts'

const ROOT = join(import.meta.dirname, '../..')

type Step = {
  readonly name: string
  /** Names of steps without which this one can't be run. */
  readonly after?: readonly string[]
  /** Writes its report, if it makes one, into that file. */
  readonly run: (report: string) => Promise<{ readonly exitCode: number; readonly output: string }>
  readonly tally: (exitCode: number, report: unknown) => Tally
}

/** Steps that may run side by side. */
type Stage = readonly Step[]

const CORES = Math.max(2, availableParallelism())
/** One more than the cores, since many files wait more than they work; with still more, browsers starve. */
const WORKERS = CORES + 1

/** Programs are started as files by this Node, so that no shell and no .cmd wrapper is needed anywhere. */
const BUILD: Stage = [
  check('build the dashboard', 'vite/bin/vite.js', ['build', '--logLevel', 'warn']),
  check('build the server', 'vite/bin/vite.js', ['build', '--logLevel', 'warn', '--ssr', 'src/node/cli.ts']),
]
const STATIC: Stage = [
  // One checker a project: with the usual four, each resolves the same types again, for half as much CPU again.
  check('types', 'typescript/bin/tsc', ['-b', '--checkers', '1']),
  check('lint', 'oxlint/bin/oxlint', ['--quiet']),
  check('format', 'oxfmt/bin/oxfmt', ['--check', '.']),
  check('dead code', 'knip/bin/knip.js', ['--no-progress']),
]
const UNITS: Step = vitest('unit and component tests', ['unit', 'component'])

const BROWSER_PROJECTS = ['browser', 'built', 'e2e', 'faults']
/** Minutes each, so only with the whole of the fault matrix. */
const SLOW_PROJECT = 'slow-faults'
/** Needs Prometheus, VictoriaMetrics, nginx and Caddy, and mostly waits for them. */
const FOREIGN_PROJECT = 'foreign'

const USAGE = [
  'npm test                     checks, builds, and all tests but the slowest and those with foreign programs',
  'npm run test:faults          the same as npm test -- --faults',
  'npm run test:browsers        the same as npm test -- --browsers',
  'npm run check                the same as npm test -- --static',
  '',
  '  --all       the slowest and the foreign too, every seed of the fuzz, a soak, and the results of the fault matrix',
  '  --browsers  only what Firefox ESR and WebKitGTK are tried for',
  '  --faults    only the fault matrix, with its results',
  '  --foreign   the tests with real Prometheus, VictoriaMetrics, nginx and Caddy too',
  '  --quick     only unit and component tests',
  '  --static    only types, lint, formatting and dead code',
  '  --help      this text',
  '',
  'One test file: npx vitest run --project unit test/core/base/bytes.test.ts',
].join('\n')

/** Those of the matrix, and others that name a fault of it. */
const faultFiles = (): readonly string[] => [
  'test/faults/',
  'test/world/',
  ...filesOf('test')
    .filter((file) => /\.test\.tsx?$/.test(file) && !/^(faults|runner|world)\//.test(file))
    .map((file) => `test/${file}`)
    .filter((path) => rowsIn(read(path)).length > 0),
]

/** Builds and checks run beside the unit tests, which need no build. The soak is alone: what else runs makes requests late. */
function stagesFor(argument: string | undefined): readonly Stage[] {
  if (argument === '--static') return [STATIC]
  if (argument === '--quick') return [[UNITS]]
  if (argument === '--browsers') return [BUILD, [ofBuild(vitest('other engines', ['engines']))]]
  if (argument === '--faults') {
    const projects = ['unit', 'component', ...BROWSER_PROJECTS, SLOW_PROJECT]
    return [BUILD, [ofBuild(vitest('faults', projects, faultFiles()))]]
  }
  const isAll = argument === '--all'
  const foreign = isAll || argument === '--foreign' ? [FOREIGN_PROJECT] : []
  const projects = [...BROWSER_PROJECTS, ...foreign, ...(isAll ? [SLOW_PROJECT] : [])]
  const browser = ofBuild(vitest('tests in a browser and of the build', projects))
  return [[UNITS, ...BUILD, ...STATIC], [browser], isAll ? [ofBuild(SOAK)] : []]
}

/** Runs every check and test, or those asked for. Resolves to the exit code, 2 for an argument that there is not. */
export async function main(args: readonly string[]): Promise<number> {
  const wanted = wantedOf(
    args,
    ['--all', '--browsers', '--faults', '--foreign', '--quick', '--static'],
    USAGE,
  )
  if (wanted.kind !== 'run') {
    say(wanted.words)
    return wanted.kind === 'help' ? 0 : 2
  }
  const [only] = wanted.given
  if (only === '--all') process.env['FUZZ_ALL'] = 'true'
  const missing =
    only === '--static' ? [] : ensureTools(say, undefined, only === '--browsers' ? ENGINES : undefined)
  for (const line of missing) say(line)
  let total: Tally = { ...NOTHING, failed: missing }
  for (const stage of stagesFor(only)) {
    const { failed } = total
    const tallies = await atMost(CORES, stage, (step) => carryOut(step, failed))
    total = tallies.reduce(add, total)
  }
  if (only === undefined || only === '--foreign')
    total = add(total, writeFaultResults(total.files, slowRows()))
  if (only === '--all' || only === '--faults') total = add(total, writeFaultResults(total.files))
  return conclude(total)
}

/** The faults that only a slow test may show. */
const slowRows = (): Readonly<Record<number, string>> =>
  Object.fromEntries(
    filesOf('test/faults/slow')
      .flatMap((file) => rowsIn(read(`test/faults/slow/${file}`)))
      .map((row) => [row, 'slow: run by --all and --faults']),
  )

/** Writes what became of every fault. One of which nothing is known is a failure. */
function writeFaultResults(
  testResults: VitestReport['testResults'],
  slow: Readonly<Record<number, string>> = {},
): Tally {
  const results = faultResults(FAULTS, { ...slow, ...NOT_RUN }, [{ testResults }])
  writeFileSync(join(ROOT, 'test/faults/results.json'), `${JSON.stringify(results, undefined, 2)}\n`)
  writeFileSync(join(ROOT, 'test/faults/results.md'), faultTable(results))
  return { ...NOTHING, failed: faultProblems(results, NOT_RUN) }
}

/** Steps side by side: what one says comes in one piece, when it ended, unless it writes by itself. */
async function carryOut(step: Step, failedBefore: readonly string[]): Promise<Tally> {
  const startMs = performance.now()
  const lacking = step.after?.find((name) => failedBefore.includes(name))
  if (lacking !== undefined)
    return { ...NOTHING, failed: [`${step.name}: not run, because "${lacking}" failed`] }
  const folder = mkdtempSync(join(tmpdir(), 'report-'))
  const file = join(folder, 'report.json')
  try {
    const { exitCode, output } = await step.run(file)
    const report = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
    const tally = step.tally(exitCode, report)
    const seconds = ((performance.now() - startMs) / 1_000).toFixed(1)
    say(`\n=== ${step.name}\n${output}`)
    say(`${step.name}: ${closingLine(tally.passed, tally.failed.length)} (${seconds} s)`)
    return tally
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function conclude(total: Tally): number {
  const allowed: readonly AllowedSkip[] = JSON.parse(
    readFileSync(join(ROOT, 'test/allowed-skips.json'), 'utf8'),
  )
  const unexplained = unexplainedSkips(total, allowed)
  for (const line of slowest(total.files, ROOT)) say(line)
  for (const test of total.skipped) {
    const reason = reasonOf(test, allowed)
    say(
      `skipped: ${test} (${reason ?? 'no reason given in test/allowed-skips.json, so it counts as failed'})`,
    )
  }
  for (const test of total.unsteady) say(`unsteady: ${test} (failed, then passed when it was tried again)`)
  for (const test of total.failed) say(`failed: ${test}`)
  const failed = total.failed.length + unexplained.length
  say(`\n${closingLine(total.passed, failed)}`)
  return failed === 0 ? 0 : 1
}

function check(name: string, bin: string, args: readonly string[]): Step {
  return {
    name,
    run: () => run(`node_modules/${bin}`, args, { cwd: ROOT }),
    tally: (exitCode) => checkTally(name, exitCode),
  }
}

/** Runs the tests of `projects`, or only those in `files`. */
function vitest(name: string, projects: readonly string[], files: readonly string[] = []): Step {
  const args = [
    'run',
    '--allowOnly=false',
    `--maxWorkers=${WORKERS}`,
    '--reporter=default',
    '--reporter=./test/runner/reporter.ts',
    ...projects.map((project) => `--project=${project}`),
    ...files,
  ]
  return {
    name,
    run: (report) =>
      run('node_modules/vitest/vitest.mjs', args, { cwd: ROOT, isAloud: true, env: { REPORT: report } }),
    tally: (exitCode, report) => vitestTally(name, report as VitestReport | undefined, exitCode, ROOT),
  }
}

/** On two cores it took 23 minutes beside three other programs. */
const SOAK_LIMIT_MS = 28 * 60_000

const SOAK: Step = {
  name: 'soak',
  run: (report) =>
    run('test/soak/run.js', ['--plan', 'days', '--report', report], {
      cwd: ROOT,
      isAloud: true,
      limitMs: SOAK_LIMIT_MS,
    }),
  tally: (_exitCode, report) => soakTally(report as SoakReport | undefined),
}

const ofBuild = (step: Step): Step => ({ ...step, after: BUILD.map(({ name }) => name) })

const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

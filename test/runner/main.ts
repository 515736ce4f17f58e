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
import { ENGINES, ensureTools, THIRD_PARTY, TOOLS, type Tool } from './tools.ts'
import { wantedOf } from './wanted.ts'

const ROOT = join(import.meta.dirname, '../..')

type Step = {
  readonly name: string
  /** Steps that must succeed before this one can run. */
  readonly after?: readonly string[]
  /** Writes its report, if there is one, to that file. */
  readonly run: (report: string) => Promise<{ readonly exitCode: number; readonly output: string }>
  readonly tally: (exitCode: number, report: unknown) => Tally
}

/** Steps that may run in parallel. */
type Stage = readonly Step[]

const CORES = Math.max(2, availableParallelism())
/** Tests in a browser mostly wait. With more workers, browsers starve. */
const BROWSER_WORKERS = CORES + 1

/** Node runs the programs as files, so that no system needs a shell or a .cmd wrapper. */
const BUILD: Stage = [
  check('build the dashboard', 'vite/bin/vite.js', ['build', '--logLevel', 'warn']),
  check('build the server', 'vite/bin/vite.js', ['build', '--logLevel', 'warn', '--ssr', 'src/node/cli.ts']),
]
const STATIC: Stage = [
  // Each of the usual four checkers resolves the same types again, which costs half as much CPU again.
  check('types', 'typescript/bin/tsc', ['-b', '--checkers', '1']),
  check('lint', 'oxlint/bin/oxlint', ['--quiet']),
  check('format', 'oxfmt/bin/oxfmt', ['--check', '.']),
  check('dead code', 'knip/bin/knip.js', ['--no-progress']),
]
const UNIT_PROJECTS = ['unit', 'component', 'world']
const UNITS: Step = vitest('unit and component tests', UNIT_PROJECTS, CORES)

const BROWSER_PROJECTS = ['browser', 'built', 'e2e']
/**
 * Faults that only a browser can meet; long stories in a browser, such as notifications, a wall after a power cut and several
 * tabs; real Prometheus, VictoriaMetrics, nginx and Caddy. They take longer than all other browser tests.
 */
const CI_PROJECTS = ['faults', 'long', 'foreign']
/** Large fleets and rare surroundings, before a release. They take minutes each. */
const SLOW_PROJECT = 'slow'

const USAGE = [
  'npm test                     checks, builds, and all tests except the long ones',
  'npm run test:faults          the same as npm test -- --faults',
  'npm run test:browsers        the same as npm test -- --browsers',
  'npm run check                the same as npm test -- --static',
  '',
  '  --all       everything: the tests of --ci, the slow ones (large fleets, HTTP/2), all fuzz seeds, and a soak test',
  '  --browsers  only the tests in Firefox ESR and WebKitGTK',
  '  --ci        also the long tests: faults in the browser, killed browsers, several tabs, real Prometheus and nginx',
  '  --faults    only the fault matrix, with results',
  '  --quick     only unit and component tests',
  '  --static    only types, lint, formatting and dead code',
  '  --help      show this help',
  '',
  'One test file: npx vitest run --project unit test/core/base/bytes.test.ts',
].join('\n')

/** The tests of the matrix, and all others that name one of its faults. */
const faultFiles = (): readonly string[] => [
  'test/faults/',
  'test/world/',
  ...filesOf('test')
    .filter((file) => /\.test\.tsx?$/.test(file) && !/^(faults|runner|world)\//.test(file))
    .map((file) => `test/${file}`)
    .filter((path) => rowsIn(read(path)).length > 0),
]

/** Unit tests need no build, so builds and checks run beside them. The soak runs alone: load delays requests. */
function stagesFor(argument: string | undefined): readonly Stage[] {
  if (argument === '--static') return [STATIC]
  if (argument === '--quick') return [[UNITS]]
  if (argument === '--browsers')
    return [BUILD, [ofBuild(vitest('other engines', ['engines'], BROWSER_WORKERS))]]
  if (argument === '--faults') {
    const projects = [...UNIT_PROJECTS, ...BROWSER_PROJECTS, 'faults', 'long', SLOW_PROJECT]
    return [BUILD, [ofBuild(vitest('faults', projects, BROWSER_WORKERS, faultFiles()))]]
  }
  const isAll = argument === '--all'
  const long = isAll || argument === '--ci' ? CI_PROJECTS : []
  const projects = [...BROWSER_PROJECTS, ...long, ...(isAll ? [SLOW_PROJECT] : [])]
  const browser = ofBuild(vitest('browser tests and tests of the build', projects, BROWSER_WORKERS))
  return [[UNITS, ...BUILD, ...STATIC], [browser], isAll ? [ofBuild(SOAK)] : []]
}

/** Runs all checks and tests, or the selected ones. Resolves to the exit code; 2 means an unknown argument. */
export async function main(args: readonly string[]): Promise<number> {
  const wanted = wantedOf(args, ['--all', '--browsers', '--ci', '--faults', '--quick', '--static'], USAGE)
  if (wanted.kind !== 'run') {
    say(wanted.words)
    return wanted.kind === 'help' ? 0 : 2
  }
  const [only] = wanted.given
  if (only === '--all') process.env['FUZZ_ALL'] = 'true'
  const missing = ensureTools(say, toolsFor(only))
  for (const line of missing) say(line)
  let total: Tally = { ...NOTHING, failed: missing }
  for (const stage of stagesFor(only)) {
    const { failed } = total
    const tallies = await atMost(CORES, stage, (step) => carryOut(step, failed))
    total = tallies.reduce(add, total)
  }
  if (only === undefined)
    total = add(total, writeFaultResults(total.files, rowsElsewhere(['faults', 'long', 'slow'])))
  if (only === '--ci') total = add(total, writeFaultResults(total.files, rowsElsewhere(['slow'])))
  if (only === '--all' || only === '--faults') total = add(total, writeFaultResults(total.files))
  return conclude(total)
}

function toolsFor(argument: string | undefined): readonly Tool[] {
  if (argument === '--static') return []
  if (argument === '--browsers') return ENGINES
  return argument === '--ci' || argument === '--all' ? [...TOOLS, ...THIRD_PARTY] : TOOLS
}

/** Faults that tests in these folders cover, which this run leaves out. */
const rowsElsewhere = (folders: readonly string[]): Readonly<Record<number, string>> =>
  Object.fromEntries(
    folders
      .flatMap((folder) => filesOf(`test/${folder}`).map((file) => `test/${folder}/${file}`))
      .flatMap((path) => rowsIn(read(path)))
      .map((row) => [row, 'not in this run: npm run test:faults']),
  )

/** Writes the result of every fault. A fault without a result counts as a failure. */
function writeFaultResults(
  testResults: VitestReport['testResults'],
  slow: Readonly<Record<number, string>> = {},
): Tally {
  const results = faultResults(FAULTS, { ...slow, ...NOT_RUN }, [{ testResults }])
  writeFileSync(join(ROOT, 'test/faults/results.json'), `${JSON.stringify(results, undefined, 2)}\n`)
  writeFileSync(join(ROOT, 'test/faults/results.md'), faultTable(results))
  return { ...NOTHING, failed: faultProblems(results, NOT_RUN) }
}

/** Prints a step's output when it ends, because steps run in parallel. `isAloud` steps print as they go. */
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
    say(`skipped: ${test} (${reason ?? 'counts as failed: no reason in test/allowed-skips.json'})`)
  }
  for (const test of total.unsteady) say(`unsteady: ${test}`)
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

/** Runs the tests of `projects`; `files` restricts them to these files. */
function vitest(
  name: string,
  projects: readonly string[],
  workers: number,
  files: readonly string[] = [],
): Step {
  const args = [
    'run',
    '--allowOnly=false',
    `--maxWorkers=${workers}`,
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

/** The soak took 23 minutes on two cores next to three other programs. */
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

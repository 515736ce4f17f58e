import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { FAULTS } from '#test/faults/matrix.ts'
import { NOT_RUN } from '#test/faults/not-run.ts'
import { filesOf, read } from '#test/support/source-tree.ts'
import { atMost } from './at-most.ts'
import { faultProblems, faultResults, faultTable, namesFault } from './fault-results.ts'
import { run, runAloud } from './run.ts'
import {
  NOTHING,
  add,
  checkTally,
  closingLine,
  filesToTryAgain,
  reasonOf,
  soakTally,
  unexplainedSkips,
  vitestTally,
  withSecondTry,
  type AllowedSkip,
  type Tally,
  type VitestReport,
} from './tally.ts'
import { ENGINES, ensureTools } from './tools.ts'
import { wantedOf } from './wanted.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Programs are started as files by this Node, so that no shell and no .cmd wrapper is needed anywhere. */
const BIN = {
  tsc: 'node_modules/typescript/bin/tsc',
  oxlint: 'node_modules/oxlint/bin/oxlint',
  oxfmt: 'node_modules/oxfmt/bin/oxfmt',
  knip: 'node_modules/knip/bin/knip.js',
  vite: 'node_modules/vite/bin/vite.js',
  vitest: 'node_modules/vitest/vitest.mjs',
} as const

type Outcome = {
  readonly tally: Tally
  readonly output: string
  /** What vitest wrote, the first try's and the second's. */
  readonly reports?: readonly VitestReport[]
}

type Step = {
  readonly name: string
  readonly run: () => Promise<Outcome>
  /** Steps without which this one can't be run. */
  readonly after?: readonly string[]
}

/** Steps that may run side by side. */
type Stage = readonly Step[]

const CORES = Math.max(2, availableParallelism())
/** Vitest alone would leave one core to others. Some tests wait for sockets, browsers and polls: one file more than cores. */
const WORKERS = CORES + 1

const STATIC: Stage = [
  check('types', BIN.tsc, ['-b']),
  check('lint', BIN.oxlint, ['--quiet']),
  check('format', BIN.oxfmt, ['--check', '.']),
  check('dead code', BIN.knip, ['--no-progress']),
]

const BUILD: Stage = [
  check('build the dashboard', BIN.vite, ['build', '--logLevel', 'warn']),
  check('build the server', BIN.vite, ['build', '--logLevel', 'warn', '--ssr', 'src/node/cli.ts']),
]

const UNITS: Stage = [vitest('unit and component tests', ['unit', 'component'])]

const BROWSER_PROJECTS = ['browser', 'built', 'e2e', 'faults']
/** Firefox and WebKitGTK, which not every computer has. */
const ENGINES_PROJECT = 'engines'
/** Minutes each, so only with the whole of the fault matrix. */
const SLOW_PROJECT = 'slow-faults'

/** Cheap to dear. The dashboard is built before the tests that use the build. */
const stages = (browserProjects: readonly string[]): readonly Stage[] => [
  [...STATIC, ...BUILD],
  UNITS,
  [ofBuild(vitestTwice('tests in a browser and of the build', browserProjects))],
]

const faultStages = (): readonly Stage[] => [
  [...BUILD],
  [ofBuild(vitestTwice('faults', ['unit', 'component', ...BROWSER_PROJECTS, SLOW_PROJECT], faultFiles()))],
]

/** Those of the matrix, and others that name a fault of it. */
const faultFiles = (): readonly string[] => [
  'test/faults/',
  ...filesOf('test').flatMap((file) => {
    const path = `test/${file}`
    return /\.test\.tsx?$/.test(file) && !/^(faults|runner)\//.test(file) && namesFault(read(path))
      ? [path]
      : []
  }),
]

const ofBuild = (step: Step): Step => ({ ...step, after: BUILD.map(({ name }) => name) })

const USAGE = [
  'npm test                     everything that must hold: checks, builds and all tests but the slowest',
  'npm run test:faults          the same as npm test -- --faults',
  'npm run test:browsers        the same as npm test -- --browsers',
  'npm run check                the same as npm test -- --static',
  '',
  '  --all       the slowest too, a soak of a week, and the results of the fault matrix',
  '  --browsers  only what Firefox ESR and WebKitGTK are tried for',
  '  --faults    only the fault matrix: test/faults/results.json and results.md are written anew',
  '  --quick     only unit and component tests',
  '  --static    only types, lint, formatting and dead code',
  '  --help      this text',
  '',
  'One test file: npx vitest run --project unit test/core/base/bytes.test.ts',
].join('\n')

/** On two cores it took 23 minutes beside three other programs. */
const SOAK_LIMIT_MS = 28 * 60_000

/** Alone: what else runs makes requests late and collects garbage at other times. */
const SOAK: Stage = [ofBuild({ name: 'soak', run: runSoak })]

async function runSoak(): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'soak-report-'))
  const report = join(folder, 'report.json')
  try {
    await runAloud('test/soak/run.js', ['--plan', 'seldom', '--report', report], ROOT, SOAK_LIMIT_MS)
    return {
      tally: soakTally(existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined),
      output: '',
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs every check and test, or those asked for. Resolves to the exit code, 2 for an argument that there is not. */
export async function main(args: readonly string[]): Promise<number> {
  const wanted = wantedOf(args, ['--all', '--browsers', '--faults', '--quick', '--static'], USAGE)
  if (wanted.kind !== 'run') {
    say(wanted.words)
    return wanted.kind === 'help' ? 0 : 2
  }
  const [only] = wanted.given
  const missing = missingFor(only)
  for (const line of missing) say(line)
  let total: Tally = { ...NOTHING, failed: missing }
  const reports: VitestReport[] = []
  for (const stage of stagesFor(only)) {
    const { failed } = total
    const outcomes = await atMost(CORES, stage, (step) => carryOut(step, failed))
    total = outcomes.reduce((sum, { tally }) => add(sum, tally), total)
    reports.push(...outcomes.flatMap((outcome) => outcome.reports ?? []))
  }
  const hasAllFaults = only === '--all' || only === '--faults'
  return conclude(hasAllFaults ? add(total, writeFaultResults(reports)) : total)
}

function missingFor(argument: string | undefined): readonly string[] {
  if (argument === '--static') return []
  return argument === '--browsers' ? ensureTools(say, undefined, ENGINES) : ensureTools(say)
}

function stagesFor(argument: string | undefined): readonly Stage[] {
  if (argument === '--static') return [STATIC]
  if (argument === '--quick') return [UNITS]
  if (argument === '--faults') return faultStages()
  if (argument === '--browsers') return [[...BUILD], [ofBuild(vitest('other engines', [ENGINES_PROJECT]))]]
  return argument === '--all'
    ? [...stages([...BROWSER_PROJECTS, SLOW_PROJECT]), SOAK]
    : stages(BROWSER_PROJECTS)
}

/** Writes what became of every fault. One of which nothing is known is a failure. */
function writeFaultResults(reports: readonly VitestReport[]): Tally {
  const results = faultResults(FAULTS, NOT_RUN, reports)
  writeFileSync(join(ROOT, 'test/faults/results.json'), `${JSON.stringify(results, undefined, 2)}\n`)
  writeFileSync(join(ROOT, 'test/faults/results.md'), faultTable(results))
  return { ...NOTHING, failed: faultProblems(results, NOT_RUN) }
}

/** Steps side by side: what one says comes in one piece, when it ended. */
async function carryOut(step: Step, failedBefore: readonly string[]): Promise<Outcome> {
  const startMs = performance.now()
  const lacking = step.after?.find((name) => failedBefore.includes(name))
  const outcome: Outcome =
    lacking === undefined
      ? await step.run()
      : {
          tally: { ...NOTHING, failed: [`${step.name}: not run, because "${lacking}" failed`] },
          output: '',
        }
  const { tally, output } = outcome
  const seconds = ((performance.now() - startMs) / 1_000).toFixed(1)
  say(`\n=== ${step.name}`)
  if (output !== '') say(output.trimEnd())
  say(`${step.name}: ${closingLine(tally.passed, tally.failed.length)} (${seconds} s)`)
  return outcome
}

function conclude(total: Tally): number {
  const allowed: readonly AllowedSkip[] = JSON.parse(
    readFileSync(join(ROOT, 'test/allowed-skips.json'), 'utf8'),
  )
  const unexplained = unexplainedSkips(total, allowed)
  for (const test of total.skipped) {
    const reason = reasonOf(test, allowed)
    say(
      `skipped: ${test} (${reason ?? 'no reason given in test/allowed-skips.json, so it counts as failed'})`,
    )
  }
  for (const test of total.unsteady) say(`unsteady: ${test} (failed, then passed when it was run alone)`)
  for (const test of total.failed) say(`failed: ${test}`)
  const failed = total.failed.length + unexplained.length
  say(`\n${closingLine(total.passed, failed)}`)
  return failed === 0 ? 0 : 1
}

function check(name: string, bin: string, args: readonly string[]): Step {
  return {
    name,
    run: async () => {
      const { exitCode, output } = await run(bin, args, ROOT)
      return { tally: checkTally(name, exitCode), output }
    },
  }
}

function vitest(name: string, projects: readonly string[], maxWorkers = WORKERS): Step {
  return {
    name,
    run: async () => {
      const { report, exitCode } = await runVitest(projects, maxWorkers)
      return { tally: vitestTally(name, report, exitCode, ROOT), output: '', reports: present(report) }
    },
  }
}

const present = (...reports: readonly (VitestReport | undefined)[]): readonly VitestReport[] =>
  reports.filter((report) => report !== undefined)

/**
 * A browser on a machine that others use too can be starved for a minute. What fails is run once more,
 * alone; a defect fails twice. What passed at the second try only is named in the summary.
 */
function vitestTwice(name: string, projects: readonly string[], of: readonly string[] = []): Step {
  return {
    name,
    run: async () => {
      const { report, exitCode } = await runVitest(projects, WORKERS, of)
      const files = filesToTryAgain(report, ROOT)
      if (report === undefined || files.length === 0)
        return { tally: vitestTally(name, report, exitCode, ROOT), output: '', reports: present(report) }
      const second = await runVitest(projects, 1, files)
      const again = vitestTally(name, second.report, second.exitCode, ROOT)
      const reports = present(report, second.report)
      return { tally: withSecondTry(report, again, ROOT), output: '', reports }
    },
  }
}

type VitestRun = { readonly report: VitestReport | undefined; readonly exitCode: number }

/** Runs the tests of `projects`, or only those in `files`. */
async function runVitest(
  projects: readonly string[],
  maxWorkers: number,
  files: readonly string[] = [],
): Promise<VitestRun> {
  const folder = mkdtempSync(join(tmpdir(), 'vitest-report-'))
  const report = join(folder, 'report.json')
  try {
    const exitCode = await runAloud(
      BIN.vitest,
      [
        'run',
        '--allowOnly=false',
        `--maxWorkers=${maxWorkers}`,
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${report}`,
        ...projects.map((project) => `--project=${project}`),
        ...files,
      ],
      ROOT,
    )
    return { report: existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined, exitCode }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

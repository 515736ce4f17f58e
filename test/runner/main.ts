import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import {
  NOTHING,
  add,
  checkTally,
  closingLine,
  unexplainedSkips,
  vitestTally,
  type AllowedSkip,
  type Tally,
} from './tally.ts'
import { ensureTools } from './tools.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Programs are started as files by this Node, so that no shell and no .cmd wrapper is needed anywhere. */
const BIN = {
  tsc: 'node_modules/typescript/bin/tsc',
  oxlint: 'node_modules/oxlint/bin/oxlint',
  prettier: 'node_modules/prettier/bin/prettier.cjs',
  knip: 'node_modules/knip/bin/knip.js',
  vite: 'node_modules/vite/bin/vite.js',
  vitest: 'node_modules/vitest/vitest.mjs',
} as const

type Step = {
  readonly name: string
  readonly run: () => Tally
  /** Steps without which this one can't be run. */
  readonly after?: readonly string[]
}

const STATIC: readonly Step[] = [
  check('types', BIN.tsc, ['-b']),
  check('lint', BIN.oxlint, ['--quiet']),
  check('format', BIN.prettier, ['--check', '--log-level', 'warn', '.']),
  check('dead code', BIN.knip, ['--no-progress']),
]

/** Cheap to dear. The dashboard is built before the tests that use the build. */
const TESTS: readonly Step[] = [
  vitest('unit and component tests', ['unit', 'component']),
  vitest('browser tests', ['browser']),
  check('build the dashboard', BIN.vite, ['build', '--logLevel', 'warn']),
  check('build the server', BIN.vite, ['build', '--logLevel', 'warn', '--ssr', 'src/node/cli.ts']),
  {
    ...vitest('tests of the built dashboard', ['built', 'e2e']),
    after: ['build the dashboard', 'build the server'],
  },
]

/** Runs every check and test; with `--static` only the checks. Resolves to the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const onlyStatic = args.includes('--static')
  const missing = onlyStatic ? [] : ensureTools(say)
  for (const line of missing) say(line)
  let total: Tally = { ...NOTHING, failed: missing }
  for (const step of onlyStatic ? STATIC : [...STATIC, ...TESTS]) {
    say(`\n=== ${step.name}`)
    const startMs = performance.now()
    const lacking = step.after?.find((name) => total.failed.includes(name))
    const tally =
      lacking === undefined
        ? step.run()
        : { ...NOTHING, failed: [`${step.name}: not run, because "${lacking}" failed`] }
    const seconds = ((performance.now() - startMs) / 1_000).toFixed(1)
    say(`${step.name}: ${closingLine(tally.passed, tally.failed.length)} (${seconds} s)`)
    total = add(total, tally)
  }
  return conclude(total)
}

function conclude(total: Tally): number {
  const allowed: readonly AllowedSkip[] = JSON.parse(
    readFileSync(join(ROOT, 'test/allowed-skips.json'), 'utf8'),
  )
  const unexplained = unexplainedSkips(total, allowed)
  for (const test of total.skipped) {
    const reason = allowed.find((one) => one.test === test)?.reason
    say(
      `skipped: ${test} (${reason ?? 'no reason given in test/allowed-skips.json, so it counts as failed'})`,
    )
  }
  for (const test of total.failed) say(`failed: ${test}`)
  const failed = total.failed.length + unexplained.length
  say(`\n${closingLine(total.passed, failed)}`)
  return failed === 0 ? 0 : 1
}

function check(name: string, bin: string, args: readonly string[]): Step {
  return { name, run: () => checkTally(name, start(bin, args)) }
}

function vitest(name: string, projects: readonly string[]): Step {
  const run = (): Tally => {
    const folder = mkdtempSync(join(tmpdir(), 'vitest-report-'))
    const report = join(folder, 'report.json')
    try {
      const exitCode = start(BIN.vitest, [
        'run',
        '--allowOnly=false',
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${report}`,
        ...projects.map((project) => `--project=${project}`),
      ])
      const read = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined
      return vitestTally(name, read, exitCode, ROOT)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  return { name, run }
}

/** Exit code; a program that was ended from outside counts as failed. */
const start = (bin: string, args: readonly string[]): number =>
  spawnSync(process.execPath, [bin, ...args], { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] })
    .status ?? 1

const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import process from 'node:process'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type Reporter, type TestSpecification, type Vite, type Vitest } from 'vitest/node'
import { HANGS_MS, SLOW_TESTS } from './support/slow-tests.ts'
import { HANGS, WarmThread } from './support/warm-threads.ts'

/** The tests that the mutation check runs against each change it makes, as patterns between commas. */
const tests = (process.env['MUTATION_TESTS'] ?? 'test/core/**/*.test.ts').split(',')

/** How long each file took at first, when all of its tests ran. */
const firstMs = new Map<string, number>()

/** Files whose tests noticed the changes before, the last first: they notice most of those to the lines after it, too. */
let noticing: readonly string[] = []
const NOTICING_MAX = 3

const noteNoticing = (file: string): void => {
  noticing = [file, ...noticing.filter((other) => other !== file)].slice(0, NOTICING_MAX)
}

/** Most changes fail a test in many files, and the first that fails ends the run: so the quick ones come first. */
class QuickFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const costMs = (specification: TestSpecification): number => {
      const { moduleId, project } = specification
      const key = `${project.name}:${relative(project.config.root, moduleId)}`
      const ms = firstMs.get(moduleId) ?? this.ctx.cache.getFileTestResults(key)?.duration ?? 0
      if (ms > 0) firstMs.set(moduleId, ms)
      return ms
    }
    const placeOf = ({ moduleId }: TestSpecification): number =>
      noticing.includes(moduleId) ? noticing.indexOf(moduleId) : NOTICING_MAX
    return specifications.toSorted(
      (one, other) => placeOf(one) - placeOf(other) || costMs(one) - costMs(other),
    )
  }
}

const FIRST_TIMEOUT_MS = 180_000
/** Longer than nearly all; each survivor waits for every test that reaches it. */
const SLOW_MS = 250
/** Where all tests take long, since the machine is busy, a test that does is not left out for it. */
const SLOW_MEDIANS = 100

const modeOf = (project: ReturnType<Vitest['getRootProject']>): unknown =>
  (project.getProvidedContext() as { readonly mode?: unknown }).mode

type TestFile = ReturnType<Vitest['state']['getFiles']>[number]

/** A test that failed: without one, a file that can't be loaded or begun would not count. */
function addFailure(file: TestFile): void {
  file.tasks.push({
    type: 'test',
    id: `${file.id}_begin`,
    name: 'can be begun',
    fullName: `${file.name} can be begun`,
    fullTestName: 'can be begun',
    mode: 'run',
    meta: {},
    timeout: 0,
    annotations: [],
    artifacts: [],
    file,
    suite: file,
    result: { state: 'fail', errors: file.result?.errors ?? [] },
  } as unknown as TestFile['tasks'][number])
}

/** Writes down which tests the first run found slow, and marks files that can't be begun. */
class Marks implements Reporter {
  #vitest: Vitest | undefined

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  /** Else what failed in an earlier run would count among the failures of this one. */
  onTestRunStart(): void {
    this.#vitest?.state.idMap.clear()
  }

  onTestRunEnd(_modules: unknown, errors: readonly { readonly message: string }[]): void {
    if (this.#vitest === undefined) return
    const ran = [...this.#vitest.state.idMap.values()].filter(({ type }) => type === 'test')
    const failed = ran.find(({ result }) => result?.state === 'fail')
    const hangs = errors.some(({ message }) => message === HANGS)
    if (failed !== undefined) noteNoticing(failed.file.filepath)
    else
      for (const file of this.#vitest.state.getFiles())
        if (hangs || file.result?.state === 'fail') addFailure(file)
    if (modeOf(this.#vitest.getRootProject()) !== 'dry-run') return
    const msOf = ({ result }: (typeof ran)[number]): number => result?.duration ?? 0
    const all = ran.map(msOf).toSorted((one, other) => one - other)
    const medianMs = all[Math.floor(all.length / 2)] ?? 0
    // Well below what counts as hanging.
    const limitMs = Math.min(HANGS_MS / 4, Math.max(SLOW_MS, SLOW_MEDIANS * medianMs))
    const slow = ran.filter((test) => msOf(test) > limitMs)
    writeFileSync(SLOW_TESTS, JSON.stringify(slow.map(({ id }) => id)))
  }
}

const warmThreads: Vite.Plugin = {
  name: 'warm-threads',
  configureVitest: ({ project }) => {
    const isChanged = (): boolean => modeOf(project) === 'mutant'
    Object.defineProperties(project.config, {
      // The first run tells which test reaches which change only with modules of its own for each file.
      isolate: { get: () => !isChanged() },
      // A test that waits for what never comes is ended: that takes no new process, as it does where Stryker ends one.
      testTimeout: { get: () => (isChanged() ? HANGS_MS : FIRST_TIMEOUT_MS) },
      hookTimeout: { get: () => (isChanged() ? 2 * HANGS_MS : FIRST_TIMEOUT_MS) },
    })
    project.config.pool = 'warm-threads'
    project.config.poolRunner = {
      name: 'warm-threads',
      createPoolWorker: (options) => new WarmThread(options),
    }
  },
}

export default defineConfig({
  plugins: [warmThreads],
  root: join(import.meta.dirname, '..'),
  test: {
    environment: 'node',
    include: tests,
    // The tool's own setup stands below node_modules, where it would be loaded once for a thread.
    server: { deps: { inline: [/stryker-setup/] } },
    // They take seconds, for each of thousands of changes; shorter ones find nearly all of the same.
    exclude: [
      'test/core/alarms/storm.test.ts',
      'test/core/metrics/added-metric.test.ts',
      'test/core/monitor/failing.test.ts',
      'test/core/monitor/largest-fleet.test.ts',
      'test/core/monitor/never-silent.test.ts',
      'test/core/monitor/round-time.test.ts',
      'test/core/monitor/time.test.ts',
      'test/node/server/slow-clients.test.ts',
    ],
    reporters: [new Marks()],
    sequence: { sequencer: QuickFirst },
    runner: 'test/support/mutation-runner.ts',
    setupFiles: ['test/support/mutation-setup.ts'],
  },
})

import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import process from 'node:process'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type Reporter, type TestSpecification, type Vite, type Vitest } from 'vitest/node'
import { SLOW_TESTS } from './support/slow-tests.ts'
import { WarmThread } from './support/warm-threads.ts'

/** The tests that the mutation check runs against each change it makes, as patterns between commas. */
const tests = (process.env['MUTATION_TESTS'] ?? 'test/core/**/*.test.ts').split(',')

/** How long each file took at first, when all of its tests ran. */
const firstMs = new Map<string, number>()

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
    return specifications.toSorted((one, other) => costMs(one) - costMs(other))
  }
}

/** Longer than nearly all; each survivor waits for every test that reaches it. */
const SLOW_MS = 250
/** Where all tests take long, since the machine is busy, a test that does is not left out for it. */
const SLOW_MEDIANS = 100

const modeOf = (project: ReturnType<Vitest['getRootProject']>): unknown =>
  (project.getProvidedContext() as { readonly mode?: unknown }).mode

/** Writes down which tests the first run found slow, and gives a test file that can't be loaded a test that failed: without one it would not count. */
class Marks implements Reporter {
  #vitest: Vitest | undefined

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  /** What failed in an earlier run would count among the failures of this one, of which the first ends it: most changes then look unnoticed. */
  onTestRunStart(): void {
    this.#vitest?.state.idMap.clear()
  }

  onTestRunEnd(): void {
    if (this.#vitest === undefined) return
    const files = this.#vitest.state.getFiles()
    for (const file of files) {
      if (file.result?.state !== 'fail' || file.tasks.length > 0) continue
      file.tasks.push({
        type: 'test',
        id: `${file.id}_load`,
        name: 'can be loaded',
        fullName: `${file.name} can be loaded`,
        fullTestName: 'can be loaded',
        mode: 'run',
        meta: {},
        timeout: 0,
        annotations: [],
        artifacts: [],
        file,
        suite: file,
        result: { state: 'fail', errors: file.result.errors ?? [] },
      } as unknown as (typeof file.tasks)[number])
    }
    if (modeOf(this.#vitest.getRootProject()) !== 'dry-run') return
    const ran = [...this.#vitest.state.idMap.values()].filter(({ type }) => type === 'test')
    const msOf = ({ result }: (typeof ran)[number]): number => result?.duration ?? 0
    const all = ran.map(msOf).toSorted((one, other) => one - other)
    const limitMs = Math.max(SLOW_MS, SLOW_MEDIANS * (all[Math.floor(all.length / 2)] ?? 0))
    const slow = ran.filter((test) => msOf(test) > limitMs)
    writeFileSync(SLOW_TESTS, JSON.stringify(slow.map(({ id }) => id)))
  }
}

const warmThreads: Vite.Plugin = {
  name: 'warm-threads',
  configureVitest: ({ project }) => {
    // The first run tells which test reaches which change only with modules of its own for each file.
    Object.defineProperty(project.config, 'isolate', {
      get: () => modeOf(project) !== 'mutant',
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
    setupFiles: ['test/support/mutation-setup.ts'],
    // A test that waits for what never comes is ended here: that takes no new process, as it does where Stryker ends one.
    testTimeout: tests.some((pattern) => pattern.startsWith('test/node/')) ? 8_000 : 30_000,
    hookTimeout: 180_000,
  },
})

import { join, relative } from 'node:path'
import process from 'node:process'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification, type Vite } from 'vitest/node'
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

const warmThreads: Vite.Plugin = {
  name: 'warm-threads',
  configureVitest: ({ project }) => {
    if (process.env['MUTATION_COLD']) return
    // The first run tells which test reaches which change only with modules of its own for each file.
    Object.defineProperty(project.config, 'isolate', {
      get: () => (project.getProvidedContext() as { readonly mode?: unknown }).mode !== 'mutant',
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
    sequence: { sequencer: QuickFirst },
    setupFiles: ['test/support/mutation-setup.ts'],
    // Changes that make a test hang are ended by Stryker; a busy machine is no reason for a test to fail. A test
    // of the server that waits for an answer that never comes is ended here: that takes no new process.
    testTimeout: tests.some((pattern) => pattern.startsWith('test/node/server')) ? 6_000 : 180_000,
    hookTimeout: 180_000,
  },
})

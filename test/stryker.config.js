import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'

/** Minimum mutation score of each folder in percent: the last measured score minus two. */
const BREAK = {
  'core/alarms': 94,
  'core/delivery': 94,
  'core/base': 95,
  'core/evaluate': 93,
  'core/fleet': 96,
  'core/history': 92,
  'core/keys': 94,
  'core/metrics': 98,
  'core/monitor': 96,
  'core/pipeline': 93,
  'core/prometheus': 95,
  'core/proof': 93,
  'core/protocol': 96,
  'core/record': 95,
  'core/settings': 95,
  'core/signing': 95,
  'node/reference': 93,
  'node/server': 94,
}

/** Tests outside the folder: those of the texts that attribute failures, and those with third-party tools. */
const ELSEWHERE = {
  'core/evaluate': 'test/web/blame.test.ts',
  'core/prometheus': 'test/foreign/query-api.test.ts',
  'node/reference': 'test/contract/profiles.test.ts',
}

const folder = process.env['FOLDER'] ?? 'core/base'
/** For folders that have not been measured. */
const USUAL = 85
const least = BREAK[folder] ?? USUAL

const cache = join(tmpdir(), 'immune-node-dashboard-mutation', folder)

export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { related: false },
  mutate: [`src/${folder}/**/*.ts`],
  testFiles: [`test/${folder}/**/*.test.ts`, ELSEWHERE[folder] ?? []].flat(),
  ignorePatterns: ['dist', 'coverage', '.data'],
  tsconfigFile: 'none.json',
  incremental: true,
  incrementalFile: join(cache, 'incremental.json'),
  coverageAnalysis: 'perTest',
  // More workers slow the tests down, and Stryker counts a slow test as one that hangs.
  concurrency: 1,
  tempDirName: 'node_modules/.cache/stryker',
  reporters: ['clear-text', 'progress-append-only'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  thresholds: { high: 100, low: least, break: least },
}

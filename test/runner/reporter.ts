import { writeFileSync } from 'node:fs'
import process from 'node:process'
import type { Reporter, TestCase, TestModule } from 'vitest/node'
import type { VitestReport } from './tally.ts'

/** Writes the results and the duration of every test file to the file that `REPORT` names. */
export default class RunReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const report: VitestReport = { testResults: modules.map(resultOf) }
    writeFileSync(process.env['REPORT'] ?? '/dev/null', JSON.stringify(report))
  }
}

function resultOf(module: TestModule): VitestReport['testResults'][number] {
  const { collectDuration, setupDuration, environmentSetupDuration, duration } = module.diagnostic()
  return {
    name: module.moduleId,
    status: module.ok() ? 'passed' : 'failed',
    ms: collectDuration + setupDuration + environmentSetupDuration + duration,
    workMs: module.meta().workMs ?? 0,
    assertionResults: Array.from(module.children.allTests(), (test) => ({
      status: test.result().state,
      title: test.name,
      fullName: test.fullName.replaceAll(' > ', ' '),
      ...(test.diagnostic()?.flaky === true && { unsteadyBy: messageOf(test.result().errors) }),
    })),
  }
}

const messageOf = ([first]: NonNullable<ReturnType<TestCase['result']>['errors']> = []): string =>
  (first?.message ?? '').replaceAll(/\s+/g, ' ').slice(0, 300)

import type { TestDraft, TestStep } from '#monitor/connection-test.ts'
import { failureCode } from '#protocol/failure.ts'
import { stepsInWords } from '#texts/en-connection-test.ts'
import type { TestedService } from '#texts/failure-words.ts'
import { reportText } from '#texts/en-report.ts'
import { serviceFacts } from './report-facts.ts'

type Tested = {
  readonly draft: TestDraft
  readonly steps: readonly TestStep[]
  readonly context: TestedService
  /** Unix ms. */
  readonly wallMs: number
}

/**
 * A connection test as a report for the service's operator, with the failed step or else the first warning. Undefined if all
 * went well.
 */
export function testReportOf({ draft, steps, context, wallMs }: Tested): string | undefined {
  const reported = reportedStep(steps)
  if (reported === undefined) return undefined
  const shown = stepsInWords(steps, context)
  const step = shown.find(({ id }) => id === reported.name)
  const others = shown.filter(({ id, state }) => state === 'warned' && id !== reported.name)
  const clocks = steps.find(({ name }) => name === 'clocks')
  const signed = steps.find(({ name }) => name === 'key')
  const key = signed !== undefined && 'publicKey' in signed ? signed.publicKey : undefined
  return reportText({
    ...serviceFacts(draft.service, key ?? draft.service.key),
    madeWallMs: wallMs,
    title: step?.title ?? '',
    code: codeOf(reported),
    meaning: step?.note ?? '',
    evidence: [
      ...(step?.evidence?.items ?? []),
      ...(step?.answer === undefined ? [] : [`The service answered “${step.answer}”.`]),
      ...others.map(({ title, note }) => (note === undefined ? `${title}.` : `${title}: ${note}`)),
    ],
    pageOrigin: context.pageOrigin,
    nodes: draft.nodes.length === 0 ? [undefined] : draft.nodes.map(({ id }) => id),
    offset: clocks !== undefined && 'offset' in clocks ? clocks.offset : undefined,
    offsetBy: clocks !== undefined && 'offset' in clocks ? clocks.by : undefined,
    exchange: reported.state === 'failed' ? reported.exchange : undefined,
  })
}

type Reported = Exclude<TestStep, { readonly state: 'ok' | 'running' | 'skipped' }>

function reportedStep(steps: readonly TestStep[]): Reported | undefined {
  const reportable = steps.filter(
    (step): step is Reported => step.state === 'failed' || step.state === 'warning',
  )
  return reportable.find(({ state }) => state === 'failed') ?? reportable[0]
}

function codeOf(step: Reported): string {
  if (step.state === 'failed') return failureCode(step.failure)
  if (step.name === 'nodes') return 'node/404'
  if (step.name === 'readable') return failureCode({ kind: 'not-json', problem: 'web-page' })
  return step.name === 'record' ? 'data/field' : 'data/clock'
}

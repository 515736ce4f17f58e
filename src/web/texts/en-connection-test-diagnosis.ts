import type { Diagnosis } from '#fleet/diagnosis.ts'
import type { TestStepName } from '#monitor/connection-test.ts'
import { failureCode, type PollFailure } from '#protocol/failure.ts'
import { diagnosisWords, evidenceLabel } from './en-diagnosis.ts'
import { stepFailureWords, type TestedService, type StepWords } from './en-connection-test-failures.ts'
import { corsLines } from './en-unreachable.ts'

/** While it is tested a service has no name yet. */
const SERVICE = 'the service'

/** Where a sentence begins with it. */
const capital = (text: string): string => text.replace(/(^|[.:] )the service/g, '$1The service')

/** A failed step; what probes found out about it says more than the failure alone. */
export function failedStepWords(
  step: TestStepName,
  failure: PollFailure,
  context: TestedService,
  diagnosis: Diagnosis | undefined,
): StepWords {
  const plain = stepFailureWords(step, failure, context)
  const isRefused = failure.kind === 'unauthorized' || failure.kind === 'forbidden'
  // What probes find out about a refusal speaks of keys and of what was signed.
  if (diagnosis === undefined || (isRefused && (context.credential ?? 'key') !== 'key')) return plain
  const { title, meaning, next, needsCors, evidence } = diagnosisWords(diagnosis, {
    ...context,
    service: SERVICE,
  })
  const { lines: _, ...others } = plain
  return {
    ...others,
    title: title === undefined ? plain.title : capital(title),
    note: capital(`${meaning} ${next} (${failureCode(failure)})`),
    ...(needsCors && { lines: corsLines(context) }),
    evidence: { label: evidenceLabel, items: evidence },
  }
}

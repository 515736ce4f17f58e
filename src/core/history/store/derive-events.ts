import { parseExactNumber, type ExactNumber } from '#record/exact-number.ts'
import { FAILURES } from '#protocol/failure.ts'
import { counterStep, type CounterStep } from '#history/counter.ts'
import type { EventFacts, LogEntry } from '#history/event-log.ts'
import type { Sample } from '#history/history.ts'

/** What is known of a node up to its last sample: the next one is compared with it. */
export type LastValues = {
  readonly status: string | undefined
  /** Exact decimal text. */
  readonly stake: string | undefined
  /** Fingerprint. */
  readonly proof: string | undefined
  readonly threats: ExactNumber | undefined
  /** The run of failures that the last sample belongs to. */
  readonly failing: Failing | undefined
  readonly proofWrong: boolean
}

export type Failing = {
  readonly kind: Exclude<Sample['outcome'], 'answered'>
  /** When its first request was made, as far as this session knows. */
  readonly sinceMs: number | undefined
  readonly misses: number
}

export const NOTHING_KNOWN: LastValues = {
  status: undefined,
  stake: undefined,
  proof: undefined,
  threats: undefined,
  failing: undefined,
  proofWrong: false,
}

export type Derived = {
  readonly after: LastValues
  /** With what only the sample before it could tell. */
  readonly sample: Sample
  readonly entries: readonly LogEntry[]
}

/**
 * Compares a sample with what is known of its node: what the counter did since, also where another
 * session saw it last, and what is worth an entry in the log.
 */
export function deriveEvents(before: LastValues, given: Sample): Derived {
  const sample = sinceLast(before, given)
  const entry = (
    area: LogEntry['area'],
    what: string,
    facts: Readonly<Record<string, string | number | boolean | undefined>>,
  ): LogEntry => ({
    wallMs: sample.atMs,
    ...(sample.serviceMs !== undefined && { serviceMs: sample.serviceMs }),
    area,
    what,
    nodeKey: sample.node,
    facts: definedIn(facts),
  })
  if (sample.outcome !== 'answered') {
    const failing = failingOn(before.failing, sample)
    const entries =
      before.failing === undefined
        ? [entry('service', 'failure-began', { ...causeOf(sample) })]
        : before.failing.kind === failing.kind
          ? []
          : [entry('service', 'failure-changed', { ...causeOf(sample), from: before.failing.kind })]
    return { after: { ...before, failing }, sample, entries }
  }
  const stake = stakeOf(sample) ?? before.stake
  const threats = totalOf(sample) ?? before.threats
  const { status = before.status, proof = before.proof } = sample
  const proofWrong = sample.more?.proof === undefined ? before.proofWrong : sample.more.proof !== 'verified'
  const entries: LogEntry[] = []
  const { failing } = before
  if (failing !== undefined)
    entries.push(
      entry('service', 'failure-ended', {
        kind: failing.kind,
        code: FAILURES[failing.kind].code,
        sinceMs: failing.sinceMs,
        misses: failing.misses === 0 ? undefined : failing.misses,
      }),
    )
  if (before.status !== undefined && status !== before.status)
    entries.push(entry('record', 'status-changed', { from: before.status, to: status }))
  if (before.stake !== undefined && stake !== before.stake)
    entries.push(entry('record', 'stake-changed', { from: before.stake, to: stake }))
  if (sample.threatResponsesRestarted === true)
    entries.push(entry('record', 'counter-restarted', { from: before.threats?.text, to: threats?.text }))
  if (proofWrong !== before.proofWrong)
    entries.push(entry('record', proofWrong ? 'proof-wrong' : 'proof-right', { reason: sample.more?.proof }))
  return { after: { status, stake, proof, threats, failing: undefined, proofWrong }, sample, entries }
}

/** The engine compares with what its own session saw; where that was nothing, history knows more. */
function sinceLast({ threats, proof }: LastValues, sample: Sample): Sample {
  const total = totalOf(sample)
  const step = total && threats && stepOf(threats, total, sample.more?.clockSetBack)
  const proofChanged = proof !== undefined && sample.proof !== undefined && proof !== sample.proof
  if (step === undefined && !proofChanged) return sample
  return {
    ...sample,
    ...(step !== undefined && {
      threatResponsesIncrease: step.increase,
      threatResponsesRestarted: step.restarted,
    }),
    ...(proofChanged && { proofChanged }),
  }
}

/** A counter that fell with its service's clock did not restart. */
function stepOf(before: ExactNumber, total: ExactNumber, clockSetBack: true | undefined): CounterStep {
  const step = counterStep(before, total)
  return step.restarted && clockSetBack === true ? counterStep(undefined, total) : step
}

const exact = (value: number | undefined, text: string | undefined) =>
  value === undefined ? undefined : parseExactNumber(text ?? String(value))

const totalOf = ({ threatResponses, threatResponsesExact }: Sample) =>
  exact(threatResponses, threatResponsesExact)
const stakeOf = ({ stake, stakeExact }: Sample) => exact(stake, stakeExact)?.text

function failingOn(before: Failing | undefined, { outcome, atMs }: Sample): Failing {
  const kind = outcome === 'answered' ? 'unreachable' : outcome
  return before === undefined
    ? { kind, sinceMs: atMs, misses: 1 }
    : { kind, sinceMs: before.sinceMs, misses: before.misses + 1 }
}

const causeOf = ({ outcome, more }: Sample): EventFacts => ({
  kind: outcome,
  ...(outcome !== 'answered' && { code: FAILURES[outcome].code }),
  ...more?.failure,
})

const definedIn = (
  facts: Readonly<Record<string, string | number | boolean | undefined>>,
): Record<string, string | number | boolean> =>
  Object.fromEntries(
    Object.entries(facts).filter(
      (entry): entry is [string, string | number | boolean] => entry[1] !== undefined,
    ),
  )

import { textFingerprint } from '#base/fingerprint.ts'
import type { EventFacts } from '#history/event-log.ts'
import type { Sample } from '#history/history.ts'
import { keptFingerprint } from '#history/proof-columns.ts'
import { isExactAsDouble } from '#record/exact-number.ts'
import { failureCode, type PollFailure } from '#protocol/failure.ts'
import { readParticipation, type ParticipationUnit } from '#record/participation.ts'
import type { NodeKey, Reading } from '#fleet/live.ts'
import type { Answered } from './node-state.ts'

/** What is known of a poll whatever came of it. */
export type Asked = Pick<Sample, 'atMs' | 'latencyMs'> & {
  readonly node: NodeKey
  readonly everyMs: number
  /** Absent where no answer named its time. */
  readonly serviceMs?: number
}

export const failedSample = (asked: Asked, failure: PollFailure): Sample => ({
  ...asked,
  outcome: failure.kind,
  more: { failure: { ...plainFacts(failure), code: failureCode(failure) } },
})

/** What a failure says of itself, but for its name. */
const plainFacts = (failure: PollFailure): EventFacts =>
  Object.fromEntries(
    Object.entries(failure).filter(
      (fact): fact is [string, string | number] =>
        fact[0] !== 'kind' && (typeof fact[1] === 'string' || typeof fact[1] === 'number'),
    ),
  )

function moreOf({ record, proof }: Reading): Pick<Sample, 'more'> {
  const { unknownFields } = record
  const checked = proof === undefined || proof.kind === 'not-checked' ? undefined : proof
  if (unknownFields.length === 0 && checked === undefined) return {}
  return {
    more: {
      ...(unknownFields.length > 0 && { unknownFields }),
      ...(checked !== undefined && { proof: checked.kind === 'wrong' ? checked.reason : checked.kind }),
    },
  }
}

/** What history keeps of a good answer. A field that could not be used is left out, never guessed. */
export function answeredSample(
  asked: Asked,
  reading: Reading,
  { threats, proofChanged }: Answered,
  unit: ParticipationUnit,
): Sample {
  const { record, heartbeat } = reading
  const stake = record.stake.ok ? record.stake.value : undefined
  const total = record.threatResponses.ok ? record.threatResponses.value : undefined
  const participation = record.participation.ok
    ? readParticipation(record.participation.value, unit)
    : undefined
  return {
    ...asked,
    outcome: 'answered',
    ...(record.status.ok ? { status: record.status.value } : {}),
    ...(stake === undefined ? {} : { stake: stake.value }),
    ...(stake === undefined || isExactAsDouble(stake) ? {} : { stakeExact: stake.text }),
    ...(participation === undefined ? {} : { participation: participation.ratio }),
    ...(total === undefined ? {} : { threatTotal: total.value }),
    ...(total === undefined || isExactAsDouble(total) ? {} : { threatExact: total.text }),
    ...(threats === undefined
      ? {}
      : { threatIncrease: threats.increase, threatRestarted: threats.restarted }),
    ...(heartbeat !== undefined && 'ageMs' in heartbeat && { heartbeatAgeMs: heartbeat.ageMs }),
    ...(record.proof.ok ? { proof: keptFingerprint(textFingerprint(record.proof.value)), proofChanged } : {}),
    ...moreOf(reading),
  }
}

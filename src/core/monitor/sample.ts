import type { Sample } from '#history/history.ts'
import { isExactAsDouble } from '#protocol/exact-number.ts'
import type { FailureKind } from '#protocol/failure.ts'
import { readParticipation, type ParticipationUnit } from '#protocol/participation.ts'
import type { NodeKey, Reading } from './live.ts'
import type { Answered } from './node-state.ts'

export const failedSample = (
  node: NodeKey,
  atMs: number,
  latencyMs: number,
  outcome: FailureKind,
): Sample => ({ node, atMs, latencyMs, outcome })

/** What history keeps of a good answer. A field that could not be used is left out, never guessed. */
export function answeredSample(
  node: NodeKey,
  atMs: number,
  reading: Reading,
  { threats, proofChanged }: Answered,
  unit: ParticipationUnit,
): Sample {
  const { record, heartbeat } = reading
  const stake = record.stake.ok ? record.stake.value : undefined
  const participation = record.participation.ok
    ? readParticipation(record.participation.value, unit)
    : undefined
  return {
    node,
    atMs,
    latencyMs: reading.latencyMs,
    outcome: 'answered',
    ...(record.status.ok ? { status: record.status.value } : {}),
    ...(stake === undefined ? {} : { stake: stake.value }),
    ...(stake === undefined || isExactAsDouble(stake) ? {} : { stakeExact: stake.text }),
    ...(participation === undefined ? {} : { participation: participation.ratio }),
    ...(record.threatResponses.ok ? { threatTotal: record.threatResponses.value.value } : {}),
    ...(threats === undefined
      ? {}
      : { threatIncrease: threats.increase, threatRestarted: threats.restarted }),
    ...(heartbeat === undefined || heartbeat.kind === 'unknown' ? {} : { heartbeatAgeMs: heartbeat.ageMs }),
    ...(record.proof.ok ? { proofChanged } : {}),
  }
}

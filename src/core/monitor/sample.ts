import { textFingerprint } from '#base/fingerprint.ts'
import type { EventFacts } from '#history/event-log.ts'
import type { Sample } from '#history/history.ts'
import { keptFingerprint, sampleKeys } from '#history/series.ts'
import { shownValue } from '#metrics/evaluate-metric.ts'
import type { Metric, MetricRegistry } from '#metrics/metric.ts'
import { fieldOf } from '#metrics/answer.ts'
import type { EffectiveSettings } from '#settings/effective.ts'
import { isExactAsDouble, type ExactNumber } from '#record/exact-number.ts'
import { failureCode, type PollFailure } from '#protocol/failure.ts'
import { ageAtReading, type Reading } from '#fleet/live.ts'
import type { Answered } from './node-state.ts'
import type { LastValues } from './tracked.ts'

/** The members that a sample has for every outcome. */
export type Asked = Pick<Sample, 'node' | 'atMs' | 'latencyMs' | 'everyMs' | 'serviceMs'>

export const failedSample = (asked: Asked, failure: PollFailure): Sample => ({
  ...asked,
  outcome: failure.kind,
  more: { failure: { ...plainFacts(failure), code: failureCode(failure) } },
})

const plainFacts = (failure: PollFailure): EventFacts =>
  Object.fromEntries(
    Object.entries(failure).filter(
      (fact): fact is [string, string | number] =>
        fact[0] !== 'kind' && (typeof fact[1] === 'string' || typeof fact[1] === 'number'),
    ),
  )

function moreOf({ record, proof, clockSetBack, formerNodeId: from }: Reading): Pick<Sample, 'more'> {
  const { unknownFields, nodeId } = record
  const more = {
    ...(unknownFields.length > 0 && { unknownFields }),
    ...(proof?.kind === 'verified' && { proof: proof.kind }),
    ...(proof?.kind === 'wrong' && { proof: proof.reason }),
    ...(clockSetBack && { clockSetBack }),
    ...(from !== undefined && nodeId.ok && { otherNode: { from, to: nodeId.value } }),
  }
  return Object.keys(more).length === 0 ? {} : { more }
}

/** The sample of a good answer. A field that could not be used is left out, never guessed. */
export const answeredSample = (
  asked: Asked,
  reading: Reading,
  before: LastValues,
  { steps }: Pick<Answered, 'steps'>,
  settings: EffectiveSettings,
  registry: MetricRegistry,
): Sample => ({
  ...asked,
  outcome: 'answered',
  ...Object.fromEntries(
    registry.flatMap((metric) => Object.entries(keptOf(metric, asked, reading, before, steps, settings))),
  ),
  ...moreOf(reading),
})

type Kept = Readonly<Record<string, string | number | boolean>>

function keptOf(
  metric: Metric,
  { atMs }: Asked,
  reading: Reading,
  before: LastValues,
  steps: Answered['steps'],
  settings: EffectiveSettings,
): Kept {
  if (metric.field === undefined) return {} // A measured value is already part of `asked`.
  const { id } = metric
  const keys = sampleKeys(metric)
  switch (metric.kind) {
    case 'gauge': {
      const field = fieldOf(metric, reading)
      if (!field.ok) return {}
      const kept = metric.keep === 'shown' ? shownValue(metric, field.value, settings) : field.value
      return kept === undefined ? {} : { [keys.value]: kept.value, ...exactText(metric, field.value) }
    }
    case 'counter': {
      const field = fieldOf(metric, reading)
      const step = steps[id]
      if (!field.ok) return {}
      return {
        [keys.value]: field.value.value,
        ...exactText(metric, field.value),
        ...(step !== undefined && { [keys.increase]: step.increase, [keys.restarted]: step.restarted }),
      }
    }
    case 'timestamp': {
      const ageMs = ageAtReading(reading, id)
      // Age at the time of the poll: a cache or a collector may have had the answer for some time.
      const heldMs = Math.max(0, atMs - reading.startedWallMs)
      return ageMs === undefined ? {} : { [keys.value]: ageMs + heldMs }
    }
    case 'state': {
      const field = fieldOf(metric, reading)
      return field.ok ? { [keys.value]: field.value } : {}
    }
    case 'fingerprint': {
      const field = fieldOf(metric, reading)
      if (!field.ok) return {}
      const last = before[id]
      return {
        [keys.value]: keptFingerprint(textFingerprint(field.value)),
        [keys.changed]: last !== undefined && last !== field.value,
      }
    }
  }
}

const exactText = (metric: Metric, value: ExactNumber): Kept =>
  (metric.exact === true || metric.kind === 'counter') && !isExactAsDouble(value)
    ? { [sampleKeys(metric).exact]: value.text }
    : {}

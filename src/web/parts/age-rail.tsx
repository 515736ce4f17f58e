import type { MetricLimit, MetricOf } from '#metrics/metric.ts'
import type { EffectiveSettings } from '#settings/effective.ts'
import { formatSpan } from '#texts/format.ts'
import type { Level } from '#ui/level.ts'
import { RangeRail } from '#ui/range-rail.tsx'

const DEFAULT_RAIL_MS = 300_000

type AgeRailProps = {
  readonly metric: MetricOf<'timestamp'>
  readonly ageMs: number
  readonly level: Level | undefined
  readonly settings: EffectiveSettings
  readonly say: Readonly<Record<MetricLimit['state'], (limit: string) => string>>
  readonly end: (railMs: number) => string
  readonly label: (warning: string | undefined, critical: string | undefined) => string
}

export function AgeRail({ metric, ageMs, level, settings, say, end, label }: AgeRailProps) {
  const limits = metric.limits?.(settings) ?? []
  const spanOf = (state: MetricLimit['state']): string | undefined => {
    const limit = limits.find((each) => each.state === state)
    return limit && formatSpan(limit.value)
  }
  // The first limit is the most severe. Without limits, the rail still needs an end.
  const railMs = 2 * (limits[0]?.value ?? DEFAULT_RAIL_MS)
  return (
    <RangeRail
      from={0}
      to={railMs}
      value={ageMs}
      level={level}
      limits={limits
        .map(({ value, state }) => ({ value, level: state, label: say[state](formatSpan(value)) }))
        .toReversed()}
      label={label(spanOf('warning'), spanOf('critical'))}
      endLabels={['0', end(railMs)]}
    />
  )
}

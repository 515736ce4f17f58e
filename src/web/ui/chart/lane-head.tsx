import { classNames } from '#ui/class-names.ts'
import { Figure } from '#ui/figure.tsx'
import { Glyph } from '#ui/glyph.tsx'
import { RangeRail } from '#ui/range-rail.tsx'
import type { ChartLane, ValueLane } from './chart-types.ts'

/** The lane's title, current value and range rail: what stands left of its plot. */
export function LaneHead({ lane }: { readonly lane: ChartLane }) {
  const isWrong = lane.level !== undefined && lane.level !== 'none'
  return (
    <div className="ll">
      <div className="lh">
        <span>
          {lane.level !== undefined && isWrong && <Glyph kind={lane.level} />}
          {lane.title}
        </span>
        {lane.note !== undefined && <span className="t11 ink3">{lane.note}</span>}
      </div>
      <div className={classNames('lv', lane.level, lane.old === true && 'old')}>
        <Figure parts={lane.value} />
      </div>
      {lane.kind !== 'ticks' && lane.rail !== undefined && <LaneRail lane={lane} rail={lane.rail} />}
    </div>
  )
}

function LaneRail({
  lane,
  rail,
}: {
  readonly lane: ValueLane
  readonly rail: NonNullable<ValueLane['rail']>
}) {
  const limits = (lane.limits ?? []).map(({ value, level, label }) => ({ value, level, label }))
  return (
    <RangeRail
      {...rail}
      {...(lane.usual && { usual: lane.usual })}
      limits={limits}
      bad={lane.limits?.[0]?.bad ?? 'above'}
      level={lane.old === true ? undefined : lane.level}
    />
  )
}

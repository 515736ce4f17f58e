import { classNames } from './class-names.ts'
import type { Level } from './level.ts'

export type RailLimit = { readonly value: number; readonly level: Level; readonly label: string }

export type RangeRailProps = {
  /** Lower end of the rail, in the value's unit. */
  readonly from: number
  readonly to: number
  readonly value: number
  readonly level: Level | undefined
  readonly limits: readonly RailLimit[]
  readonly label: string
  /** Labels below the rail: its ends and limits. Without them the rail uses its small form. */
  readonly endLabels?: readonly [string, string]
}

const WIDTH = 400

/** A bullet graph: filled up to the value, against its limits. */
export function RangeRail({ from, to, value, level, limits, label, endLabels }: RangeRailProps) {
  const span = to - from > 0 ? to - from : 1
  // The pointer stays on the rail; at either end it means "at least" or "at most".
  const x = (at: number) => (Number.isFinite(at) ? Math.min(1, Math.max(0, (at - from) / span)) * WIDTH : 0)
  const known = Number.isFinite(value)
  const edge = Math.min(WIDTH, ...limits.map((limit) => x(limit.value)))
  return (
    <div className={endLabels === undefined ? 'range-rail' : 'range-rail tall'}>
      <svg viewBox={`0 0 ${WIDTH} 12`} preserveAspectRatio="none" role="img" aria-label={label}>
        <rect className="range-rail-track" x={0} y={4} width={WIDTH} height={4} />
        {limits.length > 0 && (
          <rect className="range-rail-beyond" x={edge} y={4} width={WIDTH - edge} height={4} />
        )}
        {known && (
          <rect className={classNames('range-rail-fill', level)} x={0} y={4} width={x(value)} height={4} />
        )}
        {limits.map((limit) => (
          <line
            key={limit.label}
            className="range-rail-tick"
            x1={x(limit.value)}
            x2={x(limit.value)}
            y1={1}
            y2={11}
          />
        ))}
        {known && (
          <line
            className={classNames('range-rail-pointer', level)}
            x1={x(value)}
            x2={x(value)}
            y1={0}
            y2={12}
          />
        )}
      </svg>
      {endLabels !== undefined && (
        <div className="range-rail-labels text-11 ink-3" aria-hidden>
          <span>{endLabels[0]}</span>
          {limits.map((limit) => (
            <span key={limit.label} style={{ left: `${(x(limit.value) / WIDTH) * 100}%` }}>
              {limit.label}
            </span>
          ))}
          <span>{endLabels[1]}</span>
        </div>
      )}
    </div>
  )
}

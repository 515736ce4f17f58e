import { classNames } from './class-names.ts'
import type { Level } from './level.ts'

type MiniStripProps = {
  readonly fromMs: number
  readonly toMs: number
  readonly spans: readonly { readonly fromMs: number; readonly toMs: number; readonly level: Level }[]
  /** The same in words. */
  readonly label: string
}

const WIDTH = 1_000
/** Shorter ones are still seen. */
const WIDTH_MIN = 3

/** Stretches of time in one line: when something was on. */
export function MiniStrip({ fromMs, toMs, spans, label }: MiniStripProps) {
  const at = (ms: number): number =>
    ((Math.min(toMs, Math.max(fromMs, ms)) - fromMs) / Math.max(1, toMs - fromMs)) * WIDTH
  return (
    <svg
      className="ministrip"
      viewBox={`0 0 ${WIDTH} 20`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <rect x={0} y={7} width={WIDTH} height={6} />
      {spans.map((span) => (
        <rect
          key={span.fromMs}
          className={classNames(span.level)}
          x={Math.min(at(span.fromMs), WIDTH - WIDTH_MIN)}
          y={2}
          width={Math.max(WIDTH_MIN, at(span.toMs) - at(span.fromMs))}
          height={16}
        />
      ))}
    </svg>
  )
}

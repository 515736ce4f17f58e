import { useXAxisScale } from 'recharts'
import { classNames } from '#ui/class-names.ts'
import type { ChartMark } from './chart-types.ts'
import type { Slot } from './use-chart-geometry.ts'

/** Something that happened, as a thin line in every lane. */
export function MarkLine({ mark, rows }: { readonly mark: ChartMark; readonly rows: readonly Slot[] }) {
  const toX = useXAxisScale()
  const x = toX?.(mark.atMs)
  if (x === undefined) return null
  const at = Math.round(x) + 0.5
  const path = rows.map(({ topPx, heightPx }) => `M${at} ${topPx}v${heightPx}`).join('')
  const topPx = rows[0]?.topPx ?? 0
  return (
    <>
      <path className={classNames('mark', mark.level)} d={path} />
      {mark.isPinned === true && <path className="now" d={`M${at - 5} ${topPx}h10l-5 7Z`} />}
    </>
  )
}

import { useCallback, useMemo, type ReactNode } from 'react'
import type { NodeKey } from '#fleet/live.ts'
import { levelOf } from '#parts/severity.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useEvaluation } from '#react/evaluation.tsx'
import { useLocation } from '#react/location.ts'
import { nodePath } from '#react/routes.ts'
import { fleetTexts as words } from '#texts/en-fleet.ts'
import { CardGrid, type CardLine } from '#ui/card-grid.tsx'
import { MetricCell } from '#parts/node-cells.tsx'
import { AgeOfOldCell, CardNameCell, GlyphCell, SelectCell } from './cells.tsx'
import type { FleetRow } from './order.ts'
import { RowHeading } from './row-heading.tsx'
import { TrendCell } from './trend-cells.tsx'
import type { Selection } from './use-node-selection.ts'

const CARD_REM = 13

type NodesGridProps = {
  readonly rows: readonly FleetRow[]
  readonly widthRem: number
  readonly selection: Pick<Selection, 'selected' | 'toggle'>
  readonly onOpenAll: () => void
}

export function NodesGrid({ rows, widthRem, selection: { selected, toggle }, onOpenAll }: NodesGridProps) {
  const { metrics } = useDashboard()
  const severities = useEvaluation((evaluation) => evaluation.classes)
  const [, navigate] = useLocation()
  const columns = Math.max(1, Math.floor(widthRem / CARD_REM))
  const lines = useMemo(
    () => linesOf(rows, columns, (row) => <RowHeading row={row} onOpen={onOpenAll} />),
    [rows, columns, onOpenAll],
  )
  const shown = useMemo(() => metrics.filter(({ table }) => table?.card !== undefined), [metrics])
  const charted = shown.find(({ kind, table }) => table?.trend === true && kind !== 'timestamp')
  const draw = useCallback(
    (key: NodeKey) => (
      <>
        <span className="flow">
          <SelectCell
            nodeKey={key}
            selected={selected.has(key)}
            onToggle={(isRange) => toggle(key, isRange)}
          />
          <GlyphCell nodeKey={key} />
        </span>
        <span>
          <CardNameCell nodeKey={key} />
        </span>
        {shown.map((metric) => (
          <span key={metric.id} className={`card-grid-${metric.table?.card}`}>
            <MetricCell nodeKey={key} metric={metric} />
          </span>
        ))}
        <span className="card-grid-trend">
          <AgeOfOldCell nodeKey={key} />
          {charted && <TrendCell nodeKey={key} metric={charted} />}
        </span>
      </>
    ),
    [shown, charted, selected, toggle],
  )
  return (
    <CardGrid<NodeKey>
      label={words.table}
      lines={lines}
      columns={columns}
      cardKey={identity}
      cardLevel={(key) => levelOf(severities.get(key) ?? 'no-data')}
      draw={draw}
      onOpen={(key) => navigate(nodePath(key))}
      onSelect={toggle}
      isSelected={(key) => selected.has(key)}
      maxHeight="calc(100dvh - 13rem)"
    />
  )
}

const identity = (key: NodeKey): string => key

/** As many cards side by side as fit, under the table's headings. */
function linesOf(
  rows: readonly FleetRow[],
  columns: number,
  heading: (row: Exclude<FleetRow, { kind: 'node' }>) => ReactNode,
): readonly CardLine<NodeKey>[] {
  const lines: CardLine<NodeKey>[] = []
  let cards: NodeKey[] = []
  for (const row of rows) {
    if (row.kind !== 'node') {
      cards = []
      lines.push({ id: row.id, heading: heading(row) })
      continue
    }
    if (cards.length === 0 || cards.length === columns) {
      cards = []
      lines.push({ id: `cards from ${row.key}`, cards })
    }
    cards.push(row.key)
  }
  return lines
}

import type { ReactNode } from 'react'
import { readingAgeMs, valueNow, type AssessedNode, type NodeKey, type ServiceLive } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import type { Metric, MetricRegistry } from '#metrics/metric.ts'
import { fleetTexts as words } from '#texts/en-fleet.ts'
import { serviceLabel } from '#texts/names.ts'
import type { CardPlace, DataColumn } from '#ui/data-table.tsx'
import { CheckBox } from '#ui/check-box.tsx'
import { SelectCell, GlyphCell, NameCell, ServiceCell } from './cells.tsx'
import { ConditionCell, MetricCell, ReadingCell } from '#parts/node-cells.tsx'
import type { FleetRow, SortValue } from './order.ts'
import type { Selection } from './use-node-selection.ts'
import type { Width } from './use-width.ts'
import type { FleetView, ShownColumn } from './view.ts'
import { late } from '#ui/late.tsx'

/** Loaded after the figures, because charts are less urgent. */
const cells = () => import('./trend-cells.tsx')
const CellPlace = () => <span className="spark" aria-hidden />
const TrendCell = late(async () => (await cells()).TrendCell, CellPlace)
const HealthCell = late(async () => (await cells()).HealthCell, CellPlace)

export type FleetColumn = {
  readonly id: string
  readonly heading: string
  readonly rem: number
  /** Width in rem if not all columns fit otherwise. */
  readonly tightRem?: number
  /** Share of the remaining width (`fr`). */
  readonly grows?: number
  readonly isExtra?: boolean
  readonly end?: boolean
  readonly card?: CardPlace | undefined
  readonly cell: (key: NodeKey) => ReactNode
  /** Sorts from A to Z instead of from low to high. */
  readonly isText?: boolean
  readonly sortBy?: (node: AssessedNode, service: ServiceLive | undefined, nowMs: number) => SortValue
}

export const NODE_COLUMN = 'node'

export function fleetColumns(metrics: MetricRegistry, severalServices: boolean): readonly FleetColumn[] {
  const { columns } = words
  const ofMetrics = metrics
    .flatMap((metric) => (metric.table === undefined ? [] : [{ metric, order: metric.table.order }]))
    .toSorted((one, other) => one.order - other.order)
    .map(({ metric }) => metricColumn(metric))
  const states = metrics.filter(({ kind }) => kind === 'state').map(({ id }) => id)
  return [
    // The condition column is next to the service's own state.
    ...ofMetrics.filter(({ id }) => states.includes(id)),
    {
      id: 'condition',
      heading: columns.condition,
      rem: 11,
      tightRem: 9.75,
      grows: 1.2,
      cell: (key) => <ConditionCell nodeKey={key} />,
    },
    {
      id: 'service',
      heading: columns.service,
      rem: 9,
      tightRem: 5.25,
      grows: 1,
      ...(!severalServices && { isExtra: true }),
      cell: (key) => <ServiceCell nodeKey={key} />,
      isText: true,
      sortBy: (_node, service) => service && labelOf(service),
    },
    ...ofMetrics.filter(({ id }) => !states.includes(id)),
    {
      id: 'health',
      heading: columns.health,
      rem: 8,
      tightRem: 6.25,
      cell: (key) => <HealthCell nodeKey={key} />,
    },
    {
      id: 'reading',
      heading: columns.reading,
      rem: 7.5,
      tightRem: 6,
      end: true,
      cell: (key) => <ReadingCell nodeKey={key} />,
      sortBy: ({ reading }, _service, nowMs) => reading && readingAgeMs(reading, nowMs),
    },
  ]
}

export const labelOf = ({ service }: ServiceLive): string => serviceLabel(service)

/** Rem by which a column with a trend may shrink. */
const TREND_GIVES_REM = 3.25

function metricColumn(metric: Metric): FleetColumn {
  const { align, rem = 8, card, trend } = metric.table ?? { align: 'end' }
  return {
    id: metric.id,
    heading: metric.heading,
    rem,
    ...(trend === true && { tightRem: rem - TREND_GIVES_REM }),
    card,
    end: align === 'end',
    isText: metric.kind === 'state' || metric.kind === 'fingerprint',
    cell: (key) =>
      trend === true ? (
        <span className="spark-beside">
          <TrendCell nodeKey={key} metric={metric} />
          <MetricCell nodeKey={key} metric={metric} />
        </span>
      ) : (
        <MetricCell nodeKey={key} metric={metric} />
      ),
    sortBy: (node, _service, nowMs) => {
      const value = valueNow(node, metric, nowMs)
      return value?.value ?? value?.text
    },
  }
}

/** Width reserved for the name, which always stays. */
const NAME_REM = 16
const NAME_TIGHT_REM = 11.5
const MARK_REM = 5.5

/** The columns that the view selects, or as many default columns as fit; columns narrow before one is left out. */
export function shownColumns(
  all: readonly FleetColumn[],
  { columns }: Pick<FleetView, 'columns'>,
  { rem: widthRem, isCards }: Width,
): readonly (FleetColumn & Pick<ShownColumn, 'rem'>)[] {
  if (isCards) return all.filter(({ card }) => card !== undefined)
  if (columns !== undefined)
    return columns.flatMap(({ id, rem }) => {
      const column = all.find((each) => each.id === id)
      return column === undefined ? [] : [rem === undefined ? column : { ...column, rem, grows: 0 }]
    })
  const usual = all.filter(({ isExtra }) => isExtra !== true)
  if (fitting(usual, widthRem - MARK_REM - NAME_REM) === usual) return usual
  const tight = usual.map(({ rem, tightRem = rem, ...column }) => ({ ...column, rem: tightRem }))
  return fitting(tight, widthRem - MARK_REM - NAME_TIGHT_REM)
}

function fitting(columns: readonly FleetColumn[], widthRem: number): readonly FleetColumn[] {
  let leftRem = widthRem
  const fits = columns.findIndex(({ rem }) => (leftRem -= rem) < 0)
  return fits === -1 ? columns : columns.slice(0, fits)
}

type Heads = {
  readonly sort: FleetView['sort']
  readonly nameRem: number | undefined
  readonly onSort: (column: string) => void
  readonly onResize: (column: string, rem: number) => void
  readonly selection: Selection
}

export function drawnColumns(
  shown: readonly FleetColumn[],
  { sort, nameRem, onSort, onResize, selection }: Heads,
): readonly DataColumn<FleetRow>[] {
  const sortOf = (id: string): DataColumn<FleetRow>['sort'] => ({
    direction: sort?.column === id ? (sort.descending ? 'descending' : 'ascending') : undefined,
    onSort: () => onSort(id),
  })
  const { selected, all, toggle, toggleAll } = selection
  return [
    {
      id: 'select',
      header: <CheckBox label={words.select.all} hideLabel checked={all} onChange={toggleAll} />,
      track: '2.25rem',
      cell: ofNode((key) => (
        <SelectCell nodeKey={key} selected={selected.has(key)} onToggle={(isRange) => toggle(key, isRange)} />
      )),
    },
    {
      id: 'glyph',
      header: <span className="visually-hidden">{words.columns.severity}</span>,
      track: '2.5rem',
      card: 'mark',
      cell: ofNode((key) => <GlyphCell nodeKey={key} />),
    },
    {
      id: NODE_COLUMN,
      header: words.columns.node,
      track: nameRem === undefined ? 'minmax(11rem, 1.4fr)' : `${nameRem}rem`,
      card: 'title',
      cell: ofNode((key) => <NameCell nodeKey={key} />),
      sort: sortOf(NODE_COLUMN),
      onResize: (rem) => onResize(NODE_COLUMN, rem),
    },
    ...shown.map(({ id, heading, rem, grows = 0, end, card, cell, sortBy }): DataColumn<FleetRow> => ({
      id,
      header: heading,
      track: grows > 0 ? `minmax(${rem}rem, ${grows}fr)` : `${rem}rem`,
      ...(end === true && { end }),
      card,
      cell: ofNode(cell),
      ...(sortBy && { sort: sortOf(id) }),
      onResize: (next) => onResize(id, next),
    })),
  ]
}

const ofNode =
  (cell: (key: NodeKey) => ReactNode) =>
  (row: FleetRow): ReactNode =>
    row.kind === 'node' ? cell(row.key) : null

/** The sort value of a node; for outdated values, the last known value. */
export const sortValueOf =
  (column: FleetColumn, { nodes, services }: Pick<FleetSnapshot, 'nodes' | 'services'>, nowMs: number) =>
  (key: NodeKey): SortValue => {
    const node = nodes.get(key)
    return node && column.sortBy?.(node, services.get(node.serviceId), nowMs)
  }

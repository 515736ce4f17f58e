import { Suspense, useCallback, useMemo, useState, type ReactNode } from 'react'
import { useLocation, useSearchParams } from '#react/location.ts'
import { toVisibleText } from '#base/visible-text.ts'
import type { AssessedNode, NodeKey } from '#fleet/live.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useEvaluation } from '#react/evaluation.tsx'
import { hrefOf, nodePath, SETTINGS_PATH } from '#react/routes.ts'
import { useSteps } from '#react/ticking.tsx'
import { useConfiguration, useFleet } from '#react/use-fleet.ts'
import { fleetTexts as words } from '#texts/en-fleet.ts'
import { levelOf } from '#parts/severity.ts'
import { Button, LinkButton } from '#ui/button.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { ToolRow } from '#ui/toolbar.tsx'
import { Empty } from '#ui/empty.tsx'
import { late } from '#ui/late.tsx'
import { PlainPanel } from '#ui/panel.tsx'
import {
  drawnColumns,
  fleetColumns,
  isCards,
  labelOf,
  NODE_COLUMN,
  shownColumns,
  sortValueOf,
} from './columns.tsx'
import { createOrder, createRows, type FleetRow } from './order.ts'
import { useSteady } from './use-steady.ts'
import { useWidthRem } from './use-width.ts'
import { paramsOf, viewFrom, withRem, type FleetView } from './view.ts'

/** What the first rows are drawn without. */
const FleetTools = late(async () => (await import('./fleet-tools.tsx')).FleetTools)
const RowHeading = late(async () => (await import('./row-heading.tsx')).RowHeading)

/** Values move all the time: what is sorted by one is sorted anew this often. */
const SORTED_EVERY_MS = 10_000

export function NodesTable() {
  const { metrics } = useDashboard()
  const [params, setParams] = useSearchParams()
  const view = useMemo(() => viewFrom(params), [params])
  const show = useCallback(
    (changes: Partial<FleetView>): void =>
      setParams((now) => paramsOf({ ...viewFrom(now), ...changes }), { replace: true }),
    [setParams],
  )
  const severalServices = useFleet((snapshot) => snapshot.services.size > 1)
  const all = useMemo(() => fleetColumns(metrics, severalServices), [metrics, severalServices])
  const [measure, widthRem] = useWidthRem()
  const shown = useMemo(() => shownColumns(all, view, widthRem), [all, view, widthRem])
  return (
    <>
      <Suspense fallback={<ToolRow />}>
        <FleetTools
          view={view}
          columns={all}
          shown={shown}
          hasHeadings={!isCards(widthRem)}
          onChange={show}
        />
      </Suspense>
      <div ref={measure}>
        <PlainPanel label={words.table} flush>
          <Rows view={view} columns={all} shown={shown} onChange={show} />
        </PlainPanel>
      </div>
    </>
  )
}

type RowsProps = {
  readonly view: FleetView
  /** All there are, */
  readonly columns: ReturnType<typeof fleetColumns>
  /** and those in the table. */
  readonly shown: ReturnType<typeof shownColumns>
  readonly onChange: (changes: Partial<FleetView>) => void
}

function Rows({ view, columns, shown, onChange }: RowsProps) {
  const severities = useEvaluation((evaluation) => evaluation.severities)
  const [, navigate] = useLocation()
  const [openIn, setOpenIn] = useState<FleetView>()
  const isOpen = openIn === view
  const made = useRows(view, columns, isOpen)
  const { rows, isHeld, pointer } = useSteady(made, view)
  const drawn = useMemo(() => {
    const widths = shown.map(({ id, rem }) => withRem(id, rem))
    const nameRem = view.columns?.find(({ id }) => id === NODE_COLUMN)?.rem
    return drawnColumns(shown, {
      sort: view.sort,
      nameRem,
      onSort: (column) => onChange({ sort: nextSort(view.sort, column) }),
      onResize: (column, rem) => onChange({ columns: resized(view.columns ?? widths, column, rem) }),
    })
  }, [shown, view, onChange])
  const heading = useCallback(
    (row: FleetRow): ReactNode =>
      row.kind === 'node' ? undefined : (
        <Suspense>
          <RowHeading row={row} onOpen={() => setOpenIn(view)} />
        </Suspense>
      ),
    [view],
  )
  return (
    <div {...pointer}>
      <DataTable<FleetRow>
        label={words.table}
        columns={drawn}
        rows={rows}
        rowKey={rowId}
        rowRem={ROW[view.density]}
        look="pairs"
        heading={heading}
        rowLevel={(row) => (row.kind === 'node' ? levelOf(severities.get(row.key) ?? 'no-data') : undefined)}
        onOpen={(row) => row.kind === 'node' && navigate(nodePath(row.key))}
        maxHeight="calc(100dvh - 13rem)"
        empty={<NoRows view={view} onShowAll={() => onChange(SHOW_ALL)} />}
      />
      <output className="sr">{isHeld ? words.held : ''}</output>
    </div>
  )
}

/** One line; on a phone two. */
const ROW = { normal: { wide: 2, narrow: 3.5 }, compact: { wide: 1.625, narrow: 3 } } as const

const rowId = ({ id }: FleetRow): string => id

const SHOW_ALL = { condition: 'all', tag: undefined, q: '' } as const

/** Sorted anew only when a node's condition changes, and every ten seconds where it is by a value: each cell follows its own node by itself. */
function useRows(view: FleetView, columns: RowsProps['columns'], isOpen: boolean): readonly FleetRow[] {
  const { fleet, nowMs } = useDashboard()
  const severities = useEvaluation((evaluation) => evaluation.severities)
  const withoutData = useEvaluation((evaluation) => evaluation.withoutData)
  const stepMs = useSteps(SORTED_EVERY_MS)
  const [order] = useState(createOrder)
  const [rowsOf] = useState(createRows)
  const { condition, tag, sort, group } = view
  const column = columns.find(({ id }) => id === sort?.column)
  const sortedAt = column?.sortBy === undefined && group === undefined ? 0 : stepMs
  return useMemo(() => {
    const snapshot = fleet.get()
    const ordered = order(
      snapshot.nodes,
      { severities, withoutData },
      {
        filter: condition,
        accepts: tag === undefined ? undefined : (node) => node.tags.includes(tag),
        sort:
          sort === undefined || (column === undefined && sort.column !== NODE_COLUMN)
            ? undefined
            : {
                descending: sort.descending,
                valueOf:
                  column === undefined
                    ? (key) => nameOf(snapshot.nodes.get(key))
                    : sortValueOf(column, snapshot, Math.max(sortedAt, nowMs())),
              },
      },
    )
    return rowsOf(ordered, {
      isOpen,
      isSorted: sort !== undefined,
      groupOf: group === undefined ? undefined : groupingOf(group, snapshot),
    })
  }, [
    fleet,
    nowMs,
    severities,
    withoutData,
    order,
    rowsOf,
    condition,
    tag,
    sort,
    group,
    column,
    sortedAt,
    isOpen,
  ])
}

const nameOf = (node: AssessedNode | undefined): string => node?.name ?? node?.nodeId ?? ''

/** By the first tag, as in the map; by the service; or by what a state says. */
function groupingOf(
  group: string,
  {
    nodes,
    services,
  }: {
    readonly nodes: ReadonlyMap<NodeKey, AssessedNode>
    readonly services: ReadonlyMap<string, Parameters<typeof labelOf>[0]>
  },
): (key: NodeKey) => string | undefined {
  return (key) => {
    const node = nodes.get(key)
    if (node === undefined) return undefined
    if (group === 'tag') return node.tags[0]
    const service = services.get(node.serviceId)
    if (group === 'service') return service && labelOf(service)
    return node.assessment.values[group]?.text
  }
}

/** Down, up, and back to names. */
function nextSort(sort: FleetView['sort'], column: string): FleetView['sort'] {
  if (sort?.column !== column) return { column, descending: column !== NODE_COLUMN }
  const isSecond = sort.descending === (column === NODE_COLUMN)
  return isSecond ? undefined : { column, descending: !sort.descending }
}

const resized = (
  columns: NonNullable<FleetView['columns']>,
  id: string,
  rem: number,
): NonNullable<FleetView['columns']> =>
  columns.some((column) => column.id === id)
    ? columns.map((column) => (column.id === id ? withRem(id, rem) : column))
    : [withRem(id, rem), ...columns]

type NoRowsProps = { readonly view: FleetView; readonly onShowAll: () => void }

function NoRows({ view: { condition, tag, q }, onShowAll }: NoRowsProps) {
  const isKnown = useFleet(({ nodes }) => nodes.size > 0)
  const isExpected = useConfiguration().effective.nodes.length > 0
  // The engine is about to say what it knows of them.
  if (isExpected && !isKnown) return null
  if (condition === 'all' && tag === undefined && q === '')
    return (
      <Empty
        title={words.empty.title}
        actions={<LinkButton href={hrefOf(`${SETTINGS_PATH}/nodes`)}>{words.addNodes}</LinkButton>}
      >
        {words.empty.text}
      </Empty>
    )
  return (
    <Empty
      title={
        tag === undefined && condition !== 'all'
          ? words.noMatch[condition]
          : words.noneTagged(toVisibleText(tag ?? ''))
      }
      actions={<Button onClick={onShowAll}>{words.showAll}</Button>}
    />
  )
}

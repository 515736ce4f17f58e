import { useCallback, useMemo, useState, type ReactNode } from 'react'
import { useLocation, useSearchParams } from '#react/location.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useEvaluation } from '#react/evaluation.tsx'
import { hrefOf, nodePath, PATHS } from '#react/routes.ts'
import { useFleet, useConfiguration } from '#react/use-fleet.ts'
import { fleetTexts as words, fleetTexts } from '#texts/en-fleet.ts'
import { OnceStarted } from '#parts/once-started.tsx'
import { levelOf } from '#parts/severity.ts'
import { DataTable } from '#ui/data-table.tsx'
import { PlainPanel } from '#ui/panel.tsx'
import { drawnColumns, fleetColumns, NODE_COLUMN, shownColumns } from './fleet-columns.tsx'
import { useSelection, type Selection } from './use-node-selection.ts'
import type { FleetRow } from './order.ts'
import { useRows } from './use-rows.ts'
import { useSteady } from './use-steady.ts'
import { useWidth } from './use-width.ts'
import { paramsOf, viewFrom, withRem, type FleetView } from './view.ts'
import { RowHeading } from './row-heading.tsx'
import { late } from '#ui/late.tsx'
import { toVisibleText } from '#base/visible-text.ts'
import { fleetToolTexts } from '#texts/en-fleet-tools.ts'
import { Button, LinkButton } from '#ui/button.tsx'
import { Empty } from '#ui/empty.tsx'

const rest = () => import('./fleet-rest.ts')
const ToolsPlace = () => <div className="toolbar flow" />
const FleetTools = late(async () => (await rest()).FleetTools, ToolsPlace)
const NodesGrid = late(async () => (await rest()).NodesGrid)
const SelectionBar = late(async () => (await rest()).SelectionBar)

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
  const [measure, width] = useWidth()
  const shown = useMemo(() => shownColumns(all, view, width), [all, view, width])
  const [openIn, setOpenIn] = useState<FleetView>()
  const { rows, count } = useRows(view, all, openIn === view)
  const openAll = useCallback(() => setOpenIn(view), [view])
  const selection = useSelection(rows)
  return (
    <>
      <OnceStarted waiting={<ToolsPlace />}>
        <FleetTools
          view={view}
          columns={all}
          shown={shown}
          count={count}
          hasHeadings={view.layout === 'table' && !width.isCards}
          onChange={show}
        />
      </OnceStarted>
      <PlainPanel label={words.table} flush>
        <div ref={measure}>
          <Rows
            view={view}
            made={rows}
            shown={shown}
            widthRem={width.rem}
            selection={selection}
            onOpenAll={openAll}
            onChange={show}
          />
        </div>
      </PlainPanel>
      {selection.selected.size > 0 && (
        <SelectionBar selected={selection.selected} onClear={selection.clear} />
      )}
    </>
  )
}

type RowsProps = {
  readonly view: FleetView
  readonly made: readonly FleetRow[]
  readonly shown: ReturnType<typeof shownColumns>
  readonly widthRem: number
  readonly selection: Selection
  readonly onOpenAll: () => void
  readonly onChange: (changes: Partial<FleetView>) => void
}

function Rows({ view, made, shown, widthRem, selection, onOpenAll, onChange }: RowsProps) {
  const severities = useEvaluation((evaluation) => evaluation.classes)
  const [, navigate] = useLocation()
  const { rows, isHeld, pointer } = useSteady(made, view)
  const drawn = useMemo(() => {
    const widths = shown.map(({ id, rem }) => withRem(id, rem))
    const nameRem = view.columns?.find(({ id }) => id === NODE_COLUMN)?.rem
    return drawnColumns(shown, {
      sort: view.sort,
      nameRem,
      selection,
      onSort: (column) => onChange({ sort: nextSort(view.sort, column) }),
      onResize: (column, rem) => onChange({ columns: resized(view.columns ?? widths, column, rem) }),
    })
  }, [shown, view, selection, onChange])
  const heading = useCallback(
    (row: FleetRow): ReactNode =>
      row.kind === 'node' ? undefined : <RowHeading row={row} onOpen={onOpenAll} />,
    [onOpenAll],
  )
  return (
    <div {...pointer}>
      {view.layout === 'grid' && rows.length > 0 ? (
        <NodesGrid rows={rows} widthRem={widthRem} selection={selection} onOpenAll={onOpenAll} />
      ) : (
        <DataTable<FleetRow>
          label={words.table}
          columns={drawn}
          rows={rows}
          rowKey={rowId}
          rowRem={ROW[view.density]}
          isCards
          heading={heading}
          rowLevel={(row) =>
            row.kind === 'node' ? levelOf(severities.get(row.key) ?? 'no-data') : undefined
          }
          isSelected={(row) => row.kind === 'node' && selection.selected.has(row.key)}
          onSelect={(row, isRange) => row.kind === 'node' && selection.toggle(row.key, isRange)}
          onOpen={(row) => row.kind === 'node' && navigate(nodePath(row.key))}
          maxHeight="calc(100dvh - 13rem)"
          empty={<NoRows view={view} onShowAll={() => onChange(SHOW_ALL)} />}
        />
      )}
      <output className="visually-hidden">{isHeld ? words.held : ''}</output>
    </div>
  )
}

/** One line; on a phone two. */
const ROW = { normal: { wide: 2, narrow: 3.5 }, compact: { wide: 1.625, narrow: 3 } } as const

const rowId = ({ id }: FleetRow): string => id

const SHOW_ALL = { condition: 'all', tag: undefined, q: '' } as const

/** Cycles through descending, ascending and the default order; the name column starts ascending. */
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
  // Nodes are configured, but the engine's first update is still to come.
  if (isExpected && !isKnown) return null
  if (condition === 'all' && tag === undefined && q === '')
    return (
      <Empty
        title={fleetToolTexts.empty.title}
        actions={<LinkButton href={hrefOf(`${PATHS.settings}/nodes`)}>{fleetTexts.addNodes}</LinkButton>}
      >
        {fleetToolTexts.empty.text}
      </Empty>
    )
  return (
    <Empty
      title={
        q !== ''
          ? fleetToolTexts.noneFound
          : tag === undefined && condition !== 'all'
            ? fleetToolTexts.noMatch[condition]
            : fleetToolTexts.noneTagged(toVisibleText(tag ?? ''))
      }
      actions={<Button onClick={onShowAll}>{fleetToolTexts.showAll}</Button>}
    />
  )
}

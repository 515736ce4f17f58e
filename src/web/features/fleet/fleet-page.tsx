import { useMemo, useState } from 'react'
import { useLocation, useSearchParams } from '#react/location.ts'
import { toVisibleText } from '#base/visible-text.ts'
import type { NodeKey } from '#fleet/live.ts'
import type { Metric, MetricRegistry } from '#metrics/metric.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useEvaluation } from '#react/evaluation.tsx'
import { hrefOf, nodePath, NEW_SERVICE_PATH, SETTINGS_PATH, WALL_PATH } from '#react/routes.ts'
import { useConfiguration, useFleet } from '#react/use-fleet.ts'
import { fleetTexts as words } from '#texts/en-fleet.ts'
import { levelOf } from '#parts/severity.ts'
import { Button, LinkButton } from '#ui/button.tsx'
import type { DataColumn } from '#ui/data-row.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { Empty } from '#ui/empty.tsx'
import { Icon } from '#ui/icon.tsx'
import { Page, PageHead } from '#ui/page.tsx'
import { Panel } from '#ui/panel.tsx'
import { Segmented } from '#ui/choices.tsx'
import { ConditionCell, GlyphCell, MetricCell, NameCell, ReadingCell, ServiceCell } from './cells.tsx'
import { createOrder, filterFromText, FILTERS, type Filter } from './order.ts'

/** Every watched node, worst first. */
export function FleetPage() {
  const counts = useFleet((fleet) => fleet.nodes.size)
  const services = useFleet((fleet) => fleet.services.size)
  return (
    <Page>
      <PageHead
        title={words.title}
        actions={
          <>
            <LinkButton href={hrefOf(WALL_PATH)} look="quiet">
              {words.wall}
            </LinkButton>
            <LinkButton href={hrefOf(NEW_SERVICE_PATH)} look="quiet">
              {words.addService}
            </LinkButton>
            <LinkButton
              href={hrefOf(`${SETTINGS_PATH}/nodes`)}
              look="primary"
              icon={<Icon name="plus" small />}
            >
              {words.addNodes}
            </LinkButton>
          </>
        }
      >
        {counts > 0 && <span className="ink3">{words.summary(counts, services)}</span>}
      </PageHead>
      <Nodes />
    </Page>
  )
}

function Nodes() {
  const { fleet, metrics } = useDashboard()
  const severities = useEvaluation((evaluation) => evaluation.severities)
  const withoutData = useEvaluation((evaluation) => evaluation.withoutData)
  const severalServices = useFleet((snapshot) => snapshot.services.size > 1)
  const [params, setParams] = useSearchParams()
  const [, navigate] = useLocation()
  const filter = filterFromText(params.get('condition'))
  const tag = params.get('tag') ?? undefined
  // Sorted anew only when a node's condition changes: each cell follows its own node by itself.
  const [order] = useState(createOrder)
  const keys = useMemo(
    () => order(fleet.get().nodes, { severities, withoutData }, filter, tag),
    [order, fleet, severities, withoutData, filter, tag],
  )
  const columns = useMemo(() => columnsFor(metrics, severalServices), [metrics, severalServices])
  const show = (next: Filter, nextTag: string | undefined): void =>
    setParams(
      { ...(next !== 'all' && { condition: next }), ...(nextTag !== undefined && { tag: nextTag }) },
      { replace: true },
    )
  return (
    <Panel
      title={words.panel}
      flush
      actions={
        <>
          {tag !== undefined && (
            <Button size="small" onClick={() => show(filter, undefined)}>
              {words.anyTag(toVisibleText(tag))}
            </Button>
          )}
          <Segmented
            legend={words.filter.legend}
            value={filter}
            options={FILTERS.map((each) => ({ value: each, label: words.filter[each] }))}
            onChange={(next) => show(next, tag)}
          />
        </>
      }
    >
      <DataTable<NodeKey>
        label={words.table}
        columns={columns}
        rows={keys}
        rowKey={identity}
        rowRem={ROW}
        look="pairs"
        rowLevel={(key) => levelOf(severities.get(key) ?? 'no-data')}
        onOpen={(key) => navigate(nodePath(key))}
        maxHeight="calc(100dvh - 13rem)"
        empty={<NoRows filter={filter} tag={tag} onShowAll={() => show('all', undefined)} />}
      />
    </Panel>
  )
}

/** One line; on a phone two. */
const ROW = { wide: 2, narrow: 3.5 } as const

const identity = (key: NodeKey): string => key

type NoRowsProps = {
  readonly filter: Filter
  readonly tag: string | undefined
  readonly onShowAll: () => void
}

function NoRows({ filter, tag, onShowAll }: NoRowsProps) {
  const isKnown = useFleet(({ nodes }) => nodes.size > 0)
  const isExpected = useConfiguration().effective.nodes.length > 0
  // The engine is about to say what it knows of them.
  if (isExpected && !isKnown) return null
  if (filter === 'all' && tag === undefined)
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
        tag === undefined && filter !== 'all'
          ? words.noMatch[filter]
          : words.noneTagged(toVisibleText(tag ?? ''))
      }
      actions={<Button onClick={onShowAll}>{words.showAll}</Button>}
    />
  )
}

/** Of each metric that has a place in the table. A node's condition stands beside the service's own word. */
function columnsFor(metrics: MetricRegistry, severalServices: boolean): readonly DataColumn<NodeKey>[] {
  const { columns } = words
  return [
    {
      id: 'glyph',
      header: <span className="sr">{columns.severity}</span>,
      track: '2.5rem',
      card: 'mark',
      cell: (key) => <GlyphCell nodeKey={key} />,
    },
    {
      id: 'node',
      header: columns.node,
      track: 'minmax(11rem, 1.4fr)',
      card: 'title',
      cell: (key) => <NameCell nodeKey={key} />,
    },
    ...metricColumns(metrics.filter(isState)),
    {
      id: 'condition',
      header: columns.condition,
      track: 'minmax(11rem, 1.2fr)',
      cell: (key) => <ConditionCell nodeKey={key} />,
    },
    ...metricColumns(metrics.filter((metric) => !isState(metric))),
    {
      id: 'reading',
      header: columns.reading,
      track: '9rem',
      end: true,
      cell: (key) => <ReadingCell nodeKey={key} />,
    },
    ...(severalServices
      ? [
          {
            id: 'service',
            header: columns.service,
            track: 'minmax(8rem, 1fr)',
            cell: (key: NodeKey) => <ServiceCell nodeKey={key} />,
          },
        ]
      : []),
  ]
}

const isState = ({ kind }: Metric): boolean => kind === 'state'

const metricColumns = (metrics: MetricRegistry): readonly DataColumn<NodeKey>[] =>
  metrics
    .flatMap((metric) => (metric.table === undefined ? [] : [{ metric, ...metric.table }]))
    .toSorted((one, other) => one.order - other.order)
    .map(({ metric, align, width = '8rem', card }) => ({
      id: metric.id,
      header: metric.heading,
      track: width,
      card,
      end: align === 'end',
      cell: (key: NodeKey) => <MetricCell nodeKey={key} metric={metric} />,
    }))

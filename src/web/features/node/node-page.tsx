import { useState, type ReactNode } from 'react'
import { isCurrent, stageAt, type Stage } from '#fleet/assessment.ts'
import type { AssessedNode, NodeKey, ServiceLive, NodeLive } from '#fleet/live.ts'
import type { Metric } from '#metrics/metric.ts'
import { effectiveSettings, type EffectiveSettings } from '#settings/effective.ts'
import { useDashboard } from '#react/dashboard.ts'
import { hrefOf, PATHS, tagPath } from '#react/routes.ts'
import { useFleet, useNode, useServiceOf, useStore } from '#react/use-fleet.ts'
import { useInView } from '#react/use-in-view.ts'
import { nodeTexts as words } from '#texts/en-node.ts'
import { LinkButton } from '#ui/button.tsx'
import { Empty, Skeleton } from '#ui/empty.tsx'
import { Hero } from '#ui/hero.tsx'
import { Columns, PageHead } from '#ui/page.tsx'
import { ChecksCell } from './checks-cell.tsx'
import { AgeCell } from './age-cell.tsx'
import type { Editing } from './node-edit.tsx'
import { PartBoundaries, PartBoundary } from '#parts/part-boundary.tsx'
import { StateCell } from './state-cell.tsx'
import { late } from '#ui/late.tsx'
import { copying } from '#parts/copying.ts'
import { nodeName } from '#texts/names.ts'
import { CopyButton } from '#ui/copy-line.tsx'
import { Tag } from '#ui/chip.tsx'
import { VisibleText } from '#ui/visible-text.tsx'

const Loading = () => <Skeleton label={words.loading} lines={8} />
const rest = () => import('./node-rest.ts')
const NodeAlarm = late(async () => (await rest()).NodeAlarm)
const LimitEdit = late(async () => (await rest()).LimitEdit)
const NodeEdit = late(async () => (await rest()).NodeEdit)
const NodeChart = late(async () => (await rest()).NodeChart, Loading)
const NodeSide = late(async () => (await rest()).NodeSide, Loading)
const NodeTime = late(async () => (await rest()).NodeTime)

export function NodePage({ nodeKey }: { readonly nodeKey: NodeKey }) {
  const node = useNode(nodeKey)
  const live = useServiceOf(node)
  const isEmpty = useFleet((fleet) => fleet.nodes.size === 0)
  if (node !== undefined && live !== undefined) return <Watched node={node} {...live} />
  return (
    <div className="page">
      {isEmpty ? (
        <Skeleton label={words.loading} lines={6} />
      ) : (
        <Empty
          title={words.unknown.title}
          actions={<LinkButton href={hrefOf(PATHS.nodes)}>{words.unknown.toList}</LinkButton>}
        >
          {words.unknown.text}
        </Empty>
      )}
    </div>
  )
}

function useStage({ assessment }: AssessedNode): Stage {
  const { seconds } = useDashboard()
  return useStore(seconds, (nowMs) => stageAt(assessment, nowMs))
}

type LeadCellProps = {
  readonly metric: Metric
  readonly node: AssessedNode
  readonly stage: Stage
  readonly settings: EffectiveSettings
}

function LeadCell({ metric, node, stage, settings }: LeadCellProps) {
  if (metric.lead !== true) return null
  if (metric.kind === 'state') return <StateCell metric={metric} node={node} stage={stage} />
  return metric.kind === 'timestamp' ? (
    <AgeCell metric={metric} node={node} stage={stage} settings={settings} />
  ) : null
}

type WatchedProps = Pick<ServiceLive, 'service' | 'rules'> & { readonly node: AssessedNode }

function Watched({ node, service, rules }: WatchedProps) {
  const settings = effectiveSettings(rules, node)
  const stage = useStage(node)
  const { metrics } = useDashboard()
  const [editing, setEditing] = useState<Editing>()
  const limitsOf = typeof editing === 'object' ? editing.limitsOf : undefined
  useInView(node.key)
  return (
    <div className="page">
      <PartBoundary>
        <NodeHead
          node={node}
          edit={
            <PartBoundary>
              <NodeEdit node={node} service={service} editing={editing} onEdit={setEditing} />
            </PartBoundary>
          }
          actions={
            <PartBoundary>
              <NodeTime node={node.key} />
            </PartBoundary>
          }
        />
      </PartBoundary>
      <Columns
        main={
          <PartBoundaries>
            <NodeAlarm node={node.key} />
            <Hero label={words.hero.label}>
              {metrics.map((metric) => (
                <LeadCell key={metric.id} metric={metric} node={node} stage={stage} settings={settings} />
              ))}
              <ChecksCell node={node} stage={stage} onLimit={(metric) => setEditing({ limitsOf: metric })}>
                {limitsOf !== undefined && (
                  <LimitEdit
                    key={limitsOf}
                    node={node}
                    service={service}
                    metric={limitsOf}
                    onDone={() => setEditing(undefined)}
                  />
                )}
              </ChecksCell>
            </Hero>
            <NodeChart
              node={node}
              service={service}
              settings={settings}
              checks={stage.checks}
              old={!isCurrent(stage.link)}
            />
          </PartBoundaries>
        }
        side={
          <PartBoundary>
            <NodeSide node={node} service={service} settings={settings} old={!isCurrent(stage.link)} />
          </PartBoundary>
        }
      />
    </div>
  )
}

/** The configured id, or the id that the service reports for the default node. */
const idOf = (node: NodeLive): string | undefined =>
  node.nodeId ?? (node.reading?.record.nodeId.ok === true ? node.reading.record.nodeId.value : undefined)

type NodeHeadProps = { readonly node: NodeLive; readonly edit: ReactNode; readonly actions: ReactNode }

function NodeHead({ node, edit, actions }: NodeHeadProps) {
  const id = idOf(node)
  return (
    <PageHead
      crumb={{ href: hrefOf(PATHS.nodes), label: words.crumb }}
      title={<VisibleText text={nodeName({ name: node.name, nodeId: id })} />}
      actions={actions}
    >
      {id !== undefined && (
        <CopyButton text={id} label={words.copyId} {...copying}>
          <VisibleText text={midId(id)} />
        </CopyButton>
      )}
      {node.tags.map((tag) => (
        <Tag key={tag} tag={tag} href={hrefOf(tagPath(tag))} />
      ))}
      {edit}
    </PageHead>
  )
}

const midId = (id: string): string => (id.length <= 22 ? id : `${id.slice(0, 10)}…${id.slice(-8)}`)

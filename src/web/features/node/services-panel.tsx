import { toVisibleText } from '#base/visible-text.ts'
import { isCurrentAt } from '#fleet/assessment.ts'
import {
  currentDisagreements,
  readingAgeMs,
  type AssessedNode,
  type Disagreement,
  type ServiceLive,
} from '#fleet/live.ts'
import { isComparable, type Metric } from '#metrics/metric.ts'
import { effectiveSettings } from '#settings/effective.ts'
import { useDashboard } from '#react/dashboard.ts'
import { hrefOf, nodePath } from '#react/routes.ts'
import { Ticking, useTick } from '#react/ticking.tsx'
import { useFleet } from '#react/use-fleet.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import { formatValue, nameOf } from '#texts/format-metric.ts'
import { formatAge } from '#texts/format.ts'
import { serviceLabel } from '#texts/names.ts'
import { CompareTable } from '#ui/compare-table.tsx'
import { Panel } from '#ui/panel.tsx'
import { Value } from '#ui/value.tsx'
import { VisibleText } from '#ui/visible-text.tsx'
import { Moment } from '#parts/moment.tsx'

const words = nodeHistoryTexts.services

type SideOf = { readonly node: AssessedNode; readonly service: ServiceLive }

export function ServicesPanel({ node }: { readonly node: AssessedNode }) {
  const { metrics } = useDashboard()
  const nodes = useFleet((fleet) => fleet.nodes)
  const services = useFleet((fleet) => fleet.services)
  const ofNode = node.nodeId === undefined ? undefined : node.key.slice(node.key.indexOf('!'))
  const sides = Array.from(nodes.values()).flatMap((each): readonly SideOf[] => {
    const service = services.get(each.serviceId)
    return ofNode !== undefined && each.key.endsWith(ofNode) && service !== undefined
      ? [{ node: each, service }]
      : []
  })
  if (sides.length < 2) return null
  const ordered = sides.toSorted((a, b) => Number(b.node.key === node.key) - Number(a.node.key === node.key))
  return (
    <Panel title={words.title}>
      <CompareTable
        caption={words.title}
        corner={words.value}
        columns={ordered.map((side) => ({
          id: side.node.key,
          heading: <ServiceHeading side={side} isHere={side.node.key === node.key} />,
        }))}
        rows={[
          ...metrics.filter(isComparable).map((metric) => {
            const found = currentDisagreements(node).find((each) => each.metric === metric.id)
            return {
              id: metric.id,
              heading: nameOf(metric),
              values: ordered.map((side) => (
                <Said key={side.node.key} side={side} metric={metric} isDisputed={found !== undefined} />
              )),
              level: found && ('warning' as const),
              note: found && <Why found={found} show={showWith(metric, ordered[0])} />,
            }
          }),
          {
            id: 'age',
            heading: words.answered,
            values: ordered.map((side) => <Answered key={side.node.key} side={side} />),
          },
        ]}
      />
    </Panel>
  )
}

function ServiceHeading({
  side: { node, service },
  isHere,
}: {
  readonly side: SideOf
  readonly isHere: boolean
}) {
  const name = <VisibleText text={serviceLabel(service.service)} />
  return isHere ? name : <a href={hrefOf(nodePath(node.key))}>{name}</a>
}

type SaidProps = { readonly side: SideOf; readonly metric: Metric; readonly isDisputed: boolean }

function Said({ side: { node, service }, metric, isDisputed }: SaidProps) {
  const old = useTick((nowMs) => !isCurrentAt(node, nowMs))
  const text = saidOf(metric, node, service)
  if (text === undefined) return <span className="ink-3">{words.notKnown}</span>
  return (
    <Value old={old} level={isDisputed && !old ? 'warning' : undefined}>
      {metric.kind === 'state' ? <VisibleText text={text} charsMax={WORD_CHARS} /> : text}
    </Value>
  )
}

function saidOf(metric: Metric, node: AssessedNode, { rules }: ServiceLive): string | undefined {
  const { reading, assessment } = node
  if (metric.kind === 'fingerprint') return reading && words.proofs[reading.proof?.kind ?? 'not-checked']
  const value = assessment.values[metric.id]
  return value && formatValue(metric, value, effectiveSettings(rules, node))
}

const WORD_CHARS = 24

const Answered = ({ side: { node } }: { readonly side: SideOf }) => (
  <Ticking>
    {(nowMs) =>
      node.reading === undefined ? words.never : words.ago(formatAge(readingAgeMs(node.reading, nowMs)))
    }
  </Ticking>
)

const showWith =
  (metric: Metric, side: SideOf | undefined) =>
  (text: string): string => {
    if (metric.kind === 'fingerprint')
      return text === 'verified' || text === 'wrong' ? words.proofs[text] : text
    const settings = side && effectiveSettings(side.service.rules, side.node)
    if (metric.kind === 'state') return toVisibleText(text)
    return formatValue(metric, { text, value: Number(text) }, settings)
  }

type WhyProps = { readonly found: Disagreement; readonly show: (text: string) => string }

/** The values at the time of the finding; both may have changed since. */
const Why = ({ found, show }: WhyProps) => (
  <>
    {words.why[found.kind](show(found.own), show(found.other))} {words.since}{' '}
    <Moment wallMs={found.sinceWallMs} />
  </>
)

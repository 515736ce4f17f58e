import { memo, useMemo, type ReactNode } from 'react'
import { checkOf, isCurrent, stageAt, worstCheck } from '#fleet/assessment.ts'
import { failureOf } from '#fleet/cause.ts'
import { readingAgeMs, valueNow, type NodeKey } from '#fleet/live.ts'
import type { Metric } from '#metrics/metric.ts'
import { effectiveSettings } from '#settings/effective.ts'
import { useRow, type Row } from '#react/use-row.ts'
import { doubtOf } from '#texts/age-doubt.ts'
import { checkText } from '#texts/en-checks.ts'
import { fleetTexts as words } from '#texts/en-fleet.ts'
import { formatValue, nameOf as nameOfMetric } from '#texts/format-metric.ts'
import { formatAge } from '#texts/format.ts'
import type { Level } from '#ui/level.ts'
import { Value } from '#ui/value.tsx'
import { VisibleText } from '#ui/visible-text.tsx'
import { valueLevel } from './severity.ts'

type CellProps = { readonly nodeKey: NodeKey }

const stageOf = ({ node }: Row, nowMs: number) => stageAt(node.assessment, nowMs)

export const ConditionCell = memo(function ConditionCell({ nodeKey }: CellProps): ReactNode {
  return useRow(nodeKey, worst)
})

function worst(row: Row, nowMs: number): string {
  const { node, metrics, causes } = row
  const check = worstCheck(stageOf(row, nowMs))
  const condition = check && checkText(check, metrics, failureOf(node, causes))
  const { disagreements = [] } = node
  if (disagreements.length === 0) return condition ?? words.within
  const disputed = metrics.filter(({ id }) => disagreements.some(({ metric }) => metric === id))
  // The alarm of a disputed metric adds nothing to the dispute.
  const isOwn = check?.reason === 'alarm' && disputed.some(({ id }) => id === check.id)
  return words.differs(disputed.map(nameOfMetric).join(', '), isOwn ? undefined : condition)
}

/** A word may have 64 characters and would displace the other cells; the node's page shows it in full. */
const WORD_CHARS = 24

export const MetricCell = memo(function MetricCell({
  nodeKey,
  metric,
}: CellProps & { readonly metric: Metric }): ReactNode {
  const view = useMemo(() => figureOf(metric), [metric])
  const shown = useRow(nodeKey, view)
  if (shown?.text === undefined) return <span className="ink-3">{words.notKnown}</span>
  return (
    <Value level={shown.level} old={shown.old === true}>
      {metric.kind === 'state' ? <VisibleText text={shown.text} charsMax={WORD_CHARS} /> : shown.text}
    </Value>
  )
})

type Figure = {
  readonly text: string | undefined
  readonly level?: Level | undefined
  readonly old?: boolean
}

const figureOf =
  (metric: Metric) =>
  (row: Row, nowMs: number): Figure => {
    const { node, service, agesMs } = row
    const value = valueNow(node, metric, agesMs)
    if (value === undefined) return { text: undefined }
    const { checks, link } = stageOf(row, nowMs)
    const text = formatValue(metric, value, effectiveSettings(service.rules, node))
    return {
      text: metric.kind === 'timestamp' ? words.age(text, doubtOf(node.reading?.ages[metric.id])) : text,
      level: valueLevel(checkOf(checks, metric.id), !isCurrent(link)),
      old: !isCurrent(link),
    }
  }

export const ReadingCell = memo(function ReadingCell({ nodeKey }: CellProps): ReactNode {
  const text = useRow(nodeKey, readingAge)
  return text ?? <span className="ink-3">{words.never}</span>
})

const readingAge = ({ node: { reading }, agesMs }: Row): string | undefined =>
  reading === undefined ? undefined : words.ago(formatAge(readingAgeMs(reading, agesMs)))

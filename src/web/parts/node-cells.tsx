import { memo, useMemo, type ReactNode } from 'react'
import { checkOf, isCurrent, worstCheck } from '#fleet/assessment.ts'
import { failureOf } from '#fleet/cause.ts'
import { currentDisagreements, readingAgeMs, valueNow, type NodeKey } from '#fleet/live.ts'
import type { Metric } from '#metrics/metric.ts'
import { effectiveSettings } from '#settings/effective.ts'
import { useRow, useRowText, type AgingRow, type Row } from '#react/use-row.ts'
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

export const ConditionCell = memo(function ConditionCell({ nodeKey }: CellProps): ReactNode {
  return useRow(nodeKey, worst)
})

function worst({ node, stage, metrics, causes }: Row): string {
  const check = worstCheck(stage)
  const condition = check && checkText(check, metrics, failureOf(node, causes))
  const disagreements = currentDisagreements(node)
  if (disagreements.length === 0) return condition ?? words.within
  const disputed = metrics.filter(({ id }) => disagreements.some(({ metric }) => metric === id))
  // The alarm of a disputed metric adds nothing to the dispute.
  const isOwn = check?.reason === 'alarm' && disputed.some(({ id }) => id === check.id)
  return words.differs(disputed.map(nameOfMetric).join(', '), isOwn ? undefined : condition)
}

/** A word may have 64 characters and would displace the other cells; the node's page shows it in full. */
const WORD_CHARS = 24

type MetricCellProps = CellProps & { readonly metric: Metric }

export const MetricCell = memo(function MetricCell({ nodeKey, metric }: MetricCellProps): ReactNode {
  const view = useMemo(() => figureOf(metric), [metric])
  const shown = useRow(nodeKey, view)
  if (shown?.text === undefined) return <span className="ink-3">{words.notKnown}</span>
  const mark = { level: shown.level, old: shown.old === true }
  if (metric.kind === 'timestamp') return <AgeText nodeKey={nodeKey} metric={metric} {...mark} />
  return (
    <Value {...mark}>
      {metric.kind === 'state' ? <VisibleText text={shown.text} charsMax={WORD_CHARS} /> : shown.text}
    </Value>
  )
})

type Mark = { readonly level?: Level | undefined; readonly old?: boolean }

const figureOf =
  (metric: Metric) =>
  ({ node, stage, service }: Row): Mark & { readonly text: string | undefined } => {
    const value = node.assessment.values[metric.id]
    if (value === undefined) return { text: undefined }
    const text = formatValue(metric, value, effectiveSettings(service.rules, node))
    const isOld = !isCurrent(stage.link)
    return { text, level: valueLevel(checkOf(stage.checks, metric.id), isOld), old: isOld }
  }

function AgeText({ nodeKey, metric, ...mark }: MetricCellProps & Mark): ReactNode {
  const view = useMemo(() => ageOf(metric), [metric])
  return <Value ref={useRowText(nodeKey, view)} {...mark} />
}

const ageOf =
  (metric: Metric) =>
  ({ node, service, agesMs }: AgingRow): string | undefined => {
    const value = valueNow(node, metric, agesMs)
    if (value === undefined) return undefined
    const text = formatValue(metric, value, effectiveSettings(service.rules, node))
    return words.age(text, doubtOf(node.reading?.ages[metric.id]))
  }

export const ReadingCell = memo(function ReadingCell({ nodeKey }: CellProps): ReactNode {
  const text = useRowText(nodeKey, readingAge)
  const isKnown = useRow(nodeKey, hasReading) === true
  return isKnown ? <span ref={text} /> : <span className="ink-3">{words.never}</span>
})

const hasReading = ({ node: { reading } }: Row): boolean => reading !== undefined

const readingAge = ({ node: { reading }, agesMs }: AgingRow): string | undefined =>
  reading && words.ago(formatAge(readingAgeMs(reading, agesMs)))

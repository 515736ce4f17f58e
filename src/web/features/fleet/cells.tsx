import { Fragment, memo, useMemo, type ReactNode } from 'react'
import { toVisibleText } from '#base/visible-text.ts'
import { shortNodeId } from '#record/node-id.ts'
import { serviceName } from '#record/service-name.ts'
import { effectiveSettings } from '#settings/effective-settings.ts'
import { checkOf, isCurrent, stageAt, worstCheck } from '#fleet/assessment.ts'
import { readingAgeMs, valueNow, type NodeKey } from '#fleet/live.ts'
import type { Metric } from '#metrics/metric.ts'
import { alarmMarkOf } from '#parts/alarm-marks.ts'
import { glyphOf, valueLevel } from '#parts/severity.ts'
import { hrefOf, nodePath, tagPath } from '#react/routes.ts'
import { useAlarms } from '#react/use-fleet.ts'
import { useInView } from '#react/use-in-view.ts'
import { useRow, type Row } from '#react/use-row.ts'
import { checkText, levelWords } from '#texts/en-checks.ts'
import { doubtOf } from '#texts/age-doubt.ts'
import { fleetTexts as words } from '#texts/en-fleet.ts'
import { formatValue, nameOf as nameOfMetric } from '#texts/format-metric.ts'
import { formatAge } from '#texts/format.ts'
import { CheckBox } from '#ui/check-box.tsx'
import { Glyph } from '#ui/glyph.tsx'
import type { Level } from '#ui/level.ts'
import { Tag } from '#ui/chip.tsx'
import { Value } from '#ui/value.tsx'
import { VisibleText } from '#ui/visible-text.tsx'

type CellProps = { readonly nodeKey: NodeKey }

type SelectCellProps = CellProps & {
  readonly selected: boolean
  readonly onToggle: (isRange: boolean) => void
}

export function SelectCell({ nodeKey, selected, onToggle }: SelectCellProps): ReactNode {
  const shown = useRow(nodeKey, nameOf)
  return (
    <CheckBox
      label={words.select.one(toVisibleText(shown?.name ?? shown?.id ?? words.ownNode))}
      hideLabel
      inRow
      checked={selected}
      onChange={(_checked, isRange) => onToggle(isRange)}
    />
  )
}

export const GlyphCell = memo(function GlyphCell({ nodeKey }: CellProps): ReactNode {
  useInView(nodeKey)
  const severity = useRow(nodeKey, severityOf)
  const serviceId = useRow(nodeKey, serviceIdOf)
  const mark = useAlarms((view) => serviceId && alarmMarkOf(view, nodeKey, serviceId))
  if (severity === undefined) return null
  const level = levelWords[severity]
  // What is well by now needs no mark: its alarm is about to end.
  if (mark === undefined || severity === 'ok') return <Glyph kind={glyphOf(severity)} label={level} />
  return (
    <Glyph
      kind={glyphOf(severity)}
      label={words.alarmMark[mark](level)}
      ring={mark === 'unack' ? 'unack' : 'acked'}
    />
  )
})

const serviceIdOf = ({ node: { serviceId } }: Row) => serviceId

const stageOf = ({ node }: Row, nowMs: number) => stageAt(node.assessment, nowMs)

const severityOf = (row: Row, nowMs: number) => stageOf(row, nowMs).severity

/** The worst check in words. */
export const ConditionCell = memo(function ConditionCell({ nodeKey }: CellProps): ReactNode {
  return useRow(nodeKey, worst)
})

function worst(row: Row, nowMs: number): string {
  const { node, metrics } = row
  const check = worstCheck(stageOf(row, nowMs))
  const condition = check && checkText(check, metrics, node.episode?.failure)
  const { disagreements = [] } = node
  if (disagreements.length === 0) return condition ?? words.within
  const disputed = metrics.filter(({ id }) => disagreements.some(({ metric }) => metric === id))
  // Their own alarms say no more.
  const isOwn = check?.reason === 'alarm' && disputed.some(({ id }) => id === check.id)
  return words.differs(disputed.map(nameOfMetric).join(', '), isOwn ? undefined : condition)
}

/** A real link, so that it can be opened in a tab; the row leads there too, so it is no tab stop of its own. */
export const NameCell = memo(function NameCell({ nodeKey }: CellProps): ReactNode {
  const shown = useRow(nodeKey, nameOf)
  if (shown === undefined) return null
  const { name, id, tags } = shown
  return (
    <span className="nm">
      <a
        href={hrefOf(nodePath(nodeKey))}
        tabIndex={-1}
        className="ink1 trunc"
        title={name === undefined ? id : toVisibleText(name)}
      >
        {name === undefined ? (id ?? words.ownNode) : <VisibleText text={name} />}
      </a>{' '}
      {name !== undefined && id !== undefined && <span className="mono t11 ink3">{id}</span>}
      {tagsIn(tags).map((tag) => (
        <Fragment key={tag}>
          {' '}
          <Tag tag={tag} href={hrefOf(tagPath(tag))} inRow />
        </Fragment>
      ))}
    </span>
  )
})

const tagsIn = (tags: string): readonly string[] => (tags === '' ? [] : tags.split(' '))

const nameOf = ({ node: { name, nodeId, tags } }: Row) => ({
  name,
  // What is compared to see a change has to be flat; a tag holds no space.
  tags: tags.join(' '),
  id: nodeId === undefined ? undefined : shortNodeId(nodeId),
})

/** A word of 64 characters would push every other cell away; the node's page has it whole. */
const WORD_CHARS = 24

/** One metric of a node: coloured where something is wrong with it, dimmed when it is old. */
export const MetricCell = memo(function MetricCell({
  nodeKey,
  metric,
}: CellProps & { readonly metric: Metric }): ReactNode {
  const view = useMemo(() => figureOf(metric), [metric])
  const shown = useRow(nodeKey, view)
  if (shown?.text === undefined) return <span className="ink3">{words.notKnown}</span>
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
    const { node, service } = row
    const value = valueNow(node, metric, nowMs)
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
  return text ?? <span className="ink3">{words.never}</span>
})

const readingAge = ({ node: { reading } }: Row, nowMs: number): string | undefined =>
  reading === undefined ? undefined : words.ago(formatAge(readingAgeMs(reading, nowMs)))

export const ServiceCell = memo(function ServiceCell({ nodeKey }: CellProps): ReactNode {
  const name = useRow(nodeKey, serviceLabel)
  return name === undefined ? null : <VisibleText text={name} />
})

const serviceLabel = ({ service: { service } }: Row): string => service.label ?? serviceName(service.baseUrl)

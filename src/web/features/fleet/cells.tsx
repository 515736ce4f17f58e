import { Fragment, memo, type ReactNode } from 'react'
import { shortNodeId } from '#record/node-id.ts'
import { readParticipation } from '#record/participation.ts'
import { serviceName } from '#record/service.ts'
import { effectiveSettings } from '#settings/effective-settings.ts'
import { checkOf, isCurrent, stageAt, worstCheck } from '#fleet/assessment.ts'
import { heartbeatAgeNow, readingAgeMs, type NodeKey } from '#fleet/live.ts'
import { alarmMarkOf } from '#parts/alarm-marks.ts'
import { glyphOf, valueLevel } from '#parts/severity.ts'
import { hrefOf, nodePath, tagPath } from '#react/routes.ts'
import { useAlarms } from '#react/use-alarms.ts'
import { useRow, type Row } from '#react/use-row.ts'
import { checkText, levelWords } from '#texts/en-checks.ts'
import { doubtOf } from '#texts/age-doubt.ts'
import { fleetTexts as words } from '#texts/en-fleet.ts'
import { formatAge, formatPercent } from '#texts/format.ts'
import { Glyph } from '#ui/glyph.tsx'
import type { Level } from '#ui/level.ts'
import { Tag } from '#ui/tag.tsx'
import { Value } from '#ui/value.tsx'
import { VisibleText } from '#ui/visible-text.tsx'

type CellProps = { readonly nodeKey: NodeKey }

export const GlyphCell = memo(function GlyphCell({ nodeKey }: CellProps): ReactNode {
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
  return check === undefined ? words.within : checkText(check, metrics, node.episode?.failure)
}

/** A real link, so that it can be opened in a tab; the row leads there too, so it is no tab stop of its own. */
export const NameCell = memo(function NameCell({ nodeKey }: CellProps): ReactNode {
  const shown = useRow(nodeKey, nameOf)
  if (shown === undefined) return null
  const { name, id, tags } = shown
  return (
    <>
      <a href={hrefOf(nodePath(nodeKey))} tabIndex={-1} className="ink1">
        {name === undefined ? (id ?? words.ownNode) : <VisibleText text={name} />}
      </a>{' '}
      {name !== undefined && id !== undefined && <span className="mono t11 ink3">{id}</span>}
      {tagsIn(tags).map((tag) => (
        <Fragment key={tag}>
          {' '}
          <Tag tag={tag} href={hrefOf(tagPath(tag))} inRow />
        </Fragment>
      ))}
    </>
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
const STATUS_CHARS = 24

export const StatusCell = memo(function StatusCell({ nodeKey }: CellProps): ReactNode {
  const shown = useRow(nodeKey, statusOf)
  if (shown?.text === undefined) return NOT_KNOWN
  return (
    <Value level={shown.level} old={shown.old}>
      <VisibleText text={shown.text} charsMax={STATUS_CHARS} />
    </Value>
  )
})

type Figure = { readonly text: string | undefined; readonly level: Level | undefined; readonly old: boolean }

const UNKNOWN: Figure = { text: undefined, level: undefined, old: false }

function figureOf(row: Row, nowMs: number, metric: string, text: string | undefined): Figure {
  const stage = stageOf(row, nowMs)
  return text === undefined
    ? UNKNOWN
    : { text, level: valueLevel(checkOf(stage.checks, metric)), old: !isCurrent(stage.link) }
}

function statusOf(row: Row, nowMs: number): Figure {
  const status = row.node.reading?.record.status
  return figureOf(row, nowMs, 'status', status?.ok === true ? status.value : undefined)
}

export const HeartbeatCell = memo(function HeartbeatCell({ nodeKey }: CellProps): ReactNode {
  return <FigureValue shown={useRow(nodeKey, heartbeatOf)} />
})

function heartbeatOf(row: Row, nowMs: number): Figure {
  const { reading } = row.node
  const ageMs = reading === undefined ? undefined : heartbeatAgeNow(reading, nowMs)
  const text = ageMs === undefined ? undefined : words.age(formatAge(ageMs), doubtOf(reading?.heartbeat))
  return figureOf(row, nowMs, 'heartbeat', text)
}

export const ParticipationCell = memo(function ParticipationCell({ nodeKey }: CellProps): ReactNode {
  return <FigureValue shown={useRow(nodeKey, participationOf)} />
})

function participationOf(row: Row, nowMs: number): Figure {
  const { node, service } = row
  const field = node.reading?.record.participation
  const { participation } = effectiveSettings(service.rules, node)
  const read = field?.ok === true ? readParticipation(field.value, participation.value) : undefined
  return figureOf(row, nowMs, 'participation', read && formatPercent(read.ratio))
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

const NOT_KNOWN = <span className="ink3">{words.notKnown}</span>

const FigureValue = ({ shown }: { readonly shown: Figure | undefined }): ReactNode =>
  shown?.text === undefined ? (
    NOT_KNOWN
  ) : (
    <Value level={shown.level} old={shown.old}>
      {shown.text}
    </Value>
  )

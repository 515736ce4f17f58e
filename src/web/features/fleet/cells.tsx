import type { ReactNode } from 'react'
import { shortNodeId } from '#protocol/node-id.ts'
import { readParticipation } from '#protocol/participation.ts'
import { serviceName } from '#protocol/service.ts'
import { DEFAULTS } from '#protocol/defaults.ts'
import { conditionOf, isKnownStatus, type Check } from '#monitor/condition.ts'
import { heartbeatAgeNow, isCurrent, linkOf, readingAgeMs } from '#monitor/link.ts'
import type { NodeKey, NodeLive, ServiceLive } from '#monitor/live.ts'
import { hrefOf, nodePath } from '#react/routes.ts'
import { useFleet, useNode } from '#react/use-fleet.ts'
import { useNow } from '#react/use-now.ts'
import { checkText, levelWords } from '#texts/en-checks.ts'
import { fleetTexts as words } from '#texts/en-fleet.ts'
import { formatAge, formatPercent } from '#texts/format.ts'
import { Glyph } from '#ui/glyph.tsx'
import type { Level } from '#ui/level.ts'
import { Value } from '#ui/value.tsx'
import { VisibleText } from '#ui/visible-text.tsx'
import { glyphOf, loudestCheck } from './loudest-check.ts'

type CellProps = { readonly nodeKey: NodeKey }

/** A node and its service, or nothing when it was removed while the row was still there. */
function useRow(key: NodeKey): { readonly node: NodeLive; readonly service: ServiceLive } | undefined {
  const node = useNode(key)
  const service = useFleet((fleet) => (node === undefined ? undefined : fleet.services.get(node.serviceId)))
  return node === undefined || service === undefined ? undefined : { node, service }
}

export function GlyphCell({ nodeKey }: CellProps): ReactNode {
  const row = useRow(nodeKey)
  const nowMs = useNow()
  if (row === undefined) return null
  const { severity } = conditionOf(row.node, nowMs, row.service)
  return <Glyph kind={glyphOf(severity)} label={levelWords[severity]} />
}

/** The loudest check in words. */
export function ConditionCell({ nodeKey }: CellProps): ReactNode {
  const row = useRow(nodeKey)
  const nowMs = useNow()
  if (row === undefined) return null
  const { checks } = conditionOf(row.node, nowMs, row.service)
  const check: Check | undefined = loudestCheck(checks)
  return check === undefined ? words.within : checkText(check, row.node.episode?.failure)
}

/** A real link, so that it can be opened in a tab; the row leads there too, so it is no tab stop of its own. */
export function NameCell({ nodeKey }: CellProps): ReactNode {
  const node = useNode(nodeKey)
  if (node === undefined) return null
  const id = node.nodeId
  return (
    <>
      <a href={hrefOf(nodePath(nodeKey))} tabIndex={-1} className="ink1">
        {node.name === undefined ? (
          id === undefined ? (
            words.ownNode
          ) : (
            shortNodeId(id)
          )
        ) : (
          <VisibleText text={node.name} />
        )}
      </a>{' '}
      {node.name !== undefined && id !== undefined && (
        <span className="mono t11 ink3">{shortNodeId(id)}</span>
      )}
    </>
  )
}

export function StatusCell({ nodeKey }: CellProps): ReactNode {
  const row = useRow(nodeKey)
  const nowMs = useNow()
  const status = row?.node.reading?.record.status
  if (row === undefined || status === undefined || !status.ok)
    return <span className="ink3">{words.notKnown}</span>
  const old = isOld(row, nowMs)
  const level: Level | undefined = old || isKnownStatus(status.value) ? undefined : 'notice'
  return (
    <Value level={level} old={old}>
      <VisibleText text={status.value} charsMax={STATUS_CHARS} />
    </Value>
  )
}

/** A word of 64 characters would push every other cell away; the node's page has it whole. */
const STATUS_CHARS = 24

export function HeartbeatCell({ nodeKey }: CellProps): ReactNode {
  const row = useRow(nodeKey)
  const nowMs = useNow()
  const reading = row?.node.reading
  const ageMs = reading === undefined ? undefined : heartbeatAgeNow(reading, nowMs)
  if (row === undefined || ageMs === undefined) return <span className="ink3">{words.notKnown}</span>
  const old = isOld(row, nowMs)
  const level = old ? undefined : heartbeatLevel(ageMs, row.service.service.heartbeatPeriodMs)
  return (
    <Value level={level} old={old}>
      {formatAge(ageMs)}
    </Value>
  )
}

function heartbeatLevel(ageMs: number, periodMs: number): Level | undefined {
  if (ageMs > periodMs * DEFAULTS.heartbeatCriticalPeriods) return 'critical'
  return ageMs > periodMs * DEFAULTS.heartbeatWarningPeriods ? 'warning' : undefined
}

export function ParticipationCell({ nodeKey }: CellProps): ReactNode {
  const row = useRow(nodeKey)
  const nowMs = useNow()
  const field = row?.node.reading?.record.participation
  const read =
    row !== undefined && field?.ok === true
      ? readParticipation(field.value, row.service.service.participationUnit)
      : undefined
  if (row === undefined || read === undefined) return <span className="ink3">{words.notKnown}</span>
  return <Value old={isOld(row, nowMs)}>{formatPercent(read.ratio)}</Value>
}

export function ReadingCell({ nodeKey }: CellProps): ReactNode {
  const node = useNode(nodeKey)
  const nowMs = useNow()
  if (node?.reading === undefined) return <span className="ink3">{words.never}</span>
  return words.ago(formatAge(readingAgeMs(node.reading, nowMs)))
}

export function ServiceCell({ nodeKey }: CellProps): ReactNode {
  const row = useRow(nodeKey)
  if (row === undefined) return null
  const { label, baseUrl } = row.service.service
  return <VisibleText text={label ?? serviceName(baseUrl)} />
}

function isOld(
  { node, service }: { readonly node: NodeLive; readonly service: ServiceLive },
  nowMs: number,
): boolean {
  return !isCurrent(linkOf(node, nowMs, service.service))
}

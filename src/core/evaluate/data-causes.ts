import { groupBy } from '#base/group-by.ts'
import type { Severity } from '#protocol/failure.ts'
import type { Metric, MetricRegistry } from '#metrics/metric.ts'
import { badFields, fieldOf } from '#metrics/answer.ts'
import { orUndefined } from '#base/result.ts'
import { NO_POLLS, type Cause, type Evidence } from '#fleet/cause.ts'
import { isFarApart } from '#record/clock-offset.ts'
import { checkOf, isCurrent, stageAt } from '#fleet/assessment.ts'
import type { AssessedNode, NodeLive, Reading, ServiceLive } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import { CONDITIONS } from './conditions.ts'

/** An anomaly in one reading. Nodes of a service with the same `group` are reported together. */
type Finding = {
  readonly code: keyof typeof CONDITIONS
  /** Absent: the severity in `CONDITIONS`. */
  readonly severity?: Severity
  readonly group: string
  readonly evidence: Evidence
  readonly sinceWallMs?: number | undefined
}

/** Causes for good but odd answers in current readings, and for answers that a cache stored for too long. */
export function dataCauses(
  snapshot: FleetSnapshot,
  nodes: ReadonlyMap<string, readonly AssessedNode[]>,
  nowMs: number,
  registry: MetricRegistry,
): readonly Cause[] {
  const wallMs = snapshot.wallMs + nowMs - snapshot.nowMs
  return Array.from(snapshot.services.values()).flatMap((service) => {
    const found = (nodes.get(service.id) ?? []).flatMap((node) =>
      findings(node, service, nowMs, wallMs, registry).map((finding) => ({ node, finding })),
    )
    const groups = groupBy(found, ({ finding }) => finding.group)
    return Array.from(groups.values(), (group) => causeOf(service, group))
  })
}

function findings(
  node: AssessedNode,
  { heartbeatOffset }: ServiceLive,
  nowMs: number,
  wallMs: number,
  registry: MetricRegistry,
): readonly Finding[] {
  const { reading } = node
  if (reading === undefined) return []
  const { link, checks } = stageAt(node.assessment, nowMs)
  // A cache that keeps answers for too long explains why there is no current one.
  if (!isCurrent(link)) return node.episode === undefined ? cachedFindings(reading, 'warning') : []
  const { record } = reading
  const found: Finding[] = []
  const fields = badFields(record, registry)
  if (fields.length > 0) {
    const group = `field ${fields.map(({ field, problem }) => `${field}:${problem}`).join(' ')}`
    found.push({ code: 'data/field', group, evidence: { kind: 'bad-fields', fields } })
  }
  if (record.odd !== undefined) {
    const group = `odd ${record.odd.ambiguous.join(' ')}`
    found.push({ code: 'data/record-odd', group, evidence: { kind: 'odd-record', ...record.odd } })
  }
  found.push(...proofFindings(reading, registry))
  // A known large clock offset has a cause of its own.
  const isToldApart = heartbeatOffset !== undefined && isFarApart(heartbeatOffset)
  for (const metric of registry) {
    const reason = checkOf(checks, metric.id)?.reason
    const finding =
      reason === 'unknown-word' || reason === 'out-of-unit'
        ? ofValue(metric, reason, node, reading)
        : (ofAge(metric, reading, isToldApart) ?? ofCounter(metric, node, wallMs))
    if (finding !== undefined) found.push(finding)
  }
  return [...found, ...cachedFindings(reading, 'info')]
}

function cachedFindings({ cachedForS: forS = 0 }: Reading, severity: 'info' | 'warning'): readonly Finding[] {
  if (forS === 0) return []
  const group = severity === 'info' ? 'cached' : 'cached for too long'
  return [{ code: 'data/cached', severity, group, evidence: { kind: 'cached', forS } }]
}

/** A value that cannot be evaluated: the status has no meaning set, or the number is out of its unit's range. */
function ofValue(
  metric: Metric,
  reason: 'unknown-word' | 'out-of-unit',
  node: NodeLive,
  reading: Reading,
): Finding | undefined {
  const text = textOf(metric, reading)
  if (text === undefined) return undefined
  if (reason === 'out-of-unit') {
    const evidence = { kind: 'out-of-unit', metric: nameOf(metric), text } as const
    return { code: 'data/unit', group: `unit ${metric.id}`, evidence }
  }
  const evidence = { kind: 'unknown-status', metric: nameOf(metric), status: text } as const
  const sinceWallMs = node.since[metric.id]?.sinceWallMs
  return { code: 'data/status', group: `${metric.id} ${text}`, evidence, sinceWallMs }
}

function textOf(metric: Metric, reading: Reading): string | undefined {
  if (metric.kind === 'state') return orUndefined(fieldOf(metric, reading))
  return metric.kind === 'gauge' ? orUndefined(fieldOf(metric, reading))?.text : undefined
}

const nameOf = ({ heading, check }: Metric): string => check?.heading ?? heading

function ofAge(metric: Metric, { ages }: Reading, isToldApart: boolean): Finding | undefined {
  const age = ages[metric.id]
  if (age?.kind !== 'unknown' || (age.unchecked === true && isToldApart)) return undefined
  const { aheadMs, unchecked } = age
  const evidence = {
    kind: 'timestamp-ahead',
    metric: nameOf(metric),
    aheadMs,
    ...(unchecked && { unchecked }),
  } as const
  return { code: 'data/clock', group: `ahead ${metric.id}`, evidence }
}

function ofCounter(metric: Metric, { counters }: NodeLive, wallMs: number): Finding | undefined {
  const { lastRestartWallMs: sinceWallMs, restarts = 0 } = counters[metric.id] ?? {}
  if (sinceWallMs === undefined || wallMs - sinceWallMs >= CONDITIONS['data/counter'].reportedForMs)
    return undefined
  const evidence = { kind: 'counter-restarted', metric: nameOf(metric), restarts } as const
  return { code: 'data/counter', group: `counter ${metric.id}`, evidence, sinceWallMs }
}

/** A proof that could not be checked because of a bad field is reported with the field. */
function proofFindings({ record, proof: verdict }: Reading, registry: MetricRegistry): readonly Finding[] {
  if (verdict === undefined || verdict.kind === 'verified') return []
  const isWrong = verdict.kind === 'wrong'
  if (!isWrong && (verdict.reason === 'busy' || badFields(record, registry).length > 0)) return []
  const group = `proof ${verdict.reason} ${isWrong ? '' : (verdict.at ?? '')}`
  const evidence = { kind: 'proof', verdict } as const
  return [{ code: 'data/proof', ...(!isWrong && { severity: 'warning' as const }), group, evidence }]
}

type Found = { readonly node: NodeLive; readonly finding: Finding }

function causeOf(service: ServiceLive, group: readonly [Found, ...Found[]]): Cause {
  const [{ node: first, finding }] = group
  const { code, severity = CONDITIONS[code].severity, sinceWallMs, evidence } = finding
  const shown = JSON.stringify(evidence)
  const areAlike = group.every((one) => JSON.stringify(one.finding.evidence) === shown)
  return {
    id: `${code}@${service.id}/${finding.group}`,
    code,
    severity,
    scope: 'node',
    serviceId: service.id,
    nodes: group.map(({ node }) => node.key),
    ...NO_POLLS,
    sinceWallMs,
    evidence,
    seenAt: areAlike ? undefined : first.key,
  }
}

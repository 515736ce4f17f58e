import type { Severity } from '#protocol/failure.ts'
import { badFields } from '#metrics/status-record.ts'
import type { Cause, Evidence } from './cause.ts'
import { isFarApart } from './clock-causes.ts'
import { isCurrent, stageAt, type CheckReason, type Stage } from '#fleet/assessment.ts'
import type { AssessedNode, FleetSnapshot, NodeLive, Reading, ServiceLive } from '#fleet/live.ts'

/** How long a restart of a counter is reported. */
const RESTART_TOLD_MS = 600_000

/** Something odd in one reading. Nodes of a service with the same `group` are reported together. */
type Finding = {
  readonly code: string
  readonly severity: Severity
  readonly group: string
  readonly evidence: Evidence
  readonly sinceWallMs?: number | undefined
}

/** Answers that are good but odd. Only of nodes whose reading still holds. */
export function dataCauses(
  snapshot: FleetSnapshot,
  nodes: ReadonlyMap<string, readonly AssessedNode[]>,
  nowMs: number,
): readonly Cause[] {
  const wallMs = snapshot.wallMs + nowMs - snapshot.nowMs
  return Array.from(snapshot.services.values()).flatMap((service) => {
    const causes = new Map<string, { finding: Finding; nodes: NodeLive[]; differs: boolean }>()
    for (const node of nodes.get(service.id) ?? []) {
      const stage = stageAt(node.assessment, nowMs)
      if (node.reading === undefined || !isCurrent(stage.link)) continue
      for (const finding of findings(node, node.reading, stage, wallMs, service)) {
        const group = causes.get(finding.group) ?? { finding, nodes: [], differs: false }
        causes.set(finding.group, group)
        group.nodes.push(node)
        group.differs ||= JSON.stringify(finding.evidence) !== JSON.stringify(group.finding.evidence)
      }
    }
    return Array.from(causes.values(), (cause) => causeOf(service, cause.finding, cause.nodes, cause.differs))
  })
}

function findings(
  node: NodeLive,
  reading: Reading,
  { checks }: Stage,
  wallMs: number,
  { heartbeatOffset }: ServiceLive,
): readonly Finding[] {
  const { record, heartbeat, cachedForS } = reading
  const has = (reason: CheckReason): boolean => checks.some((check) => check.reason === reason)
  const found: Finding[] = []
  const fields = badFields(record)
  if (fields.length > 0) {
    const group = fields.map(({ field, problem }) => `${field}:${problem}`).join(' ')
    found.push({
      code: 'data/field',
      severity: 'warning',
      group: `field ${group}`,
      evidence: { kind: 'bad-fields', fields },
    })
  }
  found.push(...proofFindings(reading))
  if (record.status.ok && has('unknown-word')) {
    const status = record.status.value
    const evidence = { kind: 'unknown-status', status } as const
    const sinceWallMs = node.since['status']?.sinceWallMs
    found.push({ code: 'data/status', severity: 'info', group: `status ${status}`, evidence, sinceWallMs })
  }
  if (record.participation.ok && has('out-of-unit')) {
    const evidence = { kind: 'out-of-unit', text: record.participation.value.text } as const
    found.push({ code: 'data/unit', severity: 'info', group: 'unit', evidence })
  }
  // Clocks that are known to be far apart are told by themselves.
  const isToldApart = heartbeatOffset !== undefined && isFarApart(heartbeatOffset)
  if (heartbeat?.kind === 'unknown' && !(heartbeat.unchecked === true && isToldApart)) {
    const { aheadMs, unchecked } = heartbeat
    const evidence = { kind: 'heartbeat-ahead', aheadMs, ...(unchecked && { unchecked }) } as const
    found.push({ code: 'data/clock', severity: 'warning', group: 'ahead', evidence })
  }
  const restartsMs = Object.values(node.counters).flatMap((track) => track?.lastRestartWallMs ?? [])
  const lastRestartWallMs = restartsMs.length === 0 ? undefined : Math.max(...restartsMs)
  if (lastRestartWallMs !== undefined && wallMs - lastRestartWallMs < RESTART_TOLD_MS) {
    const evidence = { kind: 'counter-restarted' } as const
    found.push({
      code: 'data/counter',
      severity: 'info',
      group: 'counter',
      evidence,
      sinceWallMs: lastRestartWallMs,
    })
  }
  if ((cachedForS ?? 0) > 0) {
    const evidence = { kind: 'cached', forS: cachedForS ?? 0 } as const
    found.push({ code: 'data/cached', severity: 'info', group: 'cached', evidence })
  }
  return found
}

/** A proof that could not be checked because a field is bad is reported with the field. */
function proofFindings({ record, proof: verdict }: Reading): readonly Finding[] {
  if (verdict === undefined || verdict.kind === 'verified') return []
  const isWrong = verdict.kind === 'wrong'
  if (!isWrong && (verdict.reason === 'busy' || badFields(record).length > 0)) return []
  const group = `proof ${verdict.reason} ${isWrong ? '' : (verdict.at ?? '')}`
  const evidence = { kind: 'proof', verdict } as const
  return [{ code: 'data/proof', severity: isWrong ? 'critical' : 'warning', group, evidence }]
}

function causeOf(
  service: ServiceLive,
  finding: Finding,
  nodes: readonly NodeLive[],
  /** The evidence is the first node's only. */
  differs: boolean,
): Cause {
  return {
    id: `${finding.code}@${service.id}/${finding.group}`,
    code: finding.code,
    severity: finding.severity,
    scope: 'node',
    serviceId: service.id,
    nodes: nodes.map(({ key }) => key),
    sinceMs: undefined,
    sinceWallMs: finding.sinceWallMs,
    misses: 0,
    nextPollMs: undefined,
    evidence: finding.evidence,
    seenAt: differs ? nodes[0]?.key : undefined,
  }
}

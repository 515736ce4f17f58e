import { NO_SERVICE_RULES, type ServiceRules, type ScopedRule } from '#settings/effective-settings.ts'
import { scopedRule, type SetRule } from '#settings/effective.ts'
import { serviceIdOf } from '#record/service.ts'
import { nodeKeyOf, type NodeKey } from '#fleet/live.ts'
import type { Changes } from './changes.ts'
import type { TrackedNode } from './tracked.ts'
import type { StatusRecord } from '#metrics/status-record.ts'

/** The rules that concern every node of a service: its own, and those of tags. */
export function rulesForService(rules: readonly SetRule[], baseUrl: string): Omit<ServiceRules, 'detected'> {
  const service = rules.filter((rule) => rule.for === 'service' && rule.service === baseUrl).map(scopedRule)
  const tags = rules.filter((rule) => rule.for === 'tag').map(scopedRule)
  return { ...NO_SERVICE_RULES, service, tags }
}

/** The rules of single nodes, by node. */
export function rulesForNodes(rules: readonly SetRule[]): ReadonlyMap<NodeKey, readonly ScopedRule[]> {
  const byNode = new Map<NodeKey, ScopedRule[]>()
  for (const rule of rules) {
    if (rule.for !== 'node') continue
    const key = nodeKeyOf(serviceIdOf(rule.service), rule.node)
    byNode.set(key, [...(byNode.get(key) ?? []), scopedRule(rule)])
  }
  return byNode
}

/** Steps between readings that lie further apart than this say little of the period. */
const STEP_INTERVALS_MAX = 3

/** Learns from one more good answer what the service's interface leaves open. `node` still holds the reading before. */
export function learn(
  changes: Pick<Changes, 'services'>,
  { service, live }: TrackedNode,
  startedMs: number,
  record: StatusRecord,
): void {
  const before = live.reading
  const isNear =
    before !== undefined &&
    startedMs - before.startedMs <= STEP_INTERVALS_MAX * service.service.pollIntervalMs
  const stepMs =
    isNear && before.record.heartbeat.ok && record.heartbeat.ok
      ? record.heartbeat.value.atMs - before.record.heartbeat.value.atMs
      : undefined
  service.detector.learn(record, stepMs)
  const detected = service.detector.detected()
  if (detected === service.rules.detected) return
  service.rules = { ...service.rules, detected }
  changes.services()
}

import type { TimestampUnit } from '#record/field.ts'
import { useMemo } from 'react'
import { effectiveSettings, type EffectiveSettings, type RuleScope } from '#settings/effective.ts'
import { serviceIdOf } from '#record/service.ts'
import { nodeKeyOf, type NodeLive } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import { useFleet } from '#react/use-fleet.ts'

/** Limits the listed words and fields, because a hostile service may invent new ones in every answer. */
const SEEN_MAX = 16

export function useInForce(scope: RuleScope) {
  const fleet = useFleet((snapshot) => snapshot)
  return useMemo(() => {
    const nodes = nodesOf(fleet, scope)
    const records = nodes.flatMap(({ reading }) => (reading === undefined ? [] : [reading.record]))
    return {
      /** Undefined for a tag whose nodes belong to several services. */
      settings: settingsFor(fleet, scope),
      /** Undefined until a heartbeat is received. */
      heartbeatUnit: detectedUnit(fleet, scope),
      // State words and extra fields in the last records of the scope's nodes.
      statuses: first(records.flatMap(({ status }) => (status.ok ? [status.value] : []))),
      extraFields: first(records.flatMap((record) => record.unknownFields)),
    }
  }, [fleet, scope])
}

const first = (texts: readonly string[]): readonly string[] => Array.from(new Set(texts)).slice(0, SEEN_MAX)

function nodesOf({ nodes }: FleetSnapshot, scope: RuleScope): readonly NodeLive[] {
  const all = Array.from(nodes.values())
  if (scope.for === 'tag') return all.filter(({ tags }) => tags.includes(scope.tag))
  const serviceId = serviceIdOf(scope.service)
  if (scope.for === 'service') return all.filter((node) => node.serviceId === serviceId)
  const node = nodes.get(nodeKeyOf(serviceId, scope.node))
  return node === undefined ? [] : [node]
}

const detectedUnit = ({ services }: FleetSnapshot, scope: RuleScope): TimestampUnit | undefined =>
  scope.for === 'tag' ? undefined : services.get(serviceIdOf(scope.service))?.rules.detected.heartbeat?.unit

function settingsFor(fleet: FleetSnapshot, scope: RuleScope): EffectiveSettings | undefined {
  const { nodes, services } = fleet
  if (scope.for === 'tag') {
    const [serviceId, ...others] = new Set(nodesOf(fleet, scope).map((node) => node.serviceId))
    const rules = serviceId === undefined || others.length > 0 ? undefined : services.get(serviceId)?.rules
    return rules && effectiveSettings(rules, { tags: [scope.tag], rules: [] })
  }
  const id = serviceIdOf(scope.service)
  const rules = services.get(id)?.rules
  if (rules === undefined) return undefined
  if (scope.for === 'service') return effectiveSettings(rules, { tags: [], rules: [] })
  return effectiveSettings(rules, nodes.get(nodeKeyOf(id, scope.node)) ?? { tags: [], rules: [] })
}

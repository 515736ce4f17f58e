import type { Cause } from '#evaluate/causes.ts'
import type { FleetSnapshot, NodeKey } from '#fleet/live.ts'

/** The causes that concern what is on screen: a node's page shows its own, its service's and the screen's. */
export const causesInView = (
  causes: readonly Cause[],
  fleet: FleetSnapshot,
  key: NodeKey | undefined,
): readonly Cause[] => {
  const node = key === undefined ? undefined : fleet.nodes.get(key)
  if (node === undefined) return causes
  return causes.filter(
    (cause) =>
      cause.scope === 'screen' ||
      cause.nodes.includes(node.key) ||
      (cause.scope === 'service' && cause.serviceId === node.serviceId),
  )
}

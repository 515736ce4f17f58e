import { shortNodeId } from '#record/node-id.ts'
import { baseUrlOf } from '#record/service.ts'
import { serviceName } from '#record/service-name.ts'
import { nodeKeyFromText } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'

/** How a node is called; undefined for the key's own node. One that is no longer watched is told by its key. */
export function nodeNameIn({ nodes }: Pick<FleetSnapshot, 'nodes'>, key: string): string | undefined {
  const node = nodes.get(nodeKeyFromText(key))
  const id = node === undefined ? idIn(key) : node.nodeId
  return node?.name ?? (id === undefined ? undefined : shortNodeId(id))
}

/** A key is the service's id, "!", and the node's id. */
const idIn = (key: string): string | undefined => {
  const id = key.slice(key.indexOf('!') + 1)
  return id === 'own' ? undefined : id
}

export function serviceNameIn({ services }: Pick<FleetSnapshot, 'services'>, id: string): string {
  const live = Array.from(services.values()).find((each) => each.id === id)
  return live?.service.label ?? serviceName(baseUrlOf(id) ?? id)
}

import { nodeKeyFromText } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import { shortNodeId } from '#record/node-id.ts'
import { serviceName } from '#record/service-name.ts'
import { baseUrlOf } from '#record/service.ts'

/** The node that a service reports for a request without an id. */
const DEFAULT_NODE = 'default node'

type Named = { readonly name?: string | undefined; readonly nodeId?: string | undefined }

export const idName = (nodeId: string | undefined): string =>
  nodeId === undefined ? DEFAULT_NODE : shortNodeId(nodeId)

export const nodeName = ({ name, nodeId }: Named): string => name ?? idName(nodeId)

/** A node that is no longer watched is named by its key: the service's id, "!", and the node's id. */
export function nodeNameIn({ nodes }: Pick<FleetSnapshot, 'nodes'>, key: string): string {
  const node = nodes.get(nodeKeyFromText(key))
  if (node !== undefined) return nodeName(node)
  const id = key.slice(key.indexOf('!') + 1)
  return idName(id === 'own' ? undefined : id)
}

type NamedService = { readonly label?: string | undefined; readonly baseUrl: string }

export const serviceLabel = ({ label, baseUrl }: NamedService): string => label ?? serviceName(baseUrl)

export function serviceNameIn({ services }: Pick<FleetSnapshot, 'services'>, id: string): string {
  const live = Array.from(services.values()).find((each) => each.id === id)
  return serviceLabel(live?.service ?? { baseUrl: baseUrlOf(id) ?? id })
}

type Entry = { readonly nodeKey?: string | undefined; readonly serviceId?: string | undefined }

/** The name of the node or the service that an entry of the journal is about; undefined if it is about neither. */
export function entryNameIn(
  fleet: Pick<FleetSnapshot, 'nodes' | 'services'>,
  { nodeKey, serviceId }: Entry,
): string | undefined {
  if (nodeKey !== undefined) return nodeNameIn(fleet, nodeKey)
  return serviceId === undefined ? undefined : serviceNameIn(fleet, serviceId)
}

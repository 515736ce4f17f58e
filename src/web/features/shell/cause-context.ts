import { failureCode } from '#protocol/failure.ts'
import { shortNodeId } from '#record/node-id.ts'
import { credentialOf } from '#signing/profile-needs.ts'
import { profileOf } from '#signing/presets.ts'
import type { Service } from '#settings/schema.ts'
import { toVisibleText } from '#base/visible-text.ts'
import { failureOf, type Cause } from '#fleet/cause.ts'
import type { NodeKey, NodeLive } from '#fleet/live.ts'
import { countedKeys, twinsIn, type FleetSnapshot } from '#fleet/snapshot.ts'
import type { CauseContext } from '#texts/en-causes.ts'
import type { Zone } from '#texts/format-time.ts'
import { serviceLabel } from '#texts/names.ts'

/** The service of a cause. A cause of this dashboard uses the service of its first affected node. */
export function serviceOf(cause: Cause, fleet: FleetSnapshot): Service | undefined {
  const [first] = cause.nodes
  const id = cause.serviceId ?? (first === undefined ? undefined : fleet.nodes.get(first)?.serviceId)
  return id === undefined ? undefined : fleet.services.get(id)?.service
}

/** On a node's page, the message shows that node's own failure, unless the nodes fail in several ways. */
export function causeAt(cause: Cause, fleet: FleetSnapshot, key: NodeKey | undefined): Cause {
  const { evidence } = cause
  if (cause.seenAt === undefined || key === undefined || evidence.kind !== 'failure') return cause
  if (evidence.mixed === true || evidence.alternates === true) return cause
  const node = cause.nodes.includes(key) ? fleet.nodes.get(key) : undefined
  const failure = node && failureOf(node, fleet.causes)
  if (failure === undefined) return cause
  return {
    ...cause,
    code: failureCode(failure),
    evidence: { kind: 'failure', failure, ...(evidence.siblings && { siblings: evidence.siblings }) },
    seenAt: undefined,
  }
}

export const nodeName = (node: NodeLive): string | undefined =>
  node.name === undefined
    ? node.nodeId === undefined
      ? undefined
      : shortNodeId(node.nodeId)
    : toVisibleText(node.name)

export function contextOf(cause: Cause, fleet: FleetSnapshot, pageOrigin: string, zone: Zone): CauseContext {
  const service = serviceOf(cause, fleet)
  const nodes = countedKeys(cause.nodes, twinsIn(fleet))
  const [first] = nodes
  const siblings = cause.evidence.kind === 'failure' ? cause.evidence.siblings : undefined
  const node = first === undefined || nodes.length > 1 ? undefined : fleet.nodes.get(first)
  const profile = service === undefined ? undefined : profileOf(service)
  return {
    service: service === undefined ? NO_SERVICE : toVisibleText(serviceLabel(service)),
    baseUrl: service?.baseUrl ?? '',
    via: service?.via ?? 'proxy',
    pageOrigin,
    headerNames: Object.keys(profile?.headers ?? {}),
    credential: service === undefined ? 'key' : credentialOf(service),
    node: node === undefined ? undefined : nodeName(node),
    ...(node !== undefined && node.nodeId === undefined && { isDefaultNode: true }),
    ...(cause.scope === 'node' && siblings !== 'same' && { onlyNodes: nodes.length }),
    ...(siblings !== undefined && { siblings }),
    misses: cause.misses,
    zone,
  }
}

/** Only the dashboard's own causes have no service, and their texts do not name one. */
const NO_SERVICE = 'the service'

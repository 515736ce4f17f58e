import { shortNodeId } from '#protocol/node-id.ts'
import { serviceName } from '#protocol/service.ts'
import { profileOf, type Service } from '#protocol/settings.ts'
import { toVisibleText } from '#base/visible-text.ts'
import type { Cause } from '#monitor/causes.ts'
import type { FleetSnapshot, NodeKey, NodeLive } from '#monitor/live.ts'
import type { CauseContext } from '#texts/en-causes.ts'
import type { Zone } from '#texts/format-time.ts'

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

/** The service that a message is about; for the screen's own, that of the first node it concerns. */
export function serviceOf(cause: Cause, fleet: FleetSnapshot): Service | undefined {
  const [first] = cause.nodes
  const id = cause.serviceId ?? (first === undefined ? undefined : fleet.nodes.get(first)?.serviceId)
  return id === undefined ? undefined : fleet.services.get(id)?.service
}

export const nodeName = (node: NodeLive): string | undefined =>
  node.name === undefined
    ? node.nodeId === undefined
      ? undefined
      : shortNodeId(node.nodeId)
    : toVisibleText(node.name)

/** What the words of a message may name. */
export function contextOf(cause: Cause, fleet: FleetSnapshot, pageOrigin: string, zone: Zone): CauseContext {
  const service = serviceOf(cause, fleet)
  const [first] = cause.nodes
  const node = first === undefined || cause.nodes.length > 1 ? undefined : fleet.nodes.get(first)
  const profile = service === undefined ? undefined : profileOf(service)
  return {
    service:
      service === undefined ? NO_SERVICE : toVisibleText(service.label ?? serviceName(service.baseUrl)),
    baseUrl: service?.baseUrl ?? '',
    via: service?.via ?? 'proxy',
    pageOrigin,
    headerNames: Object.keys(profile?.headers ?? {}),
    node: node === undefined ? undefined : nodeName(node),
    zone,
  }
}

/** Only causes of the screen have no service, and their words do not name one. */
const NO_SERVICE = 'the service'

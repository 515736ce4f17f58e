import { readParticipation } from '#record/participation.ts'
import { effectiveSettings } from '#settings/effective-settings.ts'
import { isCurrentAt, type NodeSeverity } from '#fleet/assessment.ts'
import { heartbeatAgeNow, type FleetSnapshot, type NodeKey, type NodeLive } from '#fleet/live.ts'
import { levelOf } from '#parts/severity.ts'
import type { MosaicGroup } from '#ui/mosaic.tsx'

export type FleetFigures = {
  /** Of the nodes whose last answer still holds; undefined where there is none. */
  readonly oldestHeartbeatMs: number | undefined
  /** The mean of what is known now, 0 to 1; not weighted by stake, whose unit is the service's own. */
  readonly participation: number | undefined
  /** Nodes whose last answer still holds. */
  readonly answered: number
}

/** What is said of all nodes in three numbers. */
export function figuresOfFleet(fleet: FleetSnapshot, nowMs: number): FleetFigures {
  let oldestHeartbeatMs: number | undefined
  let sum = 0
  let known = 0
  let answered = 0
  for (const node of fleet.nodes.values()) {
    const service = fleet.services.get(node.serviceId)
    const { reading } = node
    if (service === undefined || reading === undefined || !isCurrentAt(node, nowMs)) continue
    answered++
    const ageMs = heartbeatAgeNow(reading, nowMs)
    if (ageMs !== undefined) oldestHeartbeatMs = Math.max(oldestHeartbeatMs ?? 0, ageMs)
    const { participation } = reading.record
    const read = participation.ok
      ? readParticipation(participation.value, effectiveSettings(service.rules, node).participation.value)
      : undefined
    if (read === undefined) continue
    sum += read.ratio
    known++
  }
  return { oldestHeartbeatMs, participation: known === 0 ? undefined : sum / known, answered }
}

/** Counts again when so much time has gone by, or when nodes came or went. */
export function countedEvery(everyMs: number): (fleet: FleetSnapshot, nowMs: number) => FleetFigures {
  let last: { readonly atMs: number; readonly nodes: number; readonly figures: FleetFigures } | undefined
  return (fleet, nowMs) => {
    if (last === undefined || last.nodes !== fleet.nodes.size || nowMs - last.atMs >= everyMs)
      last = { atMs: nowMs, nodes: fleet.nodes.size, figures: figuresOfFleet(fleet, nowMs) }
    return last.figures
  }
}

/** Remembers the places until a node comes, goes, or gets another name or tag. */
export function createPlaces(): (nodes: ReadonlyMap<NodeKey, NodeLive>) => readonly (readonly NodeKey[])[] {
  let signature: string | undefined
  let places: readonly (readonly NodeKey[])[] = []
  return (nodes) => {
    const now = Array.from(nodes.values(), ({ key, name, tags }) => [key, name, tags[0]].join(' ')).join('\n')
    if (now !== signature) places = placesOf(nodes)
    signature = now
    return places
  }
}

/** More groups than this are no longer seen as groups. */
const GROUPS_MAX = 12

const byName = new Intl.Collator('en', { numeric: true })

/** Every node in a place of its own: by its first tag, then by name. The places stay while the nodes do. */
export function placesOf(nodes: ReadonlyMap<NodeKey, NodeLive>): readonly (readonly NodeKey[])[] {
  const groups = new Map<string, NodeLive[]>()
  for (const node of nodes.values()) {
    const tag = node.tags[0] ?? ''
    const group = groups.get(tag)
    if (group === undefined) groups.set(tag, [node])
    else group.push(node)
  }
  const ordered = Array.from(groups).toSorted(([a], [b]) => byName.compare(a, b))
  const lists = ordered.map(([, group]) => group)
  return (lists.length > GROUPS_MAX ? [lists.flat()] : lists).map((group) =>
    group.toSorted((a, b) => byName.compare(nameOf(a), nameOf(b))).map(({ key }) => key),
  )
}

const nameOf = ({ name, nodeId, key }: NodeLive): string => name ?? nodeId ?? key

export const cellsOf = (
  places: readonly (readonly NodeKey[])[],
  severities: ReadonlyMap<NodeKey, NodeSeverity>,
): readonly MosaicGroup[] =>
  places.map((group, place) => ({
    id: String(place),
    cells: group.map((key) => levelOf(severities.get(key) ?? 'no-data')),
  }))

import type { PollFailure } from '#protocol/failure.ts'
import { noteUnwatched } from './gaps.ts'
import { resume } from './hold.ts'
import type { FleetUpdate, Reading, ServiceLive } from '#fleet/live.ts'
import { plan, planAll, planAt, planOutOfTurn } from './plan.ts'
import { teach } from './service-rules.ts'
import { setLive, shortestIntervalMs, type Room } from './room.ts'
import { unwatchedAfterMs } from './time-watch.ts'
import type { LastSeen, TrackedNode, TrackedService } from './tracked.ts'

/** Nothing more is asked. What is known stays, gets older, and is replaced by what the other engine tells. */
export function startToFollow(room: Room, giveUpAll: () => void): void {
  room.turn.isLeading = false
  room.screen.heardBehindMs = 0
  giveUpAll()
  for (const node of room.nodes.values()) {
    room.due.delete(node)
    room.limiter.remove(node)
    node.service.waiting = waitsForRoute(node.service) ? node.service.waiting : undefined
  }
  room.publisher.screen()
}

/** Takes over what the engine that asks has told. Nodes that are not watched here are left out. */
export function takeHeard(room: Room, update: FleetUpdate, gridMs: number): void {
  room.turn.gridMs = gridMs
  for (const live of update.changed) {
    const node = room.nodes.get(live.key)
    if (node === undefined) continue
    if (live.reading !== undefined && live.reading.startedWallMs !== node.live.reading?.startedWallMs)
      teach(node, live.reading.startedMs, live.reading.record)
    node.seen = seenIn(live.reading, node.seen)
    node.sampledWallMs = Math.max(node.sampledWallMs, live.reading?.startedWallMs ?? 0)
    // What is noted down about a node is read from this tab's settings.
    const { name, tags, rules } = node.live
    setLive(room, node, { ...live, name, tags, rules })
  }
  for (const heard of update.services ?? []) takeService(room, heard)
  const { startedWallMs, gaps, answered, failed, behindMs } = update.screen
  Object.assign(room.screen, { startedWallMs, gaps, answered, failed, heardBehindMs: behindMs })
  if (update.services !== undefined) room.publisher.services()
  room.publisher.screen()
}

function takeService(room: Room, heard: ServiceLive): void {
  const service = room.services.get(heard.id)
  if (service === undefined) return
  service.offset = heard.offset
  service.heardHeartbeatOffset = heard.heartbeatOffset
  service.correction = heard.correction
  service.rules = { ...service.rules, detected: heard.rules.detected }
  service.offsetMs = room.steady.nowMs()
  service.probed = probedIn(service, heard)
  const failure = heard.hold && failureIn(service)
  service.hold = heard.hold && failure && { ...heard.hold, failure }
}

/** What the other engine found out; nothing is looked into here. */
function probedIn({ nodes, probed }: TrackedService, { diagnosed }: ServiceLive): TrackedService['probed'] {
  const node = probed?.node ?? nodes.values().next().value
  return diagnosed && node && { code: diagnosed.code, node, found: diagnosed }
}

/** A service that holds its nodes back does so for something that one of them was told. */
function failureIn({ nodes }: TrackedService): PollFailure | undefined {
  for (const { live } of nodes.values()) if (live.episode !== undefined) return live.episode.failure
  return undefined
}

/** What the next reading is compared with; a field that this one lacks stays what it was. */
function seenIn(reading: Reading | undefined, before: LastSeen): LastSeen {
  if (reading === undefined) return before
  const { status, stake, proof, threatResponses } = reading.record
  return {
    status: status.ok ? status.value : before.status,
    stake: stake.ok ? stake.value.text : before.stake,
    proof: proof.ok ? proof.value : before.proof,
    threats: threatResponses.ok ? threatResponses.value : before.threats,
  }
}

/**
 * Asks from now on, where the other engine stopped: what it had planned is asked then, what it
 * had begun or missed soon, spread, and a service that it held back is still held back.
 */
export function takeTheLead(room: Room, heardMs: number | undefined): void {
  const nowMs = room.steady.nowMs()
  room.steady.takeSteps() // the other engine has told what they meant
  room.turn.isLeading = true
  const unwatchedMs = heardMs === undefined ? 0 : nowMs - heardMs
  if (unwatchedMs > unwatchedAfterMs(shortestIntervalMs(room))) noteUnwatched(room, unwatchedMs)
  for (const service of room.services.values()) takeServiceOver(room, service, nowMs)
  room.publisher.screen()
}

function takeServiceOver(room: Room, service: TrackedService, nowMs: number): void {
  const nodes = Array.from(service.nodes.values())
  for (const node of nodes) if (node.live.inFlight) setLive(room, node, { ...node.live, inFlight: false })
  if (waitsForRoute(service)) return
  if (service.hold?.reason === 'refused') {
    service.probe ??= nodes[0]
    planAll(room, service, nowMs)
    return
  }
  if (nodes.every(isUnplanned)) return resume(room, service, nowMs)
  const missed = nodes.filter((node) => isMissed(node, nowMs))
  for (const node of nodes) if (!isMissed(node, nowMs)) planAt(room, node, node.live.nextPollMs ?? nowMs)
  if (service.hold === undefined) planOutOfTurn(room, missed, nowMs)
  // The service asked for a pause: what was missed waits for its end as well.
  else for (const node of missed) plan(room, node, nowMs)
}

/** A service that waits for a key, or one that was never asked. */
const isUnplanned = ({ live }: TrackedNode): boolean => live.nextPollMs === undefined

const isMissed = ({ live }: TrackedNode, nowMs: number): boolean =>
  live.nextPollMs === undefined || live.nextPollMs <= nowMs

/** The page may not reach the service at all, whoever asks. */
const waitsForRoute = ({ waiting }: TrackedService): boolean => waiting?.kind === 'mixed-content'

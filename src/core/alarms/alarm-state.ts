import type { FleetSnapshot, NodeKey } from '#fleet/live.ts'
import { OPERATOR_KINDS } from './alarm.ts'
import { openWindows } from './windows.ts'
import { isInScope } from './scope.ts'
import { inhibited } from './inhibit.ts'
import type { Instance } from './instance.ts'
import { aroundOf, momentOf, nodeIn, presentIn, take, type AlarmRoom } from './room.ts'
import { endShelf } from './acts.ts'

/** What was kept of nodes and services that nobody watches any more is dropped after so long. */
const STRAYS_KEPT_MS = 3_600_000

/**
 * Closes what is about nodes and services that are no longer watched. What is of an earlier session
 * waits for an hour: the list of nodes may come late, as when the dashboard's server is down.
 */
export function closeGone(room: AlarmRoom, now: FleetSnapshot): void {
  const { instances, polls, heard, services } = room
  const areStraysOld =
    room.restoredAwakeMs !== undefined && room.awakeMs - room.restoredAwakeMs >= STRAYS_KEPT_MS
  const gone = Array.from(instances.values()).filter(({ subject }) => {
    if (subject.kind === 'screen') return false
    const isThere =
      subject.kind === 'node' ? now.nodes.has(subject.node) : now.services.has(subject.serviceId)
    const wasThere = subject.kind === 'node' ? heard.has(subject.node) : services.has(subject.serviceId)
    return !isThere && (wasThere || areStraysOld)
  })
  if (areStraysOld) room.restoredAwakeMs = undefined
  const left = Array.from(heard.keys()).filter((key) => !now.nodes.has(key))
  for (const key of left) {
    polls.delete(key)
    heard.delete(key)
  }
  if (left.length > 0 || areStraysOld) forget(room, now, new Set(left), areStraysOld)
  services.clear()
  for (const id of now.services.keys()) services.add(id)
  close(room, gone, 'node-removed')
}

/** Drops what rules remember of nodes that left, or that nobody has named for too long. */
function forget(
  { memory }: AlarmRoom,
  { nodes }: FleetSnapshot,
  left: ReadonlySet<NodeKey>,
  areStraysOld: boolean,
): void {
  for (const id of memory.keys()) {
    const node = nodeIn(id)
    if (left.has(node) || (areStraysOld && !nodes.has(node))) memory.delete(id)
  }
}

/** Closes what a rule raised that is gone, switched off, or not for this node any more. */
export function closeUnruled(room: AlarmRoom): void {
  const { rules } = room.settings
  const ruling = new Map(rules.filter(({ off }) => !off).map((rule) => [rule.id, rule]))
  const gone = Array.from(room.instances.values()).filter(({ ruleId, kind, subject }) => {
    if (!isOperators(kind)) return false
    const rule = ruling.get(ruleId)
    if (rule === undefined || rule.check.kind !== kind) return true
    const isKnown = subject.kind !== 'node' || room.snapshot?.nodes.has(subject.node) === true
    return isKnown && !isInScope(rule.scope, subject, room.snapshot)
  })
  for (const id of room.memory.keys()) {
    const rule = id.slice(0, id.indexOf(' '))
    if (!ruling.has(rule)) room.memory.delete(id)
  }
  close(room, gone, 'rule-removed')
}

const OF_OPERATORS: readonly string[] = OPERATOR_KINDS
const isOperators = (kind: string): boolean => OF_OPERATORS.includes(kind)

function close(room: AlarmRoom, gone: readonly Instance[], reason: 'node-removed' | 'rule-removed'): void {
  if (gone.length === 0) return
  const { instances, reach, notifier, ports } = room
  for (const notice of notifier.closed(gone, reason, aroundOf(room))) ports.onNotification(notice)
  for (const instance of gone) {
    instances.delete(instance.id)
    reach.delete(instance.id)
    ports.onTransition({
      instance,
      transition: { name: 'closed', reason },
      at: momentOf(room, instance.subject),
    })
  }
  room.shown = undefined
  room.unkept = 'much'
}

/** What follows from how the alarms are now: ends of shelving, what explains what, and whom to tell. */
export function settle(room: AlarmRoom): void {
  for (const one of Array.from(room.instances.values()))
    if (one.shelved !== undefined) take(room, endShelf(one, momentOf(room, one.subject)))
  explain(room)
  maintain(room)
  if (room.mutedUntilWallMs !== undefined && room.wallMs >= room.mutedUntilWallMs) {
    room.mutedUntilWallMs = undefined
    room.shown = undefined
  }
  const { notifications, told } = room.notifier.step(presentIn(room), aroundOf(room))
  for (const notice of notifications) room.ports.onNotification(notice)
  for (const [id, as] of told) {
    const one = room.instances.get(id)
    if (one !== undefined) take(room, { next: { ...one, notifiedSeverity: as }, transitions: [] })
  }
}

function explain(room: AlarmRoom): void {
  const before = room.inhibitedBy
  room.inhibitedBy = inhibited(room.instances.values(), room.reach)
  for (const one of room.instances.values()) {
    const [was, is] = [before.get(one.id), room.inhibitedBy.get(one.id)]
    if (was === is) continue
    room.shown = undefined
    if (one.phase !== 'firing' || (was === undefined) === (is === undefined)) continue
    const transition =
      is === undefined
        ? ({ name: 'released', reason: was ?? '' } as const)
        : ({ name: 'inhibited', reason: is } as const)
    room.ports.onTransition({ instance: one, transition, at: momentOf(room, one.subject) })
  }
}

/** Windows that open and close, told of every alarm that is on. */
function maintain(room: AlarmRoom): void {
  const open = openWindows(room.settings.maintenance, room.wallMs, room.ports.zoneOffsetMs)
  const isSame = open.length === room.windows.length && open.every((one, at) => one === room.windows[at])
  if (isSame) return
  const before = aroundOf(room).inMaintenance
  room.windows = open
  room.shown = undefined
  const now = aroundOf(room).inMaintenance
  for (const instance of room.instances.values()) {
    if (instance.phase !== 'firing' || before(instance) === now(instance)) continue
    const name = now(instance) ? 'maintenance-began' : 'maintenance-ended'
    const at = momentOf(room, instance.subject)
    room.ports.onTransition({ instance, transition: { name, reason: 'maintenance-window' }, at })
  }
}

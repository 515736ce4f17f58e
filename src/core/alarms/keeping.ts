import { nodeKeyFromText, type NodeKey } from '#fleet/live.ts'
import { DEFAULTS } from '#base/defaults.ts'
import type { AlarmEvaluator } from './alarm-evaluator.ts'
import type { Instance } from './instance.ts'
import type { StoredAlarms } from './alarm-store.ts'
import { nodeIn, take, type AlarmRoom } from './room.ts'

/** How alarms outlive the tab. */
export const keepingOf = (
  room: AlarmRoom,
): Pick<AlarmEvaluator, 'restore' | 'dirty' | 'stored' | 'setPersisted'> => ({
  restore: (kept, wallMs) => restore(room, kept, wallMs),
  dirty: () => room.unkept,
  stored: () => {
    room.unkept = 'nothing'
    return {
      version: 1,
      wallMs: room.wallMs,
      awakeMs: room.awakeMs,
      mutedUntilWallMs: room.mutedUntilWallMs,
      hadKey: room.hadKey,
      instances: Array.from(room.instances.values()),
      polls: pollsOf(room),
      memory: Array.from(room.memory),
    }
  },
  setPersisted: (kept) => {
    if (!kept) room.unkept = 'much'
    if (room.kept === kept) return
    room.kept = kept
    room.shown = undefined
  },
})

/** Polls of nodes of which something is kept. */
function pollsOf({ instances, memory, polls }: AlarmRoom): StoredAlarms['polls'] {
  const found = new Set<NodeKey>()
  for (const { subject } of instances.values()) if (subject.kind === 'node') found.add(subject.node)
  for (const id of memory.keys()) found.add(nodeIn(id))
  return Array.from(found).flatMap((node) => {
    const made = polls.get(node)
    return made === undefined ? [] : [[node, made] as const]
  })
}

/**
 * Everything is as it was, and nothing is known of what happened since. Timers go on where they
 * were, since only watched time counts; after more than an hour they begin anew.
 */
function restore(room: AlarmRoom, kept: StoredAlarms, wallMs: number): void {
  room.awakeMs = kept.awakeMs
  room.restoredAwakeMs = kept.awakeMs
  room.wallMs = wallMs
  room.mutedUntilWallMs = kept.mutedUntilWallMs
  room.hadKey = kept.hadKey
  for (const [id, memory] of kept.memory) room.memory.set(id, memory)
  for (const [node, polls] of kept.polls) room.polls.set(nodeKeyFromText(node), polls)
  const isLong = Math.abs(wallMs - kept.wallMs) > DEFAULTS.alarmTimersOutageMs
  for (const one of kept.instances) {
    const known: Instance = { ...one, heldAwakeMs: one.heldAwakeMs ?? kept.awakeMs }
    room.instances.set(known.id, known)
    const isTiming = known.phase === 'pending' || known.phase === 'recovering'
    if (isLong && isTiming && known.watchedMs > 0)
      take(room, {
        next: { ...known, watchedMs: 0 },
        transitions: [{ name: 'timer-restarted', reason: 'not-watched-too-long' }],
      })
  }
  room.shown = undefined
}

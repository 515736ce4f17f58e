import type { FleetSnapshot, NodeLive } from '#fleet/live.ts'
import type { AlarmRoom } from './room.ts'

/**
 * Notes whether this screen ever had a key. Before, the screen that asks for one is all that is to be
 * said: that nothing can be asked calls nobody, and silence is counted from when asking begins.
 */
export function noteKey(room: AlarmRoom, { nodes }: FleetSnapshot): void {
  if (room.hadKey) return
  const all = Array.from(nodes.values())
  const awaited = room.awaitsKey
  room.hadKey = all.some(showsKey)
  room.awaitsKey = !room.hadKey && all.some(lacksKey)
  if (room.hadKey) room.unkept = 'much'
  if (awaited && !room.awaitsKey)
    for (const key of room.heard.keys()) room.heard.set(key, { awakeMs: undefined, sinceMs: room.awakeMs })
}

const lacksKey = ({ episode }: NodeLive): boolean => episode?.failure.kind === 'no-key'

const showsKey = (node: NodeLive): boolean =>
  node.answered + node.failed > 0 ||
  node.reading !== undefined ||
  (node.episode !== undefined && !lacksKey(node))

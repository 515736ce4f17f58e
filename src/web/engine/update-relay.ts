import { wholeFleet } from '#fleet/snapshot.ts'
import type { Engine } from '#pipeline/engine.ts'
import type { NodeKey } from '#fleet/live.ts'
import type { FleetUpdate } from '#fleet/snapshot.ts'

/** Called across a Worker's boundary, so it may answer when the page has taken the update. */
type UpdateListener = (update: FleetUpdate) => void | Promise<void>

/**
 * Passes updates on, one at a time: what changes while the page is busy or frozen is told in
 * one update afterwards, so that a page which sleeps for a night does not wake to 100,000
 * messages. Returns the end of the relay.
 */
export function relayUpdates(
  { fleet, subscribe }: Pick<Engine, 'fleet' | 'subscribe'>,
  listener: UpdateListener,
): () => void {
  let waiting: { nodes: Set<NodeKey>; order: boolean; services: boolean; causes: boolean } | undefined
  let busy = false
  let ended = false

  const send = (update: FleetUpdate): void => {
    busy = true
    const taken = (): void => {
      busy = false
      if (waiting !== undefined && !ended) send(catchUp())
    }
    // A listener that fails is the page's own trouble; the next update is offered all the same.
    void Promise.resolve(update).then(listener).then(taken, taken)
  }

  const catchUp = (): FleetUpdate => {
    const missed = waiting
    waiting = undefined
    const { order, services, causes, ...whole } = wholeFleet(fleet.get())
    return {
      ...whole,
      changed: whole.changed.filter((node) => missed?.nodes.has(node.key)),
      ...(missed?.order === true && order !== undefined ? { order } : {}),
      ...(missed?.services === true && services !== undefined ? { services } : {}),
      ...(missed?.causes === true && causes !== undefined ? { causes } : {}),
    }
  }

  const end = subscribe((update) => {
    if (!busy) return send(update)
    waiting ??= { nodes: new Set(), order: false, services: false, causes: false }
    for (const { key } of update.changed) waiting.nodes.add(key)
    waiting.order ||= update.order !== undefined
    waiting.services ||= update.services !== undefined
    waiting.causes ||= update.causes !== undefined
  })
  return () => {
    ended = true
    end()
  }
}

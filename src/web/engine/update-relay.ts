import { wholeFleet, type FleetUpdate } from '#fleet/snapshot.ts'
import type { Engine } from '#pipeline/engine.ts'
import type { NodeKey } from '#fleet/live.ts'

/** Called across a Worker boundary, so it may resolve once the page has accepted the update. */
type UpdateListener = (update: FleetUpdate) => void | Promise<void>

/**
 * Sends updates one at a time. Changes while the page is busy or frozen are merged into one update, so that a page that sleeps
 * overnight does not wake to 100,000 messages. Returns a function that stops it.
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
    // A failing listener is the page's problem; the next update is still sent.
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

import type { FleetUpdate } from '#fleet/snapshot.ts'
import type { Engine } from '#pipeline/engine.ts'
import { createRelay, type PageListener } from './page-relay.ts'

/** Sends updates one at a time, and combines those that a busy page missed. Returns a function that stops it. */
export function relayUpdates(
  subscribe: Engine['subscribe'],
  listener: PageListener<FleetUpdate>,
): () => void {
  const relay = createRelay(listener, combined)
  const end = subscribe(relay.send)
  return () => {
    end()
    relay.end()
  }
}

/** A removed node may be among the changed ones; the order leaves it out. */
const combined = (missed: FleetUpdate, next: FleetUpdate): FleetUpdate => ({
  ...missed,
  ...next,
  changed: Array.from(
    new Map([...missed.changed, ...next.changed].map((node) => [node.key, node] as const)).values(),
  ),
})

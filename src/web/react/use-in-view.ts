import { useEffect } from 'react'
import type { NodeKey } from '#fleet/live.ts'
import { useDashboard, type Dashboard } from './dashboard.ts'

/** Marks a node as visible, because the engine polls visible nodes first. Used by each rendered row and by the node's page. */
export function useInView(node: NodeKey): void {
  const { engine } = useDashboard()
  useEffect(() => note(engine, node), [engine, node])
}

const coming = new WeakMap<Dashboard['engine'], Set<NodeKey>>()

/** Batches the rows that become visible together. */
function note(engine: Dashboard['engine'], node: NodeKey): void {
  const others = coming.get(engine)
  if (others !== undefined) {
    others.add(node)
    return
  }
  const nodes = new Set([node])
  coming.set(engine, nodes)
  queueMicrotask(() => {
    coming.delete(engine)
    void engine.lookAt(Array.from(nodes))
  })
}

import { useEffect } from 'react'
import type { NodeKey } from '#fleet/live.ts'
import { useDashboard, type Dashboard } from './dashboard.ts'

/** The engine asks first for what somebody has in view. For each row that is drawn, and for a page of its own. */
export function useInView(node: NodeKey): void {
  const { engine } = useDashboard()
  useEffect(() => note(engine, node), [engine, node])
}

const coming = new WeakMap<Dashboard['engine'], Set<NodeKey>>()

/** Rows come into view many at once, and are told together. */
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

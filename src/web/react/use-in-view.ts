import { useCallback, useEffect, type RefCallback } from 'react'
import { createStore } from '#base/store.ts'
import type { NodeKey } from '#fleet/live.ts'
import { useDashboard, type Dashboard } from './dashboard.ts'

/**
 * Marks a node as visible, because the engine polls visible nodes first. Used by each rendered row and by the node's page.
 * A row gives the returned ref to an element of it, and then its ages tick only while that is in view.
 */
export function useInView(node: NodeKey): RefCallback<Element> {
  const { engine } = useDashboard()
  useEffect(() => note(engine, node), [engine, node])
  return useCallback((element) => (element === null ? undefined : watchElement(element, node)), [node])
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

const unseen = createStore<ReadonlySet<NodeKey>>(new Set())
/** Nodes whose row is rendered but scrolled out of view; none where the browser can't tell. */
export const outOfView: Pick<typeof unseen, 'get' | 'subscribe'> = unseen

/** Rows this close to the view count as in view, so that scrolling shows exact ages. */
const MARGIN = '64px'

const nodeOf = new WeakMap<Element, NodeKey>()
let observer: IntersectionObserver | undefined

function watchElement(element: Element, node: NodeKey): (() => void) | undefined {
  if (typeof IntersectionObserver === 'undefined') return undefined
  observer ??= createObserver()
  nodeOf.set(element, node)
  observer.observe(element)
  return () => {
    observer?.unobserve(element)
    if (unseen.get().has(node))
      unseen.publish(new Set(Array.from(unseen.get()).filter((one) => one !== node)))
  }
}

function createObserver(): IntersectionObserver {
  // A print shows every row.
  addEventListener('beforeprint', () => unseen.publish(new Set()))
  return new IntersectionObserver(
    (entries) => {
      const now = new Set(unseen.get())
      for (const { target, isIntersecting } of entries) {
        const node = nodeOf.get(target)
        if (node === undefined) continue
        if (isIntersecting) now.delete(node)
        else now.add(node)
      }
      unseen.publish(now)
    },
    { rootMargin: MARGIN, scrollMargin: MARGIN },
  )
}

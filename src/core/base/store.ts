/** Holds the current snapshot. Readers subscribe; only the owner publishes. */
export type Store<T> = {
  readonly get: () => T
  readonly publish: (next: T) => void
  readonly subscribe: (listener: () => void) => () => void
}

export function createStore<T>(initial: T): Store<T> {
  let current = initial
  const listeners = new Set<() => void>()
  return {
    get: () => current,
    publish: (next) => {
      if (Object.is(next, current)) return
      current = next
      // A copy, because a listener may end its own or another subscription.
      for (const listener of Array.from(listeners)) listener()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}

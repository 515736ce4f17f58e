import { useSyncExternalStore } from 'react'
import type { Store } from '#base/store.ts'

/** Reads a store; renders again only when what `select` picks changes identity. */
export function useStore<T, S = T>(store: Store<T>, select: (value: T) => S): S {
  const get = (): S => select(store.get())
  return useSyncExternalStore(store.subscribe, get, get)
}

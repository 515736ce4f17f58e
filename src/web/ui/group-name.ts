import { useState, useSyncExternalStore } from 'react'

const taken = new Set<number>()

/** Has a name from when somebody subscribes until they no longer do. */
function createName() {
  let name: string | undefined
  return {
    get: () => name,
    subscribe: (changed: () => void) => {
      let free = 0
      while (taken.has(free)) free++
      taken.add(free)
      name = `choice-${free}`
      changed()
      return () => void taken.delete(free)
    },
  }
}

/**
 * A name for radio buttons that no other group on the page has, once they are there. Names are used again: Chromium keeps
 * something for each name that radio buttons ever had, for as long as the page is open.
 */
export function useGroupName(): string | undefined {
  const [name] = useState(createName)
  return useSyncExternalStore(name.subscribe, name.get)
}

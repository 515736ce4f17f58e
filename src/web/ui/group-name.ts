import { useState, useSyncExternalStore } from 'react'

const taken = new Set<number>()

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
 * A unique name for a group of radio buttons; undefined until they are mounted. Names are reused, because Chromium stores data
 * for every radio name until the page closes.
 */
export function useGroupName(): string | undefined {
  const [name] = useState(createName)
  return useSyncExternalStore(name.subscribe, name.get)
}

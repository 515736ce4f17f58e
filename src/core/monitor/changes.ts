import type { NodeKey } from '#fleet/live.ts'

/** What is to be published anew; the parts of the engine note it as they change it. */
export type Changes = {
  readonly node: (key: NodeKey) => void
  readonly order: () => void
  readonly services: () => void
  readonly screen: () => void
}

/** Since they were last taken. */
export type TakenChanges = {
  readonly nodes: ReadonlySet<NodeKey>
  readonly order: boolean
  readonly services: boolean
}

/** Collects changes. `onChange` is called with each of them. */
export function createChanges(onChange: () => void): {
  readonly changes: Changes
  readonly take: () => TakenChanges
} {
  let nodes = new Set<NodeKey>()
  let order = false
  let services = false
  return {
    changes: {
      node: (key) => {
        nodes.add(key)
        onChange()
      },
      order: () => {
        order = true
        onChange()
      },
      services: () => {
        services = true
        onChange()
      },
      screen: onChange,
    },
    take: () => {
      const taken = { nodes, order, services }
      nodes = new Set()
      order = false
      services = false
      return taken
    },
  }
}

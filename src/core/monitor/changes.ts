import type { NodeKey } from '#fleet/live.ts'

/** Callbacks by which the parts of the engine mark what has to be published. */
export type Changes = {
  readonly node: (key: NodeKey) => void
  readonly order: () => void
  readonly services: () => void
  readonly screen: () => void
}

const nothing = () => ({ nodes: new Set<NodeKey>(), order: false, services: false })

export type TakenChanges = Readonly<ReturnType<typeof nothing>>

export function createChanges(onChange: () => void) {
  let noted = nothing()
  const note = (change: () => void) => (): void => {
    change()
    onChange()
  }
  const changes: Changes = {
    node: (key) => note(() => noted.nodes.add(key))(),
    order: note(() => (noted.order = true)),
    services: note(() => (noted.services = true)),
    screen: onChange,
  }
  const take = (): TakenChanges => {
    const taken = noted
    noted = nothing()
    return taken
  }
  return { changes, take }
}

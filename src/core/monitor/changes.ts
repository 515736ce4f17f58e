import type { NodeKey } from '#fleet/live.ts'

/** What is to be published anew; the parts of the engine note it as they change it. */
export type Changes = {
  readonly node: (key: NodeKey) => void
  readonly order: () => void
  readonly services: () => void
  readonly screen: () => void
}

const nothing = () => ({ nodes: new Set<NodeKey>(), order: false, services: false })

/** Since they were last taken. */
export type TakenChanges = Readonly<ReturnType<typeof nothing>>

/** Collects changes; `onChange` is called with each of them. */
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

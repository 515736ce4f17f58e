import { Suspense, useState } from 'react'
import type { Cause } from '#fleet/cause.ts'
import type { NodeKey } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import { useDashboard } from '#react/dashboard.ts'
import {
  useConfiguration,
  useEngineState,
  useFleet,
  useKeys,
  useNotifier,
  useStore,
} from '#react/use-fleet.ts'
import { late } from '#ui/late.tsx'

const MessageList = late(async () => (await import('./message-list.tsx')).MessageList)

type MessagesProps = {
  readonly path: string
  readonly node: NodeKey | undefined
  /** On a page that itself lists what is wrong, only what is critical stands over it. */
  readonly briefly: boolean
}

/** Everything that is wrong and concerns what is on screen. Fetched when there is something, and then left to keep its room. */
export function Messages({ path, node, briefly }: MessagesProps) {
  const fleet = useFleet((snapshot) => snapshot)
  const inView = causesInView(fleet, node).filter(({ severity }) => !briefly || severity === 'critical')
  const isNeeded = useOthers() || inView.length > 0
  const [wasNeeded, setWasNeeded] = useState(false)
  if (isNeeded && !wasNeeded) setWasNeeded(true)
  return isNeeded || wasNeeded ? (
    <Suspense>
      <MessageList path={path} causes={inView} fleet={fleet} node={node} />
    </Suspense>
  ) : null
}

/** Whether anything but a cause may have to be said. Most keys have no lock, most tabs never see another engine. */
function useOthers(): boolean {
  const { problem } = useConfiguration()
  const { failed, keys } = useKeys()
  const history = useStore(useDashboard().history, (now) => now)
  const isWaiting = useEngineState().kind === 'waiting'
  const isSoundMissed = useNotifier()?.isSoundMissed === true
  const isOld = useStore(useDashboard().health, ({ isOldVersion }) => isOldVersion === true)
  const hasLock = keys.some(({ custody }) => custody === 'vault')
  const isHistoryTroubled =
    history?.state === 'not-kept' || history?.lost !== undefined || history?.cutOff !== undefined
  return (
    problem !== undefined || failed || isWaiting || isSoundMissed || isOld || hasLock || isHistoryTroubled
  )
}

/** The causes that concern what is on screen: a node's page shows those that touch it, and those of the whole screen. */
const causesInView = (
  { causes, nodes: watched }: FleetSnapshot,
  key: NodeKey | undefined,
): readonly Cause[] => {
  const node = key === undefined ? undefined : watched.get(key)
  if (node === undefined) return causes
  return causes.filter(({ nodes, serviceId }) =>
    nodes.length > 0 ? nodes.includes(node.key) : serviceId === undefined || serviceId === node.serviceId,
  )
}

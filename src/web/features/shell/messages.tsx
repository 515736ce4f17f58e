import { Suspense } from 'react'
import type { NodeKey, FleetSnapshot } from '#fleet/live.ts'
import { useEvaluation } from '#react/evaluation.tsx'
import { useConfiguration, useFleet, useKeys } from '#react/use-fleet.ts'
import { Page } from '#ui/page.tsx'
import { late } from '#ui/late.tsx'
import type { Cause } from '#evaluate/causes.ts'

const MessageList = late(async () => (await import('./message-list.tsx')).MessageList)

type MessagesProps = {
  readonly node: NodeKey | undefined
  /** On a page that itself lists what is wrong, only what is critical stands over it. */
  readonly briefly: boolean
}

/** Everything that is wrong and concerns what is on screen, worst first, one message a cause. */
export function Messages({ node, briefly }: MessagesProps) {
  const fleet = useFleet((snapshot) => snapshot)
  const causes = useEvaluation((evaluation) => evaluation.causes)
  const { problem } = useConfiguration()
  const { failed } = useKeys()
  const inView = causesInView(causes, fleet, node).filter(
    ({ severity }) => !briefly || severity === 'critical',
  )
  if (inView.length === 0 && problem === undefined && !failed) return null
  return (
    <Page>
      <Suspense>
        <MessageList causes={inView} fleet={fleet} node={node} signerFailed={failed} problem={problem} />
      </Suspense>
    </Page>
  )
}

/** The causes that concern what is on screen: a node's page shows its own, its service's and the screen's. */
const causesInView = (
  causes: readonly Cause[],
  fleet: FleetSnapshot,
  key: NodeKey | undefined,
): readonly Cause[] => {
  const node = key === undefined ? undefined : fleet.nodes.get(key)
  if (node === undefined) return causes
  return causes.filter(
    (cause) =>
      cause.scope === 'screen' ||
      cause.nodes.includes(node.key) ||
      (cause.scope === 'service' && cause.serviceId === node.serviceId),
  )
}

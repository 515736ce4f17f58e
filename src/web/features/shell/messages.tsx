import { Suspense } from 'react'
import type { NodeKey } from '#fleet/live.ts'
import { useEvaluation } from '#react/evaluation.tsx'
import { useConfiguration, useFleet, useKeys } from '#react/use-fleet.ts'
import { Page } from '#ui/page.tsx'
import { causesInView } from './causes-in-view.ts'
import { late } from '#ui/late.tsx'

const MessageList = late(async () => (await import('./message-list.tsx')).MessageList)

type MessagesProps = {
  readonly node: NodeKey | undefined
  /** On a page that itself lists what is wrong, only what is critical stands over it. */
  readonly briefly: boolean
}

/** Everything that is wrong and concerns what is on screen, worst first, one message a cause. */
export function Messages({ node, briefly }: MessagesProps) {
  const fleet = useFleet((snapshot) => snapshot)
  const causes = useEvaluation((judgement) => judgement.causes)
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

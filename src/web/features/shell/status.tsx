import type { NodeKey } from '#fleet/live.ts'
import { useBoot, useFleet, useKeys, useEngineState, useNow } from '#react/use-fleet.ts'
import { shellTexts } from '#texts/en-shell.ts'
import { watchState } from '#parts/watch-state.ts'
import { ErrorBoundary } from '#ui/error-boundary.tsx'
import { StatusItems, StatusLine } from '#ui/app-shell.tsx'
import { StatusFacts } from './status-facts.tsx'

/** Watches the watcher. `node`: on that node's page, the line is about it alone. */
export function Status({ node }: { readonly node: NodeKey | undefined }) {
  const fleet = useFleet((snapshot) => snapshot)
  const { text, live } = watchState(fleet, useKeys(), useBoot(), useEngineState(), useNow())
  return (
    <StatusLine label={shellTexts.status.label}>
      <StatusItems
        items={[
          { id: 'state', dot: { isLive: live, answers: fleet.screen.answered }, content: <b>{text}</b> },
        ]}
      />
      {/* Whether the screen watches is said whatever else can't be. */}
      <ErrorBoundary fallback={() => null}>
        <StatusFacts node={node} />
      </ErrorBoundary>
    </StatusLine>
  )
}

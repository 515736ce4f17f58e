import { engineTexts as words } from '#texts/en-engine.ts'
import { useEngineState, useKeys } from '#react/use-fleet.ts'
import { Banner } from '#ui/banner.tsx'
import { Button } from '#ui/button.tsx'

/** Says who polls where this tab's engine does not. */
export function EngineMessage() {
  const state = useEngineState()
  const isShared = useKeys().report?.worker !== 'dedicated'
  if (state.kind !== 'waiting') return null
  return (
    <Banner
      level="info"
      title={isShared ? words.otherVersion(state.version) : words.otherTab}
      actions={
        isShared && (
          <Button size="small" look="primary" onClick={() => location.reload()}>
            {words.reload}
          </Button>
        )
      }
    >
      {isShared ? words.otherVersionText : words.otherTabText}
    </Banner>
  )
}

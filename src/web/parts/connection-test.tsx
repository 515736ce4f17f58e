import { useEffect } from 'react'
import { profileOf, type Service } from '#protocol/settings.ts'
import type { LadderContext } from '#texts/en-ladder-failures.ts'
import type { Climb } from '#react/use-ladder.ts'
import { ladderRungs, ladderSummary, ladderTexts } from '#texts/en-ladder.ts'
import { Button } from '#ui/button.tsx'
import { CopyLine } from '#ui/copy-line.tsx'
import { Ladder } from '#ui/ladder.tsx'
import { useAnnounce } from '#ui/live-region.tsx'
import { Panel } from '#ui/panel.tsx'
import { PanelPart } from '#ui/settings-layout.tsx'
import { VisibleText } from '#ui/visible-text.tsx'
import { copying } from './copying.ts'

type ConnectionTestProps = {
  readonly climb: Climb
  /** Undefined while there is no address to test. */
  readonly context: LadderContext | undefined
  readonly onTest: () => void
}

/** The connection test as it climbs; each step with its own explanation. */
export function ConnectionTest({ climb, context, onTest }: ConnectionTestProps) {
  const { phase, steps } = climb
  const announce = useAnnounce()
  const summary = phase === 'ended' ? ladderSummary(steps) : undefined
  useEffect(() => {
    if (summary !== undefined) announce(summary)
  }, [announce, summary])
  const rungs = ladderRungs(steps, context)
  const lines = rungs.find((rung) => rung.lines !== undefined)?.lines
  return (
    <Panel
      title={ladderTexts.title}
      flush
      actions={
        <Button
          size="small"
          look="subtle"
          busy={phase === 'running'}
          disabled={context === undefined}
          onClick={onTest}
        >
          {phase === 'running'
            ? ladderTexts.testing
            : phase === 'idle'
              ? ladderTexts.test
              : ladderTexts.testAgain}
        </Button>
      }
    >
      <Ladder
        label={ladderTexts.label}
        rungs={rungs.map(({ answer, lines: _lines, note, ...rung }) => ({
          ...rung,
          note: answer === undefined ? note : <Answered note={note ?? ''} answer={answer} />,
        }))}
      />
      {phase === 'broken' && <PanelPart>{ladderTexts.broken}</PanelPart>}
      {lines !== undefined && (
        <PanelPart>
          <CopyLine {...lines} {...copying} />
        </PanelPart>
      )}
    </Panel>
  )
}

/** The service's own words stand apart from ours. */
const Answered = ({ note, answer }: { readonly note: string; readonly answer: string }) => (
  <>
    {note} {ladderTexts.answer} “<VisibleText text={answer} charsMax={120} />”
  </>
)

/** What the words about a failed step need to know about the service. */
export const contextOf = (service: Service): LadderContext => ({
  baseUrl: service.baseUrl,
  via: service.via,
  pageOrigin: location.origin,
  headerNames: Object.keys(profileOf(service)?.headers ?? {}),
})

import { useEffect } from 'react'
import { FAILURES } from '#protocol/failure.ts'
import { credentialOf } from '#signing/profile-needs.ts'
import { profileOf } from '#settings/service-profiles.ts'
import type { Service } from '#settings/settings.ts'
import type { LadderContext } from '#texts/en-ladder-failures.ts'
import type { Climb } from '#react/use-ladder.ts'
import { useWallNow } from '#react/ticking.tsx'
import { ladderRungs, ladderSummary, ladderTexts } from '#texts/en-ladder.ts'
import { messageTexts } from '#texts/en-messages.ts'
import { Button } from '#ui/button.tsx'
import { CopyLine } from '#ui/copy-line.tsx'
import { Evidence } from '#ui/evidence.tsx'
import { Ladder } from '#ui/ladder.tsx'
import { useAnnounce } from '#ui/live-region.tsx'
import { Flow } from '#ui/page.tsx'
import { Panel } from '#ui/panel.tsx'
import { PanelPart } from '#ui/settings-layout.tsx'
import { VisibleText } from '#ui/visible-text.tsx'
import { CopyMade } from './copy-made.tsx'
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
        rungs={rungs.map(({ answer, lines: _lines, evidence, note, ...rung }) => ({
          ...rung,
          more: evidence && <Evidence {...evidence} />,
          note: answer === undefined ? note : <Answered note={note ?? ''} answer={answer} />,
        }))}
      />
      {phase === 'broken' && <PanelPart>{ladderTexts.broken}</PanelPart>}
      {lines !== undefined && (
        <PanelPart>
          <CopyLine {...lines} {...copying} />
        </PanelPart>
      )}
      {phase === 'ended' && isOdd(steps) && (
        <PanelPart>
          <CopyTestReport climb={climb} />
        </PanelPart>
      )}
    </Panel>
  )
}

/** Whether there is anything to tell whoever runs the service. A key that is lacking is no matter of theirs. */
const isOdd = (steps: Climb['steps']): boolean =>
  steps.some((step) =>
    step.state === 'failed' ? FAILURES[step.failure.kind].scope !== 'screen' : step.state === 'warning',
  )

/** The words of a report are fetched when it is asked for. */
function CopyTestReport({ climb: { draft, steps } }: { readonly climb: Climb }) {
  const wallMs = useWallNow()
  if (draft === undefined || wallMs === undefined) return null
  const write = async (): Promise<string> => {
    const { testReportOf } = await import('./test-report.ts')
    return testReportOf({ draft, steps, context: contextOf(draft.service), wallMs }) ?? ''
  }
  return (
    <Flow>
      <CopyMade text={write} label={messageTexts.copyReport} look="plain" />
    </Flow>
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
  credential: credentialOf(service),
})

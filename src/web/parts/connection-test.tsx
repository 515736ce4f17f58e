import { useEffect } from 'react'
import { FAILURES } from '#protocol/failure.ts'
import { credentialOf } from '#signing/profile-needs.ts'
import { profileOf } from '#signing/presets.ts'
import type { Service } from '#settings/schema.ts'
import type { TestedService } from '#texts/failure-words.ts'
import type { ConnectionTestState } from '#react/use-connection-test.ts'
import { useWallNow } from '#react/ticking.tsx'
import { stepsInWords, connectionTestSummary, connectionTestTexts } from '#texts/en-connection-test.ts'
import { messageTexts } from '#texts/en-messages.ts'
import { Button } from '#ui/button.tsx'
import { CopyLine } from '#ui/copy-line.tsx'
import { Evidence } from '#ui/banner.tsx'
import { StepList } from '#ui/step-list.tsx'
import { useAnnounce } from '#ui/live-region.tsx'
import { Panel } from '#ui/panel.tsx'
import { VisibleText } from '#ui/visible-text.tsx'
import { CopyMade } from './copy-made.tsx'
import { testReportOf } from './test-report.ts'
import { copying } from './copying.ts'

type ConnectionTestProps = {
  readonly connectionTest: ConnectionTestState
  readonly context: TestedService | undefined
  readonly onTest: () => void
}

export function ConnectionTest({ connectionTest, context, onTest }: ConnectionTestProps) {
  const { phase, steps } = connectionTest
  const announce = useAnnounce()
  const summary = phase === 'ended' ? connectionTestSummary(steps) : undefined
  useEffect(() => {
    if (summary !== undefined) announce(summary)
  }, [announce, summary])
  const shown = stepsInWords(steps, context)
  const lines = shown.find((step) => step.lines !== undefined)?.lines
  return (
    <Panel
      title={connectionTestTexts.title}
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
            ? connectionTestTexts.testing
            : phase === 'idle'
              ? connectionTestTexts.test
              : connectionTestTexts.testAgain}
        </Button>
      }
    >
      <StepList
        label={connectionTestTexts.label}
        steps={shown.map(({ answer, lines: _lines, evidence, note, ...step }) => ({
          ...step,
          more: evidence && <Evidence {...evidence} />,
          note: answer === undefined ? note : <Answered note={note ?? ''} answer={answer} />,
        }))}
      />
      {phase === 'broken' && <div className="panel-body">{connectionTestTexts.broken}</div>}
      {lines !== undefined && (
        <div className="panel-body">
          <CopyLine {...lines} {...copying} />
        </div>
      )}
      {phase === 'ended' && isOdd(steps) && (
        <div className="panel-body">
          <CopyTestReport connectionTest={connectionTest} />
        </div>
      )}
    </Panel>
  )
}

/** Whether the service's operator could fix anything. A missing key is this operator's own task. */
const isOdd = (steps: ConnectionTestState['steps']): boolean =>
  steps.some((step) =>
    step.state === 'failed' ? FAILURES[step.failure.kind].scope !== 'screen' : step.state === 'warning',
  )

function CopyTestReport({
  connectionTest: { draft, steps },
}: {
  readonly connectionTest: ConnectionTestState
}) {
  const wallMs = useWallNow()
  if (draft === undefined || wallMs === undefined) return null
  return (
    <div className="flow">
      <CopyMade
        text={testReportOf({ draft, steps, context: contextOf(draft.service), wallMs }) ?? ''}
        label={messageTexts.copyReport}
        look="plain"
      />
    </div>
  )
}

/** Quotes the service's text, so that it is distinct from ours. */
const Answered = ({ note, answer }: { readonly note: string; readonly answer: string }) => (
  <>
    {note} {connectionTestTexts.answer} “<VisibleText text={answer} charsMax={120} />”
  </>
)

export const contextOf = (service: Service): TestedService => ({
  baseUrl: service.baseUrl,
  via: service.via,
  pageOrigin: location.origin,
  headerNames: Object.keys(profileOf(service)?.headers ?? {}),
  credential: credentialOf(service),
})

import { AllowNote } from '#parts/allow-note.tsx'
import { ConnectionTest, contextOf } from '#parts/connection-test.tsx'
import { KeyPlace, SignerWarnings } from '#parts/key-place.tsx'
import { useConfiguration, useKeys } from '#react/use-fleet.ts'
import { hrefOf, SETTINGS_PATH } from '#react/routes.ts'
import { firstRunTexts as words } from '#texts/en-first-run.ts'
import { screenProblemTexts } from '#texts/en-screen-problems.ts'
import { Banner } from '#ui/banner.tsx'
import { Brand } from '#ui/brand.tsx'
import { Button, LinkButton } from '#ui/button.tsx'
import { FirstRunLayout, StepActions } from '#ui/first-run.tsx'
import { FirstRunNotes } from '#ui/settings-layout.tsx'
import { FirstAnswer } from './first-answer.tsx'
import { KeyQuestion } from './key-question.tsx'
import { NodesQuestion } from './nodes-question.tsx'
import { ServiceQuestion } from './service-question.tsx'
import { useFirstRun, type FirstRun } from './use-first-run.ts'

/** From nothing to the first live node. `onDone` is given the path of the first watched node. */
export function FirstRunPage({ onDone }: { readonly onDone: (path?: string) => void }) {
  const run = useFirstRun(onDone)
  const { problem } = useConfiguration()
  return (
    <main>
      <FirstRunLayout
        brand={<Brand name={words.brand} />}
        title={words.title}
        lead={words.lead}
        side={<Side run={run} />}
      >
        <FirstRunNotes>
          {problem !== undefined && (
            <Banner level="warning" title={screenProblemTexts.problem[problem].title}>
              {screenProblemTexts.problem[problem].text}
            </Banner>
          )}
          <SignerWarnings />
        </FirstRunNotes>
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            if (!run.starting) void run.startWatching()
          }}
        >
          <ServiceQuestion run={run} />
          <KeyQuestion run={run} />
          <NodesQuestion run={run} />
          <Start run={run} />
        </form>
      </FirstRunLayout>
    </main>
  )
}

function Start({ run: { blocked, starting } }: { readonly run: FirstRun }) {
  const { failed } = useKeys()
  const text = failed ? words.blocked.signer : blocked && words.blocked[blocked]
  return (
    <StepActions>
      <Button type="submit" look="primary" size="large" busy={starting}>
        {starting ? words.starting : words.start}
      </Button>
      <LinkButton look="quiet" size="large" href={hrefOf(`${SETTINGS_PATH}/storage`)}>
        {words.restoreLink}
      </LinkButton>
      <LinkButton look="quiet" size="large" href={hrefOf(SETTINGS_PATH)}>
        {words.settingsLink}
      </LinkButton>
      <p role="alert" className="ink1">
        {text}
      </p>
    </StepActions>
  )
}

function Side({ run }: { readonly run: FirstRun }) {
  const { service, connectionTest, keyIntake, hasKey, draft, allowProblem } = run
  const { keys } = useKeys()
  const record = connectionTest.steps.find((step) => step.name === 'record')
  const clocks = connectionTest.steps.find((step) => step.name === 'clocks')
  const isReachFailed = connectionTest.steps.some(
    ({ name, state }) => name === 'reached' && state === 'failed',
  )
  const { intake } = keyIntake
  const key =
    draft.key === 'existing' ? keys.at(-1) : hasKey && intake.phase === 'ready' ? intake.key : undefined
  return (
    <>
      {allowProblem !== undefined && service.ok && (allowProblem.isBlocking || isReachFailed) && (
        <AllowNote problem={allowProblem} service={service.value} />
      )}
      <ConnectionTest
        connectionTest={connectionTest}
        context={service.ok ? contextOf(service.value) : undefined}
        onTest={() => void run.test(hasKey)}
      />
      {service.ok && record !== undefined && 'record' in record && (
        <FirstAnswer
          record={record.record}
          offset={clocks !== undefined && 'offset' in clocks ? clocks.offset : undefined}
          nodeName={run.firstNodeName}
        />
      )}
      <KeyPlace custody={key?.custody} />
    </>
  )
}

import { AllowNote } from '#parts/allow-note.tsx'
import { ConnectionTest, contextOf } from '#parts/connection-test.tsx'
import { KeyPlace, SignerWarnings } from '#parts/key-place.tsx'
import { useConfiguration, useKeys } from '#react/use-fleet.ts'
import { hrefOf, PATHS } from '#react/routes.ts'
import { firstRunTexts } from '#texts/en-first-run.ts'
import { screenProblemTexts } from '#texts/en-screen-problems.ts'
import { Banner } from '#ui/banner.tsx'
import { Brand } from '#ui/app-shell.tsx'
import { Button, LinkButton } from '#ui/button.tsx'
import { FirstRunLayout, StepActions } from '#ui/first-run.tsx'
import { KeyQuestion, NodesQuestion, ServiceQuestion } from './questions.tsx'
import { useFirstRun, type FirstRun } from './use-first-run.ts'
import type { ClockOffset } from '#record/clock-offset.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { ok } from '#base/result.ts'
import type { Service } from '#settings/schema.ts'
import { heartbeatAge } from '#record/heartbeat-age.ts'
import { participationRatio } from '#record/detect.ts'
import type { StatusRecord } from '#metrics/status-record.ts'
import { useWallNow } from '#react/ticking.tsx'
import { doubtOf, formatDoubt } from '#texts/age-doubt.ts'
import { formatAge, formatExact, formatPercent } from '#texts/format.ts'
import { idName } from '#texts/names.ts'
import { HeroCell, StateWord } from '#ui/hero.tsx'
import { Panel, PlainPanel } from '#ui/panel.tsx'
import { SelectField } from '#ui/select-field.tsx'
import { ProfileFind } from '#parts/profile-find.tsx'
import { isPresetId, PRESET_IDS } from '#signing/preset-ids.ts'
import { PRESETS } from '#signing/presets.ts'
import type { Profile } from '#signing/profile.ts'
import { Properties, property } from '#ui/properties.tsx'
import { VisibleText } from '#ui/visible-text.tsx'
import { ConsentDialog } from '#parts/consent-dialog.tsx'

/** `onDone` receives the path of the first watched node. */
export function FirstRunPage({ onDone }: { readonly onDone: (path?: string) => void }) {
  const run = useFirstRun(onDone)
  const configuration = useConfiguration()
  const { problem } = configuration
  return (
    <main>
      <FirstRunLayout
        brand={<Brand name={firstRunTexts.brand} />}
        title={firstRunTexts.title}
        lead={run.credential === 'key' ? firstRunTexts.lead : firstRunTexts.leadWithout}
        side={<Side run={run} />}
      >
        <div className="settings-layout-notes">
          {problem !== undefined && (
            <Banner level="warning" title={screenProblemTexts.problem[problem].title}>
              {screenProblemTexts.problem[problem].text}{' '}
              {problem.startsWith('config-') && screenProblemTexts.configReason(configuration)}
            </Banner>
          )}
          <SignerWarnings />
        </div>
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
        {run.asking.asked !== undefined && <ConsentDialog asking={run.asking} />}
      </FirstRunLayout>
    </main>
  )
}

function Start({ run: { blocked, starting } }: { readonly run: FirstRun }) {
  const { failed } = useKeys()
  const text = failed ? firstRunTexts.blocked.signer : blocked && firstRunTexts.blocked[blocked]
  return (
    <StepActions>
      <Button type="submit" look="primary" size="large" busy={starting}>
        {starting ? firstRunTexts.starting : firstRunTexts.start}
      </Button>
      <LinkButton look="quiet" size="large" href={hrefOf(`${PATHS.settings}/document`)}>
        {firstRunTexts.restoreLink}
      </LinkButton>
      <LinkButton look="quiet" size="large" href={hrefOf(PATHS.settings)}>
        {firstRunTexts.settingsLink}
      </LinkButton>
      <p role="alert" className="ink-1">
        {text}
      </p>
    </StepActions>
  )
}

function Side({ run }: { readonly run: FirstRun }) {
  const { service, connectionTest, allowProblem } = run
  const record = connectionTest.steps.find((step) => step.name === 'record')
  const clocks = connectionTest.steps.find((step) => step.name === 'clocks')
  const isReachFailed = connectionTest.steps.some(
    ({ name, state }) => name === 'reached' && state === 'failed',
  )
  return (
    <>
      {allowProblem !== undefined && service.ok && (allowProblem.isBlocking || isReachFailed) && (
        <AllowNote problem={allowProblem} service={allowProblem.service} />
      )}
      <ConnectionTest
        connectionTest={connectionTest}
        context={service.ok ? contextOf(service.value) : undefined}
        onTest={() => void run.testSigned()}
      />
      <HowItSigns run={run} />
      {service.ok && record !== undefined && 'record' in record && (
        <FirstAnswer
          record={record.record}
          offset={clocks !== undefined && 'offset' in clocks ? clocks.offset : undefined}
          nodeName={run.firstNodeName}
        />
      )}
      {run.credential === 'key' && <KeyPlace custody={run.key?.custody} />}
    </>
  )
}

/** Shown once the service has rejected a signature, and from then on. */
function HowItSigns({ run }: { readonly run: FirstRun }) {
  const { service, connectionTest, draft, key, asking, change, test } = run
  const isRejected = connectionTest.steps.some(
    (step) => step.name === 'signature' && step.state === 'failed' && step.failure.kind === 'unauthorized',
  )
  const isAsked = service.ok && key !== undefined && (isRejected || draft.profile !== undefined)
  if (!isAsked) return null
  const { profile } = service.value
  /** This screen already shows service, key and profile, so only a vault's passphrase or passkey is still requested. */
  const choose = async (chosen: Service['profile']): Promise<void> => {
    const next = { ...service.value, profile: chosen }
    if (!(await asking.consent(key, next, true))) return
    change({ profile: chosen })
    await test(key, ok(next))
  }
  const preset = typeof profile === 'string' ? profile : undefined
  return (
    <Panel
      title={signingWords.title}
      actions={
        <ProfileFind
          service={service.value}
          nodeId={run.firstNodeId}
          mayStart={async () => asking.consent(key, service.value)}
          onFound={(found) => void choose(presetOf(found) ?? found)}
        />
      }
    >
      <SelectField
        label={signingWords.profile}
        hint={signingWords.hint}
        value={preset ?? FOUND}
        options={[
          ...(typeof profile === 'string'
            ? []
            : [{ value: FOUND, label: profile.title ?? signingWords.found }]),
          ...Array.from(PRESETS, ([id, each]) => ({ value: id, label: each.profile.title })),
        ]}
        onChange={(id) => {
          if (isPresetId(id)) void choose(id)
        }}
      />
    </Panel>
  )
}

const signingWords = firstRunTexts.signing
/** Matches no preset id. */
const FOUND = ''
const presetOf = (found: Profile) => PRESET_IDS.find((id) => PRESETS.get(id)?.profile === found)

type FirstAnswerProps = {
  readonly record: StatusRecord
  readonly offset: ClockOffset | undefined
  readonly nodeName: string | undefined
}

const words = firstRunTexts.firstAnswer

export function FirstAnswer({ record, offset, nodeName }: FirstAnswerProps) {
  const name = nodeName ?? idName(record.nodeId.ok ? record.nodeId.value : undefined)
  const title = words.title(name)
  const { status } = record
  const participation = record.participation.ok ? participationRatio(record.participation.value) : undefined
  return (
    <PlainPanel label={title}>
      <HeroCell label={<VisibleText text={title} charsMax={120} />}>
        <StateWord kind={!status.ok ? 'warning' : status.value === 'ACTIVE' ? 'ok' : 'info'} size="small">
          {status.ok ? <VisibleText text={status.value} /> : words.unreadable}
        </StateWord>
      </HeroCell>
      <Properties
        items={[
          property(
            words.heartbeat,
            record.heartbeat.ok ? (
              <HeartbeatAge atMs={record.heartbeat.value.atMs} offset={offset} />
            ) : (
              words.unreadable
            ),
          ),
          property(
            words.participation,
            participation === undefined ? words.unreadable : formatPercent(participation),
          ),
          property(words.stake, record.stake.ok ? formatExact(record.stake.value.text) : words.unreadable),
          property(
            words.threatResponses,
            record.threatResponses.ok ? formatExact(record.threatResponses.value.text) : words.unreadable,
          ),
        ]}
      />
    </PlainPanel>
  )
}

/** By the service's clock if its offset is known; otherwise the text says that it relies on this computer's clock. */
function HeartbeatAge({ atMs, offset }: { readonly atMs: number; readonly offset: ClockOffset | undefined }) {
  const wallMs = useWallNow()
  // Before the engine's first update.
  if (wallMs === undefined) return words.noAge
  const seen = { heartbeatMs: atMs, startedWallMs: wallMs, latencyMs: 0 }
  const age = heartbeatAge(seen, offset, DEFAULTS.heartbeatPeriodMs)
  if (age.kind === 'unknown') return words.ahead(formatAge(age.aheadMs))
  if (age.kind === 'uncertain') return words.uncertain(formatDoubt(age.uncertaintyMs))
  const doubt = doubtOf(age)
  return doubt === undefined ? words.ago(formatAge(age.ageMs)) : words.doubtful(formatAge(age.ageMs), doubt)
}

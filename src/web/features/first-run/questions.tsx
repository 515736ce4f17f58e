import { AddressFields } from '#parts/address-fields.tsx'
import { toVisibleText } from '#base/visible-text.ts'
import { checkAddress } from '#protocol/address-check.ts'
import type { Credential } from '#signing/profile-needs.ts'
import { useConfiguration, useKeys } from '#react/use-fleet.ts'
import { firstRunTexts, formTexts } from '#texts/en-first-run.ts'
import { serviceLabel } from '#texts/names.ts'
import { CheckBox } from '#ui/check-box.tsx'
import { Step } from '#ui/first-run.tsx'
import { RadioCards, type RadioCard } from '#ui/radio-cards.tsx'
import { VisibleText } from '#ui/visible-text.tsx'
import type { FirstRun } from './use-first-run.ts'
import type { KeyInfo } from '#signer/api.ts'
import { BringKey } from '#parts/bring-key.tsx'
import { ShortKey, ShownKey } from '#parts/shown-key.tsx'
import { Button } from '#ui/button.tsx'
import type { Draft } from './draft.ts'
import { NodesField } from '#parts/nodes-field.tsx'

const words = firstRunTexts.service

export function ServiceQuestion({ run }: { readonly run: FirstRun }) {
  const { server } = useConfiguration()
  const { draft, change, given, connectionTest } = run
  const reached = connectionTest.steps.find(({ name }) => name === 'reached')?.state
  const done = { ...((reached === 'ok' || given.service) && { doneLabel: firstRunTexts.done }) }
  const asked = { askedCount: run.blocked === 'address' ? run.blockedCount : 0 }
  if (given.service !== undefined) {
    const name = serviceLabel(given.service)
    const isServers = server.services.some(({ baseUrl }) => baseUrl === given.service?.baseUrl)
    return (
      <Step number={1} title={words.title} {...done}>
        <p>
          <VisibleText text={isServers ? words.given(name) : words.kept(name)} charsMax={GIVEN_CHARS_MAX} />
        </p>
      </Step>
    )
  }
  if (server.demo === undefined)
    return (
      <Step number={1} title={words.title} {...asked} {...done}>
        <Address run={run} />
      </Step>
    )
  const demoAside =
    draft.service === 'demo' && (reached === 'ok' || reached === 'failed' || reached === 'running')
      ? words.demoAside[reached === 'ok' ? 'reached' : reached === 'failed' ? 'failed' : 'trying']
      : undefined
  return (
    <Step number={1} title={words.title} {...asked} {...done}>
      <RadioCards
        legend={words.legend}
        value={draft.service}
        onChange={(service) => change({ service })}
        cards={[
          {
            value: 'demo',
            title: words.demo,
            aside: demoAside,
            text: words.demoText(server.demo.nodes.length),
          },
          { value: 'own', title: words.own, children: <Address run={run} /> },
        ]}
      />
    </Step>
  )
}

const GIVEN_CHARS_MAX = 400

function Address({ run }: { readonly run: FirstRun }) {
  const { server } = useConfiguration()
  const { draft, change, blocked, connectionTest, key, test } = run
  const isChosen = draft.service === 'own'
  return (
    <AddressFields
      hideLabel={server.demo !== undefined}
      isIdle={!isChosen}
      address={draft.address}
      via={draft.via}
      canProxy={server.canAddServices}
      checked={checkAddress(draft.address, draft.via, location.origin)}
      isAsked={blocked === 'address'}
      onAddress={(address) => change({ address, service: 'own' })}
      onVia={(via) => change({ via })}
      onLeave={() => {
        if (isChosen && connectionTest.phase === 'idle') void test(key)
      }}
    />
  )
}

const keyQuestionWords = firstRunTexts.key

export const KeyQuestion = ({ run }: { readonly run: FirstRun }) =>
  run.credential === 'key' ? <WhichKey run={run} /> : <NoKey run={run} credential={run.credential} />

type NoKeyProps = { readonly run: FirstRun; readonly credential: Exclude<Credential, 'key'> }

/** Shown instead of the key questions if this browser signs nothing. */
function NoKey({ run: { service }, credential }: NoKeyProps) {
  const { server } = useConfiguration()
  const signed = server.signedByServer?.find((each) => service.ok && each.service === service.value.baseUrl)
  return (
    <Step number={2} title={keyQuestionWords.title} doneLabel={firstRunTexts.done}>
      <p>
        {keyQuestionWords.without[credential]}{' '}
        {credential === 'server' && signed && <ShortKey publicKey={signed.publicKey} />}
      </p>
    </Step>
  )
}

function WhichKey({ run }: { readonly run: FirstRun }) {
  const { keys } = useKeys()
  const newest = keys.at(-1)
  const { draft, change, hasKey, isDemo, keyIntake } = run
  const { intake } = keyIntake
  const isAsked = run.blocked === 'key' || run.blocked === 'key-service' || run.blocked === 'make-failed'
  const made = intake.phase === 'ready' && intake.origin === 'made' ? intake.key : undefined
  const cards: readonly (RadioCard<Draft['key']> | undefined)[] = [
    newest && {
      value: 'existing',
      title: keyQuestionWords.existing,
      aside: <ShortKey publicKey={newest.publicKey} />,
      text: keyQuestionWords.existingText,
    },
    {
      value: 'make',
      title: isDemo ? keyQuestionWords.makeDemo : keyQuestionWords.make,
      text: isDemo ? keyQuestionWords.makeDemoText : keyQuestionWords.makeText,
      ...(made && { aside: <ShortKey publicKey={made.publicKey} /> }),
      ...(!isDemo && draft.key === 'make' && { children: <MakeNow run={run} made={made} /> }),
    },
    {
      value: 'bring',
      title: keyQuestionWords.bring,
      text: keyQuestionWords.bringText,
      ...(draft.key === 'bring' && {
        children: (
          <BringKey
            keyIntake={keyIntake}
            services={() => run.keyServices}
            onReady={async (key) => run.test(key)}
          />
        ),
      }),
    },
  ]
  return (
    <Step
      number={2}
      title={keyQuestionWords.title}
      askedCount={isAsked ? run.blockedCount : 0}
      {...(hasKey && { doneLabel: firstRunTexts.done })}
    >
      <RadioCards
        legend={keyQuestionWords.legend}
        value={draft.key}
        onChange={(key) => change({ key })}
        cards={cards.filter((card) => card !== undefined)}
      />
      <AlsoFor run={run} />
    </Step>
  )
}

function AlsoFor({ run: { others, draft, change } }: { readonly run: FirstRun }) {
  if (others.length === 0) return null
  return (
    <fieldset>
      <legend>{keyQuestionWords.alsoFor}</legend>
      {others.map((service) => {
        const { baseUrl } = service
        const without = draft.withoutKey.filter((other) => other !== baseUrl)
        return (
          <CheckBox
            key={baseUrl}
            label={toVisibleText(serviceLabel(service), GIVEN_CHARS_MAX)}
            checked={!draft.withoutKey.includes(baseUrl)}
            onChange={(checked) => change({ withoutKey: checked ? without : [...without, baseUrl] })}
          />
        )
      })}
    </fieldset>
  )
}

function MakeNow({ run, made }: { readonly run: FirstRun; readonly made: KeyInfo | undefined }) {
  const { intake, make } = run.keyIntake
  if (made !== undefined) return <ShownKey publicKey={made.publicKey} title={formTexts.key.made} />
  const makeAndTest = async (): Promise<void> => {
    const outcome = await make(keyQuestionWords.madeLabel, undefined, run.keyServices)
    if (outcome.phase === 'ready') await run.test(outcome.key)
  }
  return (
    <div className="flow">
      <Button size="small" busy={intake.phase === 'busy'} onClick={() => void makeAndTest()}>
        {keyQuestionWords.makeNow}
      </Button>
      <span className="text-12 ink-3">{keyQuestionWords.makeNowHint}</span>
    </div>
  )
}

const nodesQuestionWords = firstRunTexts.nodes

export function NodesQuestion({ run }: { readonly run: FirstRun }) {
  const { given, nodesText, changeNodes } = run
  if (given.nodeCount > 0)
    return (
      <Step number={3} title={nodesQuestionWords.title} doneLabel={firstRunTexts.done}>
        <p>{nodesQuestionWords.given(given.nodeCount)}</p>
      </Step>
    )
  return (
    <Step
      number={3}
      title={nodesQuestionWords.title}
      askedCount={run.blocked === 'nodes' ? run.blockedCount : 0}
    >
      <NodesField
        label={nodesQuestionWords.label}
        hideLabel
        rows={3}
        text={nodesText}
        services={run.listServices}
        onAddService={run.addService}
        onChange={changeNodes}
        onFileText={changeNodes}
        hint={nodesQuestionWords.hint}
      />
    </Step>
  )
}

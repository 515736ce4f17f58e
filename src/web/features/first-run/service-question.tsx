import { AddressFields } from '#parts/address-fields.tsx'
import { checkAddress } from '#protocol/address-check.ts'
import { serviceName } from '#record/service.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { firstRunTexts } from '#texts/en-first-run.ts'
import { Step } from '#ui/first-run.tsx'
import { RadioCards } from '#ui/radio-cards.tsx'
import { VisibleText } from '#ui/visible-text.tsx'
import type { FirstRun } from './use-first-run.ts'

const words = firstRunTexts.service

export function ServiceQuestion({ run }: { readonly run: FirstRun }) {
  const { server } = useConfiguration()
  const { draft, change, given, connectionTest } = run
  const reached = connectionTest.steps.find(({ name }) => name === 'reached')?.state
  const done = { ...((reached === 'ok' || given.service) && { doneLabel: firstRunTexts.answered }) }
  if (given.service !== undefined) {
    const name = given.service.label ?? serviceName(given.service.baseUrl)
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
      <Step number={1} title={words.title} {...done}>
        <Address run={run} />
      </Step>
    )
  const demoAside =
    draft.service === 'demo' && (reached === 'ok' || reached === 'failed' || reached === 'running')
      ? words.demoAside[reached === 'ok' ? 'reached' : reached === 'failed' ? 'failed' : 'trying']
      : undefined
  return (
    <Step number={1} title={words.title} {...done}>
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
  const { draft, change, blocked, connectionTest, hasKey, test } = run
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
        if (isChosen && connectionTest.phase === 'idle') void test(hasKey)
      }}
    />
  )
}

import { hrefOf, PATHS } from '#react/routes.ts'
import { aboutTexts as words } from '#texts/en-about.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { Columns, PageHead } from '#ui/page.tsx'
import { SelfTests } from './self-tests.tsx'
import { VERSION } from '#texts/version.ts'
import { Panel } from '#ui/panel.tsx'
import { Properties, property } from '#ui/properties.tsx'
import { useConfiguration, useKeys, useStore } from '#react/use-fleet.ts'
import { SHIPPED_PACKAGES } from '#texts/shipped-packages.ts'
import { Disclosure } from '#ui/settings-layout.tsx'
import { keptCopies, undoSteps } from '#react/platform.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useTokens } from '#react/use-tokens.ts'
import type { KeyInfo } from '#signer/api.ts'
import { historyTexts } from '#texts/en-history.ts'

export const AboutPage = () => (
  <div className="page">
    <PageHead crumb={{ href: hrefOf(PATHS.settings), label: settingsTexts.title }} title={words.title} />
    <Columns
      main={
        <>
          <SelfTests />
          <KeptWhere />
        </>
      }
      side={
        <>
          <Product />
          <SignerFacts />
          <Packages />
        </>
      }
    />
  </div>
)

const Product = () => (
  <Panel title={words.product}>
    <Properties
      items={[
        property(words.version, VERSION),
        property(words.licence, words.licenceName),
        property(words.source, words.sourceText(location.origin)),
      ]}
    />
    <p className="text-12 ink-3">{words.noWarranty}</p>
  </Panel>
)

const { facts, kept } = words

function SignerFacts() {
  const { report, failed } = useKeys()
  return (
    <Panel title={words.signer}>
      {report === undefined ? (
        <p>{failed ? settingsTexts.key.failed : words.checking}</p>
      ) : (
        <Properties
          items={[
            property(facts.network, facts.networks[report.network]),
            property(facts.cryptography, facts.cryptographies[report.cryptography]),
            property(facts.worker, facts.workers[report.worker]),
            property(facts.storage, facts.storages[report.storage ? 'yes' : 'no']),
          ]}
        />
      )}
    </Panel>
  )
}

/** Created by the build; lists this product's licence first. */
const LICENCES_FILE = 'licences.txt'

const Packages = () => (
  <Panel title={words.packages}>
    <p>{words.packagesText}</p>
    <p>
      <a className="link" href={LICENCES_FILE} target="_blank" rel="noreferrer">
        {words.licencesLink}
      </a>
    </p>
    <Disclosure summary={words.packagesShow(SHIPPED_PACKAGES.length)}>
      <Properties
        items={SHIPPED_PACKAGES.map(([name, version, licence]) => property(`${name} ${version}`, licence))}
      />
    </Disclosure>
  </Panel>
)

function KeptWhere() {
  const { settings } = useConfiguration()
  const { keys } = useKeys()
  const tokens = useTokens()
  const seen = useSeen()
  const inMemory = tokens?.filter(({ place }) => place === 'session').length ?? 0
  const onDevice = (tokens?.length ?? 0) - inMemory
  const items = [
    property(kept.settings, kept.settingsText(settings.services.length, settings.nodes.length)),
    property(kept.undo, kept.undoText(undoSteps().length, keptCopies().length)),
    property(kept.keys, keysText(keys)),
    tokens &&
      property(kept.tokens, tokens.length === 0 ? kept.noTokens : kept.tokensText(inMemory, onDevice)),
    seen !== undefined && property(kept.seen, seen),
    property(kept.server, kept.serverText),
    property(kept.nowhere, kept.nowhereText),
  ]
  return (
    <Panel title={kept.title}>
      <Properties items={items} />
      <p>
        <a className="link" href={hrefOf(`${PATHS.settings}/storage`)}>
          {kept.change}
        </a>
      </p>
    </Panel>
  )
}

function useSeen(): string | undefined {
  const status = useStore(useDashboard().history, (now) => now)
  if (status === undefined) return undefined
  const { state, failure, bytes, budgetBytes } = status
  return [
    kept.seenText(historyTexts.states[state], historyTexts.used(bytes, budgetBytes)),
    ...(failure === undefined ? [] : [historyTexts.why[failure]]),
  ].join(' ')
}

const CUSTODIES = ['device', 'vault', 'session'] as const

function keysText(keys: readonly KeyInfo[]): string {
  const texts = CUSTODIES.flatMap((custody) => {
    const count = keys.filter((key) => key.custody === custody).length
    return count === 0 ? [] : [kept.custody[custody](count)]
  })
  return texts.length === 0 ? kept.noKeys : texts.join(' ')
}

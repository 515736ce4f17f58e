import { hrefOf, PATHS } from '#react/routes.ts'
import { aboutTexts as words } from '#texts/en-about.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { Columns, PageHead } from '#ui/page.tsx'
import { KeptWhere } from './kept-where.tsx'
import { SelfTests } from './self-tests.tsx'
import { VERSION } from '#texts/version.ts'
import { Panel } from '#ui/panel.tsx'
import { Properties, property } from '#ui/properties.tsx'
import { useKeys } from '#react/use-fleet.ts'
import { SHIPPED_PACKAGES } from '#texts/shipped-packages.ts'
import { Disclosure } from '#ui/settings-layout.tsx'

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

const { facts } = words

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

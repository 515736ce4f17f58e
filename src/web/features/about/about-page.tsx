import { hrefOf, PATHS } from '#react/routes.ts'
import { aboutTexts as words } from '#texts/en-about.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { Columns, PageHead } from '#ui/page.tsx'
import { KeptWhere } from './kept-where.tsx'
import { SelfTests } from './self-tests.tsx'
import { VERSION } from '#texts/version.ts'
import { Panel } from '#ui/panel.tsx'
import { Properties } from '#ui/properties.tsx'
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
        { id: 'version', label: words.version, value: VERSION },
        { id: 'licence', label: words.licence, value: words.licenceName },
        { id: 'source', label: words.source, value: words.sourceText(location.origin) },
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
            { id: 'network', label: facts.network, value: facts.networks[report.network] },
            {
              id: 'cryptography',
              label: facts.cryptography,
              value: facts.cryptographies[report.cryptography],
            },
            { id: 'worker', label: facts.worker, value: facts.workers[report.worker] },
            { id: 'storage', label: facts.storage, value: facts.storages[report.storage ? 'yes' : 'no'] },
          ]}
        />
      )}
    </Panel>
  )
}

/** Built by the build; lists this product's licence first. */
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
        items={SHIPPED_PACKAGES.map(([name, version, licence]) => ({
          id: name,
          label: `${name} ${version}`,
          value: licence,
        }))}
      />
    </Disclosure>
  </Panel>
)

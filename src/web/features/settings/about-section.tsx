import { useKeys } from '#react/use-fleet.ts'
import type { SignerReport } from '#signer/api.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { SHIPPED_PACKAGES } from '#texts/shipped-packages.ts'
import { VERSION } from '#texts/version.ts'
import { Panel, PlainPanel } from '#ui/panel.tsx'
import { Properties } from '#ui/properties.tsx'
import { Disclosure, SettingsSection } from '#ui/settings-layout.tsx'
import { headingId } from './sections.ts'

const words = settingsTexts.about

export function AboutSection() {
  const { report, failed } = useKeys()
  return (
    <SettingsSection id={headingId('about')} title={settingsTexts.sections.about}>
      <PlainPanel label={settingsTexts.sections.about}>
        <Properties
          items={[
            { id: 'version', label: words.version, value: VERSION },
            { id: 'licence', label: words.licence, value: words.licenceName },
          ]}
        />
      </PlainPanel>
      <Panel title={words.signer}>
        {report === undefined ? (
          <p>{failed ? words.failed : words.checking}</p>
        ) : (
          <SignerFacts report={report} />
        )}
      </Panel>
      <Panel title={words.packages}>
        <p>{words.packagesText}</p>
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
    </SettingsSection>
  )
}

const SignerFacts = ({ report }: { readonly report: SignerReport }) => (
  <Properties
    items={[
      { id: 'network', label: words.network, value: words.networks[report.network] },
      { id: 'cryptography', label: words.cryptography, value: words.cryptographies[report.cryptography] },
      { id: 'worker', label: words.worker, value: words.workers[report.worker] },
      { id: 'storage', label: words.storage, value: words.storages[report.storage ? 'yes' : 'no'] },
    ]}
  />
)

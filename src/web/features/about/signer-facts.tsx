import { useKeys } from '#react/use-fleet.ts'
import { aboutTexts as words } from '#texts/en-about.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { Panel } from '#ui/panel.tsx'
import { Properties } from '#ui/properties.tsx'

const { facts } = words

/** What the signer reported at its start. */
export function SignerFacts() {
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

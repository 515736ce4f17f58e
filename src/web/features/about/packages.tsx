import { aboutTexts as words } from '#texts/en-about.ts'
import { SHIPPED_PACKAGES } from '#texts/shipped-packages.ts'
import { Panel } from '#ui/panel.tsx'
import { Properties } from '#ui/properties.tsx'
import { Disclosure } from '#ui/settings-layout.tsx'

/** Made by the build, with the licence of this product first. */
const LICENCES_FILE = 'licences.txt'

export const Packages = () => (
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

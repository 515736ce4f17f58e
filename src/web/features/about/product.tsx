import { aboutTexts as words } from '#texts/en-about.ts'
import { VERSION } from '#texts/version.ts'
import { Panel } from '#ui/panel.tsx'
import { Properties } from '#ui/properties.tsx'

export const Product = () => (
  <Panel title={words.product}>
    <Properties
      items={[
        { id: 'version', label: words.version, value: VERSION },
        { id: 'licence', label: words.licence, value: words.licenceName },
        { id: 'source', label: words.source, value: words.sourceText(location.origin) },
      ]}
    />
    <p className="t12 ink3">{words.noWarranty}</p>
  </Panel>
)

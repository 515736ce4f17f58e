import { useState } from 'react'
import { DEFAULTS } from '#base/defaults.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { Button } from '#ui/button.tsx'
import { Empty } from '#ui/empty.tsx'
import { SettingsSection } from '#ui/settings-layout.tsx'
import { AddService, useAddDraft } from './add-service.tsx'
import { AddedServices } from './added-services.tsx'
import { headingId } from '#features/settings/sections.ts'
import { ServiceCard } from './service-card.tsx'

const words = settingsTexts.services

export function ServicesSection() {
  const { effective, settings } = useConfiguration()
  const [draft] = useAddDraft('')
  const [isAdding, setAdding] = useState(draft !== undefined)
  const isFull = settings.services.length >= DEFAULTS.servicesMax
  return (
    <SettingsSection id={headingId('services')} title={settingsTexts.sections.services} lead={words.lead}>
      {effective.services.length === 0 && <Empty title={words.none}>{words.noneText}</Empty>}
      {effective.services.map((service) => (
        <ServiceCard key={service.baseUrl} service={service} />
      ))}
      {isFull ? (
        <p className="t12 ink3">{words.tooMany(DEFAULTS.servicesMax)}</p>
      ) : isAdding ? (
        <AddService onDone={() => setAdding(false)} />
      ) : (
        <div>
          <Button onClick={() => setAdding(true)}>{words.add}</Button>
        </div>
      )}
      <AddedServices />
    </SettingsSection>
  )
}

import { useState } from 'react'
import { serviceName } from '#protocol/service.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { profileTexts as words } from '#texts/en-profiles.ts'
import { Empty } from '#ui/empty.tsx'
import { SelectField } from '#ui/select-field.tsx'
import { SettingsSection } from '#ui/settings-layout.tsx'
import { ProfileEditor } from './profile-editor.tsx'
import { headingId } from './sections.ts'

/** The signing profile of one service at a time. */
export function ProfileSection() {
  const { services } = useConfiguration().effective
  const [chosen, setChosen] = useState<string>()
  const service = services.find(({ baseUrl }) => baseUrl === chosen) ?? services[0]
  return (
    <SettingsSection id={headingId('signing')} title={words.title} lead={words.lead}>
      {service === undefined ? (
        <Empty title={words.noService} />
      ) : (
        <>
          {services.length > 1 && (
            <SelectField
              label={words.service}
              value={service.baseUrl}
              options={services.map(({ baseUrl, label }) => ({
                value: baseUrl,
                label: label ?? serviceName(baseUrl),
              }))}
              onChange={setChosen}
            />
          )}
          <ProfileEditor key={service.baseUrl} service={service} />
        </>
      )}
    </SettingsSection>
  )
}

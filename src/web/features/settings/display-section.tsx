import { CONTRASTS, THEMES, TIME_ZONES, type Settings } from '#settings/schema.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { PlainPanel } from '#ui/panel.tsx'
import { Properties } from '#ui/properties.tsx'
import { choiceRow } from '#ui/choices.tsx'
import { SettingsSection } from '#ui/settings-layout.tsx'
import { headingId } from './sections.ts'
import { SavedNote, useSave } from '#parts/save.tsx'

const words = settingsTexts.display

/** Choices apply immediately. */
export function DisplaySection() {
  const { display } = useConfiguration().settings
  const { save, saved } = useSave()
  const set = (part: Partial<Settings['display']>): void => {
    save((settings) => ({ ...settings, display: { ...settings.display, ...part } }))
  }
  return (
    <SettingsSection id={headingId('display')} title={settingsTexts.sections.display}>
      <PlainPanel label={settingsTexts.sections.display}>
        <Properties
          items={[
            choiceRow('theme', {
              legend: words.theme,
              value: display.theme,
              options: THEMES.map((value) => ({ value, label: words.themes[value] })),
              onChange: (theme) => set({ theme }),
            }),
            choiceRow('contrast', {
              legend: words.contrast,
              value: display.contrast,
              options: CONTRASTS.map((value) => ({ value, label: words.contrasts[value] })),
              onChange: (contrast) => set({ contrast }),
            }),
            choiceRow('times', {
              legend: words.times,
              value: display.timeZone,
              options: TIME_ZONES.map((value) => ({ value, label: words.timeZones[value] })),
              onChange: (timeZone) => set({ timeZone }),
            }),
          ]}
        />
        <p className="text-12 ink-3">{words.timesHint}</p>
        <SavedNote saved={saved} />
      </PlainPanel>
    </SettingsSection>
  )
}

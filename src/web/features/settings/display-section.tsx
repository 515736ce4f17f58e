import type { Settings } from '#settings/schema.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { PlainPanel } from '#ui/panel.tsx'
import { Properties } from '#ui/properties.tsx'
import { choiceRow } from '#ui/choices.tsx'
import { SavedNote, useSave } from '#parts/save.tsx'

const words = settingsTexts.display

export function DisplaySection() {
  const { display } = useConfiguration().settings
  const { save, saved } = useSave()
  const set = (part: Partial<Settings['display']>): void => {
    save((settings) => ({ ...settings, display: { ...settings.display, ...part } }))
  }
  return (
    <PlainPanel label={settingsTexts.sections.display}>
      <Properties
        items={[
          choiceRow(words.theme, display.theme, words.themes, (theme) => set({ theme })),
          choiceRow(words.contrast, display.contrast, words.contrasts, (contrast) => set({ contrast })),
          choiceRow(words.times, display.timeZone, words.timeZones, (timeZone) => set({ timeZone })),
        ]}
      />
      <p className="text-12 ink-3">{words.timesHint}</p>
      <SavedNote saved={saved} />
    </PlainPanel>
  )
}

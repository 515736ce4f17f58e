import { useState } from 'react'
import type { Settings } from '#settings/settings.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { transferTexts } from '#texts/en-transfer.ts'
import { Button } from '#ui/button.tsx'
import { Flow } from '#ui/page.tsx'
import { Panel } from '#ui/panel.tsx'
import { FieldGrid } from '#ui/settings-layout.tsx'
import { TextField } from '#ui/text-field.tsx'
import { SavedNote, useSave } from '#features/settings/save.tsx'

const words = transferTexts.retention
const MEGABYTE = 1_000_000

/** How long each resolution is kept, and how much room it may take. */
export function HistoryRetention() {
  const { history } = useConfiguration().settings
  const { save, saved, edited } = useSave()
  const [draft, setDraft] = useState<Partial<Record<keyof Settings['history'], string>>>({})
  const field = (name: keyof Settings['history'], label: string, hint: string) => (
    <TextField
      type="number"
      inputMode="numeric"
      label={label}
      hint={hint}
      value={
        draft[name] ?? String(name === 'budgetBytes' ? Math.round(history[name] / MEGABYTE) : history[name])
      }
      onChange={(text) => {
        edited()
        setDraft({ ...draft, [name]: text })
      }}
    />
  )
  const keep = (): void => {
    const given = (name: keyof Settings['history'], factor = 1): number =>
      draft[name] === undefined ? history[name] : Number(draft[name]) * factor
    const next = {
      samplesDays: given('samplesDays'),
      sumsDays: given('sumsDays'),
      budgetBytes: given('budgetBytes', MEGABYTE),
    }
    if (save((settings) => ({ ...settings, history: next }))) setDraft({})
  }
  return (
    <Panel title={words.title}>
      <FieldGrid>
        {field('samplesDays', words.samplesDays, words.samplesHint)}
        {field('sumsDays', words.sumsDays, words.sumsHint)}
        {field('budgetBytes', words.budget, words.budgetHint)}
      </FieldGrid>
      <Flow>
        <Button size="small" onClick={keep}>
          {words.save}
        </Button>
        <SavedNote saved={saved} />
      </Flow>
    </Panel>
  )
}

import { useState } from 'react'
import { useDashboard } from '#react/dashboard.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { Button } from '#ui/button.tsx'
import { Flow } from '#ui/page.tsx'
import { PlainPanel } from '#ui/panel.tsx'
import { Properties } from '#ui/properties.tsx'
import { SettingsSection } from '#ui/settings-layout.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { headingId } from './sections.ts'

const words = settingsTexts.storage

/** What this product keeps and where, and the way to be rid of it. */
export function StorageSection() {
  const { forgetEverything } = useDashboard()
  const [isAsking, setAsking] = useState(false)
  return (
    <SettingsSection id={headingId('storage')} title={settingsTexts.sections.storage}>
      <PlainPanel label={settingsTexts.sections.storage}>
        <Properties items={words.items.map(({ what, where }) => ({ id: what, label: what, value: where }))} />
        <Flow>
          <Button look="danger" onClick={() => setAsking(true)}>
            {words.forget}
          </Button>
          <span className="t12 ink3">{words.forgetText}</span>
        </Flow>
      </PlainPanel>
      <ConfirmDialog
        open={isAsking}
        title={words.forgetTitle}
        confirm={words.forgetConfirm}
        onClose={() => setAsking(false)}
        onConfirm={() => void forgetEverything()}
      >
        {words.forgetLines.map((line) => (
          <p key={line}>{line}</p>
        ))}
      </ConfirmDialog>
    </SettingsSection>
  )
}

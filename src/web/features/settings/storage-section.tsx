import { useState } from 'react'
import { useDashboard } from '#react/dashboard.ts'
import { saveFile } from '#react/save-file.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { keyTexts } from '#texts/en-keys.ts'
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
  const { settings } = useConfiguration()
  const [isAsking, setAsking] = useState(false)
  const [isPartly, setPartly] = useState(false)
  const forget = async (): Promise<void> => setPartly(!(await forgetEverything()))
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
        <p role="alert" className="t12 ink1">
          {isPartly && keyTexts.forget.partly}
        </p>
      </PlainPanel>
      <ConfirmDialog
        open={isAsking}
        title={words.forgetTitle}
        confirm={words.forgetConfirm}
        onClose={() => setAsking(false)}
        onConfirm={() => void forget()}
      >
        <Flow>
          <Button
            size="small"
            onClick={() => saveFile(keyTexts.forget.backupName, JSON.stringify(settings, undefined, 2))}
          >
            {keyTexts.forget.backup}
          </Button>
          <span className="t12 ink3">{keyTexts.forget.backupText}</span>
        </Flow>
        {words.forgetLines.map((line) => (
          <p key={line}>{line}</p>
        ))}
      </ConfirmDialog>
    </SettingsSection>
  )
}

import { useState } from 'react'
import { useDashboard } from '#react/dashboard.ts'
import { ABOUT_PATH, hrefOf } from '#react/routes.ts'
import { saveFile } from '#react/save-file.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { keyTexts } from '#texts/en-keys.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { Button } from '#ui/button.tsx'
import { Flow } from '#ui/page.tsx'
import { PlainPanel } from '#ui/panel.tsx'
import { SettingsSection } from '#ui/settings-layout.tsx'
import { VaultCopies } from './vault-copies.tsx'
import { ConfirmDialog } from '#parts/confirm-dialog.tsx'
import { BackupDue } from './backup-due.tsx'
import { Backups, NodeFiles } from './history-files.tsx'
import { HistoryRetention } from './history-retention.tsx'
import { HistoryKept } from './history-kept.tsx'
import { headingId } from '#features/settings/sections.ts'

const words = settingsTexts.storage

/** What was seen, how long it is kept, and the way to be rid of all that is kept; what lies where stands on the About page. */
export function StorageSection() {
  const { forgetEverything } = useDashboard()
  const { settings } = useConfiguration()
  const [isAsking, setAsking] = useState(false)
  const [isPartly, setPartly] = useState(false)
  const forget = async (): Promise<void> => setPartly(!(await forgetEverything()))
  return (
    <SettingsSection id={headingId('storage')} title={settingsTexts.sections.storage}>
      <PlainPanel label={settingsTexts.sections.storage}>
        <p>
          <a className="link" href={hrefOf(ABOUT_PATH)}>
            {words.keptWhere}
          </a>
        </p>
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
      <HistoryKept />
      <BackupDue />
      <HistoryRetention />
      <NodeFiles />
      <Backups />
      <ConfirmDialog
        open={isAsking}
        title={words.forgetTitle}
        confirm={words.forgetConfirm}
        onClose={() => setAsking(false)}
        onConfirm={() => void forget()}
      >
        <VaultCopies />
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

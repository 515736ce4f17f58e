import { useState } from 'react'
import { useDashboard } from '#react/dashboard.ts'
import { hrefOf, PATHS } from '#react/routes.ts'
import { saveFile } from '#react/platform.ts'
import { useConfiguration, useKeys } from '#react/use-fleet.ts'
import { keyTexts } from '#texts/en-keys.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { Button } from '#ui/button.tsx'
import { PlainPanel } from '#ui/panel.tsx'
import { ConfirmDialog } from '#parts/confirm-dialog.tsx'
import { HistoryRetention, HistoryKept } from './history-section.tsx'
import { shortKey } from '#parts/shown-key.tsx'
import { useVaultCopy } from '#features/settings/keys/key-vault.tsx'

const words = settingsTexts.storage

export function StorageSection() {
  const { forgetEverything } = useDashboard()
  const { settings } = useConfiguration()
  const [isAsking, setAsking] = useState(false)
  const [isPartly, setPartly] = useState(false)
  const forget = async (): Promise<void> => setPartly(!(await forgetEverything()))
  return (
    <>
      <PlainPanel label={settingsTexts.sections.storage}>
        <p>
          <a className="link" href={hrefOf(PATHS.about)}>
            {words.keptWhere}
          </a>
        </p>
        <div className="flow">
          <Button look="danger" onClick={() => setAsking(true)}>
            {words.forget}
          </Button>
          <span className="text-12 ink-3">{words.forgetText}</span>
        </div>
        <p role="alert" className="text-12 ink-1">
          {isPartly && keyTexts.forget.partly}
        </p>
      </PlainPanel>
      <HistoryKept />
      <HistoryRetention />
      <ConfirmDialog
        open={isAsking}
        title={words.forgetTitle}
        confirm={words.forgetConfirm}
        onClose={() => setAsking(false)}
        onConfirm={() => void forget()}
      >
        <VaultCopies />
        <div className="flow">
          <Button
            size="small"
            onClick={() => saveFile(keyTexts.forget.backupName, JSON.stringify(settings, undefined, 2))}
          >
            {keyTexts.forget.backup}
          </Button>
          <span className="text-12 ink-3">{keyTexts.forget.backupText}</span>
        </div>
        {words.forgetLines.map((line) => (
          <p key={line}>{line}</p>
        ))}
      </ConfirmDialog>
    </>
  )
}

const vaultCopiesWords = keyTexts.forget

function VaultCopies() {
  const { keys } = useKeys()
  const { isFailed, save } = useVaultCopy()
  const vaults = keys.filter(({ custody }) => custody === 'vault')
  const others = keys.filter(({ custody }) => custody !== 'vault')
  return (
    <>
      {vaults.length > 0 && (
        <div className="flow">
          {vaults.map((key) => (
            <Button key={key.publicKey} size="small" onClick={() => void save(key.publicKey)}>
              {vaultCopiesWords.vault(shortKey(key))}
            </Button>
          ))}
          <span className="text-12 ink-3">{keyTexts.move.exportText}</span>
        </div>
      )}
      <p role="alert" className="text-12 ink-1">
        {isFailed && vaultCopiesWords.vaultFailed}
      </p>
      {others.length > 0 && <p>{vaultCopiesWords.noCopy(others.map(shortKey))}</p>}
    </>
  )
}

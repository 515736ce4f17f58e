import { useState } from 'react'
import type { NodeKey } from '#fleet/live.ts'
import type { Salvaged } from '#settings/salvage-settings.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useConfiguration, useFleet } from '#react/use-fleet.ts'
import { useTransfer } from '#react/use-transfer.ts'
import { ExportForm } from '#parts/export-form.tsx'
import { TransferLine } from '#parts/transfer-line.tsx'
import { transferTexts } from '#texts/en-transfer.ts'
import { Button } from '#ui/button.tsx'
import { FileField } from '#ui/file-field.tsx'
import { Flow } from '#ui/page.tsx'
import { Panel } from '#ui/panel.tsx'
import { SelectField } from '#ui/select-field.tsx'
import { ConfirmDialog } from '#parts/confirm-dialog.tsx'
import { settingsInBackup, takeSettings } from './backup-settings.ts'

const words = transferTexts.files

/** Files of one node's history, and its end. */
export function NodeFiles() {
  const nodes = useFleet((fleet) => fleet.nodes)
  const [chosen, setChosen] = useState<NodeKey>()
  const [isAsking, setAsking] = useState(false)
  const transfer = useTransfer()
  const all = Array.from(nodes.values())
  const node = chosen ?? all[0]?.key
  if (node === undefined) return null
  return (
    <Panel title={transferTexts.export.title}>
      <ExportForm node={node}>
        <SelectField
          label={transferTexts.export.node}
          value={node}
          options={all.map(({ key, name, nodeId }) => ({ value: key, label: name ?? nodeId ?? key }))}
          onChange={setChosen}
        />
      </ExportForm>
      <FileField
        label={words.import}
        prompt={words.importPrompt}
        hint={words.importHint}
        accept=".json"
        onFile={(file) => void transfer.run({ what: 'import', file })}
      />
      <Flow>
        <Button look="danger" size="small" onClick={() => setAsking(true)}>
          {words.remove}
        </Button>
      </Flow>
      <TransferLine transfer={transfer} />
      <ConfirmDialog
        open={isAsking}
        title={words.removeTitle}
        confirm={words.removeConfirm}
        onClose={() => setAsking(false)}
        onConfirm={() => void transfer.run({ what: 'delete', node })}
      >
        <p>{nodes.get(node)?.name ?? node}</p>
        <p>{words.removeText}</p>
      </ConfirmDialog>
    </Panel>
  )
}

/** Everything in one file, and back. */
export function Backups() {
  const { fleet, engine, saveSettings } = useDashboard()
  const { settings } = useConfiguration()
  const transfer = useTransfer()
  const [chosen, setChosen] = useState<{ readonly file: File; readonly found: Salvaged | undefined }>()
  const backUp = async (): Promise<void> => {
    const { wallMs } = fleet.get()
    const name = `immune-backup-${new Date(wallMs).toISOString().slice(0, 10)}.ndjson`
    const { kind } = await transfer.run({ what: 'backup', settings }, name)
    if (kind === 'done') await engine.appendEvents([{ wallMs, area: 'operator', what: 'backup-made' }])
  }
  const restore = async (file: File): Promise<void> => {
    const end = await transfer.run({ what: 'restore', file })
    const salvaged = end.kind === 'done' ? takeSettings(end.settings) : undefined
    if (salvaged !== undefined && salvaged.used !== 'nothing') saveSettings(salvaged.settings)
    const { wallMs } = fleet.get()
    if (end.kind === 'done')
      await engine.appendEvents([
        { wallMs, area: 'operator', what: 'backup-restored', facts: { rows: end.rows } },
      ])
  }
  return (
    <Panel title={words.title}>
      <Flow>
        <Button busy={transfer.share !== undefined} onClick={() => void backUp()}>
          {words.backup}
        </Button>
        <span className="t12 ink3">{words.backupText}</span>
      </Flow>
      <FileField
        label={words.restore}
        prompt={words.restorePrompt}
        accept=".ndjson"
        onFile={(file) => void settingsInBackup(file).then((found) => setChosen({ file, found }))}
      />
      <TransferLine transfer={transfer} />
      <ConfirmDialog
        open={chosen !== undefined}
        title={words.restoreTitle}
        confirm={words.restoreConfirm}
        onClose={() => setChosen(undefined)}
        onConfirm={() => chosen && void restore(chosen.file)}
      >
        <p>{words.restoreText}</p>
        {chosen?.found !== undefined && chosen.found.used !== 'all' && (
          <p>
            {chosen.found.used === 'nothing'
              ? words.settingsUnreadable(chosen.found.isNewer)
              : words.settingsInPart(chosen.found.droppedCount, chosen.found.isNewer)}
          </p>
        )}
      </ConfirmDialog>
    </Panel>
  )
}

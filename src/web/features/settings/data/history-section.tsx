import { useEffect, useState } from 'react'
import { useDashboard } from '#react/dashboard.ts'
import { askToPersist, isPersistent } from '#react/platform.ts'
import { useConfiguration, useFleet, useStore } from '#react/use-fleet.ts'
import { historyTexts } from '#texts/en-history.ts'
import { formatMoment } from '#texts/format-time.ts'
import { Button } from '#ui/button.tsx'
import { Panel } from '#ui/panel.tsx'
import { Properties, property } from '#ui/properties.tsx'
import { SettingsSchema, type Settings } from '#settings/schema.ts'
import { draftOf, numberField, readFields, type DraftOf } from '#react/form-draft.ts'
import type { Salvaged } from '#settings/documents.ts'
import { createDrafts, useFormChecks } from '#react/drafts.ts'
import { fieldProblemText } from '#texts/en-field-problems.ts'
import { formatCount } from '#texts/format.ts'
import { transferTexts } from '#texts/en-transfer.ts'
import { formFields } from '#ui/form-fields.tsx'
import { Form } from '#ui/settings-layout.tsx'
import { SavedNote, useSave } from '#parts/save.tsx'
import type { NodeKey } from '#fleet/live.ts'
import { useTransfer } from '#react/use-transfer.ts'
import { ExportForm } from '#parts/export-form.tsx'
import { TransferLine } from '#parts/transfer-line.tsx'
import { FileField } from '#ui/secret-field.tsx'
import { SearchSelect } from '#parts/search-select.tsx'
import { BroughtServices } from '#parts/brought-services.tsx'
import { ConfirmDialog } from '#parts/confirm-dialog.tsx'
import { settingsInBackup, takeSettings } from './backup-settings.ts'

export function HistoryKept() {
  const { history, fleet } = useDashboard()
  const status = useStore(history, (now) => now)
  const zone = useConfiguration().settings.display.timeZone
  const [promised, setPromised] = useState<boolean>()
  useEffect(() => {
    void isPersistent().then(setPromised)
  }, [])
  if (status === undefined) return null
  const when = (atMs: number | undefined, none: string = historyTexts.nothingYet): string =>
    atMs === undefined ? none : historyTexts.backTo(formatMoment(atMs, fleet.get().wallMs, zone))
  const { state, reach, bytes, budgetBytes, damaged, removed } = status
  // The first hourly compaction sets `reach.samples`; until then polls are kept in recent batches.
  const recent = state === 'kept' ? historyTexts.underAnHour : historyTexts.sessionOnly
  const items = [
    property(historyTexts.kept.state, historyTexts.states[state]),
    property(historyTexts.kept.samples, when(reach.samples, recent)),
    property(historyTexts.kept.minute, when(reach.minute)),
    property(historyTexts.kept.quarter, when(reach.quarter)),
    property(historyTexts.kept.hour, when(reach.hour)),
    property(historyTexts.kept.bytes, historyTexts.used(bytes, budgetBytes)),
    property(historyTexts.kept.promise, historyTexts.promised(promised)),
    damaged > 0 && property(historyTexts.kept.damaged, historyTexts.damaged(damaged)),
    removed &&
      property(
        historyTexts.kept.removed,
        historyTexts.removed[removed.reason](formatMoment(removed.toMs, fleet.get().wallMs, zone)),
      ),
  ]
  return (
    <Panel title={historyTexts.kept.title}>
      <Properties items={items} />
      {promised === false && (
        <div className="flow">
          <Button size="small" onClick={() => void askToPersist().then(setPromised)}>
            {historyTexts.ask}
          </Button>
          <span className="text-12 ink-3">{historyTexts.askText}</span>
        </div>
      )}
    </Panel>
  )
}

const words = transferTexts.retention
const MEGABYTE = 1_000_000

const RETENTION = {
  samplesDays: numberField('samplesDays', { required: true }),
  rollupsDays: numberField('rollupsDays', { required: true }),
  budgetBytes: numberField('budgetBytes', { scale: MEGABYTE, rounded: true, required: true }),
}

type RetentionFields = DraftOf<typeof RETENTION>

const readRetention = (fields: RetentionFields) =>
  readFields(SettingsSchema.entries.history, RETENTION, fields)

const useRetentionDraft = createDrafts<RetentionFields>()

export function HistoryRetention() {
  const { history } = useConfiguration().settings
  const { save, saved, edited } = useSave()
  const [draft, setDraft] = useRetentionDraft('retention')
  const fields = draft ?? draftOf(RETENTION, history)
  const form = useFormChecks(fields, setDraft, readRetention)
  const { text } = formFields(fields, (name, value) => {
    edited()
    form.change({ [name]: value })
  })
  const field = (name: keyof RetentionFields, label: string, hint: string) =>
    text(name, label, {
      inputMode: 'numeric',
      hint,
      error: fieldProblemText(form.problems[name], (value) =>
        formatCount(name === 'budgetBytes' ? value / MEGABYTE : value),
      ),
    })
  const saveRetention = (next: Settings['history']): void => {
    if (save((settings) => ({ ...settings, history: next }))) setDraft(undefined)
  }
  return (
    <Panel title={words.title}>
      <Form onSubmit={() => form.submit(saveRetention)}>
        <div className="settings-layout-fields">
          {field('samplesDays', words.samplesDays, words.samplesHint)}
          {field('rollupsDays', words.rollupsDays, words.rollupsHint)}
          {field('budgetBytes', words.budget, words.budgetHint)}
        </div>
        <div className="flow">
          <Button size="small" type="submit">
            {words.save}
          </Button>
          <SavedNote saved={saved} />
        </div>
      </Form>
    </Panel>
  )
}

const historyFilesWords = transferTexts.files

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
        <SearchSelect
          label={transferTexts.export.node}
          value={node}
          options={all.map(({ key, name, nodeId }) => ({ value: key, label: name ?? nodeId ?? key }))}
          onChange={setChosen}
        />
      </ExportForm>
      <FileField
        label={historyFilesWords.import}
        prompt={historyFilesWords.importPrompt}
        hint={historyFilesWords.importHint}
        accept=".json"
        onFile={(file) => void transfer.run({ what: 'import', file })}
      />
      <div className="flow">
        <Button look="danger" size="small" onClick={() => setAsking(true)}>
          {historyFilesWords.remove}
        </Button>
      </div>
      <TransferLine transfer={transfer} />
      <ConfirmDialog
        open={isAsking}
        title={historyFilesWords.removeTitle}
        confirm={historyFilesWords.removeConfirm}
        onClose={() => setAsking(false)}
        onConfirm={() => void transfer.run({ what: 'delete', node })}
      >
        <p>{nodes.get(node)?.name ?? node}</p>
        <p>{historyFilesWords.removeText}</p>
      </ConfirmDialog>
    </Panel>
  )
}

export function Backups() {
  const { fleet, engine, saveSettings } = useDashboard()
  const { settings } = useConfiguration()
  const transfer = useTransfer()
  const [chosen, setChosen] = useState<{ readonly file: File; readonly found: Salvaged | undefined }>()
  const backUp = async (): Promise<void> => {
    const { wallMs } = fleet.get()
    const name = `immune-backup-${new Date(wallMs).toISOString().slice(0, 10)}.ndjson`
    await transfer.run({ what: 'backup', settings }, name, () =>
      engine.appendEvents([{ wallMs, area: 'operator', what: 'backup-made' }]),
    )
  }
  const restore = async (file: File): Promise<void> => {
    await transfer.run(
      { what: 'restore', file },
      (text) => {
        const salvaged = takeSettings(text)
        if (salvaged.used !== 'nothing') saveSettings(salvaged.settings)
      },
      ({ rows }) =>
        engine.appendEvents([
          { wallMs: fleet.get().wallMs, area: 'operator', what: 'backup-restored', facts: { rows } },
        ]),
    )
  }
  return (
    <Panel title={historyFilesWords.title}>
      <div className="flow">
        <Button busy={transfer.share !== undefined} onClick={() => void backUp()}>
          {historyFilesWords.backup}
        </Button>
        <span className="text-12 ink-3">{historyFilesWords.backupText}</span>
      </div>
      <FileField
        label={historyFilesWords.restore}
        prompt={historyFilesWords.restorePrompt}
        accept=".ndjson"
        onFile={(file) => void settingsInBackup(file).then((found) => setChosen({ file, found }))}
      />
      <TransferLine transfer={transfer} />
      <ConfirmDialog
        open={chosen !== undefined}
        title={historyFilesWords.restoreTitle}
        confirm={historyFilesWords.restoreConfirm}
        onClose={() => setChosen(undefined)}
        onConfirm={() => chosen && void restore(chosen.file)}
      >
        <p>{historyFilesWords.restoreText}</p>
        {chosen?.found !== undefined && <BroughtServices services={chosen.found.settings.services} />}
        {chosen?.found !== undefined && chosen.found.used !== 'all' && (
          <p>
            {chosen.found.used === 'nothing'
              ? historyFilesWords.settingsUnreadable(chosen.found.isNewer)
              : historyFilesWords.settingsInPart(chosen.found.droppedCount, chosen.found.isNewer)}
          </p>
        )}
      </ConfirmDialog>
    </Panel>
  )
}

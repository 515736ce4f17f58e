import { DatabaseBackup } from 'lucide-react'
import { jsonIn } from '#base/stored.ts'
import { BACKUP_DUE_DAYS, isBackupDue } from '#parts/backup-due.ts'
import { LINE_MAX } from '#history/transfer/transfer.ts'
import { textOfFile } from '#parts/text-of-file.ts'
import { useState } from 'react'
import { salvageSettings, type Salvaged, changesBetween, parseSettings } from '#settings/documents.ts'
import type { Settings } from '#settings/schema.ts'
import { saveFile, undoSteps, keptCopies, removeCopy } from '#react/platform.ts'
import { useRead } from '#react/reads.ts'
import { useConfiguration, useStore } from '#react/use-fleet.ts'
import { changeText, documentTexts } from '#texts/en-rules.ts'
import { Button } from '#ui/button.tsx'
import { FileField } from '#ui/secret-field.tsx'
import { Panel } from '#ui/panel.tsx'
import { VisibleText } from '#ui/visible-text.tsx'
import { BroughtServices } from '#parts/brought-services.tsx'
import { ConfirmDialog } from '#parts/confirm-dialog.tsx'
import { SavedNote, useSave } from '#parts/save.tsx'
import { useDashboard } from '#react/dashboard.ts'
import { formatMoment, formatFullTime } from '#texts/format-time.ts'
import { Properties } from '#ui/properties.tsx'
import { Note } from '#ui/finding.tsx'
import { Backups, NodeFiles } from './history-section.tsx'
import { transferTexts } from '#texts/en-transfer.ts'
import { settingsTexts } from '#texts/en-settings.ts'

export const DocumentSection = () => (
  <>
    <BackupDue />
    <Backups />
    <SettingsFile />
    <NodeFiles />
    <Panel title={documentTexts.undo}>
      <UndoList />
    </Panel>
    <KeptCopies />
  </>
)

function SettingsFile() {
  const { settings } = useConfiguration()
  const { save, saved, edited } = useSave()
  const [found, setFound] = useState<Salvaged>()
  const [problem, setProblem] = useState<string>()
  const read = async (file: File): Promise<void> => {
    edited()
    setProblem(undefined)
    const text = await textOfFile(file, LINE_MAX)
    if (!text.ok) return setProblem(documentTexts.importProblems[text.error])
    const salvaged = salvageSettings(text.value)
    if (salvaged.used === 'nothing') return setProblem(documentTexts.importBad)
    setFound(salvaged)
  }
  const changes = found === undefined ? [] : changesBetween(settings, found.settings)
  return (
    <Panel title={settingsTexts.title}>
      <div className="flow">
        <Button onClick={() => saveFile(documentTexts.exportName, JSON.stringify(settings, undefined, 2))}>
          {documentTexts.export}
        </Button>
        <span className="text-12 ink-3">{documentTexts.exportText}</span>
      </div>
      <div className="stack">
        <FileField
          label={documentTexts.import}
          prompt={documentTexts.importPrompt}
          accept=".json,application/json"
          error={problem}
          onFile={(file) => void read(file)}
        />
        <SavedNote saved={saved} />
      </div>
      <ConfirmDialog
        open={found !== undefined}
        title={documentTexts.importTitle}
        confirm={documentTexts.importConfirm}
        onClose={() => setFound(undefined)}
        onConfirm={() => {
          if (found !== undefined) save(() => found.settings)
        }}
      >
        <p>{changes.length === 0 ? documentTexts.importNothing : documentTexts.importDoes}</p>
        <Lines lines={changes.map(changeText)} />
        {found !== undefined && <BroughtServices services={found.settings.services} />}
        {found !== undefined && found.droppedCount > 0 && <LeftOut found={found} />}
      </ConfirmDialog>
    </Panel>
  )
}

function LeftOut({ found }: { readonly found: Salvaged }) {
  const more = found.droppedCount - found.dropped.length
  return (
    <>
      <p>{found.isNewer ? documentTexts.importNewer : documentTexts.importLeftOut}</p>
      <Lines lines={found.dropped} />
      {more > 0 && <p>{documentTexts.more(more)}</p>}
    </>
  )
}

/** The names in these lines come from a file, so hidden characters are made visible. */
const Lines = ({ lines }: { readonly lines: readonly string[] }) => (
  <ul>
    {Array.from(new Set(lines), (line) => (
      <li key={line} className="wrap-anywhere">
        <VisibleText text={line} charsMax={300} />
      </li>
    ))}
  </ul>
)

type Step = { readonly atMs: number; readonly before: Settings; readonly texts: readonly string[] }

function UndoList() {
  const { settings } = useConfiguration()
  const { restoreSettings } = useDashboard()
  const [said, setSaid] = useState<string>()
  const zone = settings.display.timeZone
  const steps = stepsBack(settings)
  const undo = (atMs: number): void => {
    const step = stepsBack(settings).find((each) => each.atMs === atMs)
    if (step !== undefined) restoreSettings(step.before, atMs)
    setSaid(step === undefined ? documentTexts.gone : documentTexts.undone)
  }
  return (
    <>
      {steps.length === 0 && <p>{documentTexts.undoNone}</p>}
      <Properties
        items={steps.map(({ atMs, texts }, place) => ({
          id: String(atMs),
          label: formatMoment(atMs, atMs, zone),
          value: (
            <div className="flow">
              <span className="wrap-anywhere">
                <VisibleText text={texts.join('; ')} charsMax={300} />
              </span>
              <Button size="small" look="subtle" onClick={() => undo(atMs)}>
                {place === 0 ? documentTexts.undoThis : documentTexts.undoTo}
              </Button>
            </div>
          ),
        }))}
      />
      <output className="text-12 ink-3">{said}</output>
    </>
  )
}

/**
 * Undo steps that changed something and are still readable, newest first. Each is compared with the settings that followed it.
 */
function stepsBack(now: Settings): readonly Step[] {
  const steps: Step[] = []
  let after = now
  for (const { atMs, text } of undoSteps().toReversed()) {
    const parsed = parseSettings(jsonIn(text))
    if (!parsed.ok) break // Earlier steps can no longer be compared.
    const texts = changesBetween(parsed.value, after).map(changeText)
    after = parsed.value
    if (texts.length > 0) steps.push({ atMs, before: parsed.value, texts })
  }
  return steps
}

function KeptCopies() {
  useConfiguration() // Renders again when the settings change, because a copy is made only when they are read.
  const [, setRemoved] = useState(0)
  const copies = keptCopies()
  if (copies.length === 0) return null
  return (
    <Panel title={documentTexts.copies}>
      <p className="text-12 ink-3">{documentTexts.copiesText}</p>
      <Properties
        items={copies.map(({ atMs, text }) => ({
          id: String(atMs),
          label: atMs === 0 ? documentTexts.copyEarlier : (formatFullTime(atMs).split('\n')[0] ?? ''),
          value: (
            <div className="flow">
              <span>{documentTexts.copyOf(text.length)}</span>
              <Button size="small" onClick={() => saveFile(documentTexts.copyName, text)}>
                {documentTexts.download}
              </Button>
              <Button
                size="small"
                look="subtle"
                onClick={() => {
                  removeCopy(atMs)
                  setRemoved((count) => count + 1)
                }}
              >
                {settingsTexts.remove}
              </Button>
            </div>
          ),
        }))}
      />
    </Panel>
  )
}

const backupDueWords = transferTexts.files

/** A low-key reminder if there is a lot of history but no recent backup. */
function BackupDue() {
  const { engine, history, fleet } = useDashboard()
  const reach = useStore(history, (status) => status?.reach)
  const { data: isDue } = useRead({
    queryKey: ['backup due', reach],
    queryFn: () => isBackupDue(engine.readEvents, reach, fleet.get().wallMs),
  })
  if (isDue !== true) return null
  return (
    <Note icon={DatabaseBackup} title={backupDueWords.overdue}>
      {backupDueWords.overdueText(BACKUP_DUE_DAYS)}
    </Note>
  )
}

import { useState } from 'react'
import { salvageSettings, type Salvaged } from '#settings/salvage-settings.ts'
import { changesBetween } from '#settings/settings-changes.ts'
import { saveFile } from '#react/save-file.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { changeText, documentTexts as words } from '#texts/en-rules.ts'
import { Button } from '#ui/button.tsx'
import { FileField } from '#ui/file-field.tsx'
import { Flow } from '#ui/page.tsx'
import { Panel } from '#ui/panel.tsx'
import { SettingsSection, Stack } from '#ui/settings-layout.tsx'
import { VisibleText } from '#ui/visible-text.tsx'
import { ConfirmDialog } from '#parts/confirm-dialog.tsx'
import { KeptCopies } from './kept-copies.tsx'
import { headingId } from '#features/settings/sections.ts'
import { UndoList } from './undo-list.tsx'
import { SavedNote, useSave } from '#features/settings/save.tsx'

/** 20,000 nodes with names, tags and notes have about 45 MB at most; a usual file has a few kB. */
const FILE_BYTES_MAX = 48 * 1_048_576

/** The settings as a whole: what was changed and the way back, a file out and a file in. */
export function DocumentSection() {
  const { settings } = useConfiguration()
  return (
    <SettingsSection id={headingId('document')} title={words.title}>
      <Panel title={words.undo}>
        <UndoList />
      </Panel>
      <Panel title={words.export}>
        <Flow>
          <Button onClick={() => saveFile(words.exportName, JSON.stringify(settings, undefined, 2))}>
            {words.export}
          </Button>
          <span className="t12 ink3">{words.exportText}</span>
        </Flow>
      </Panel>
      <ImportPanel />
      <KeptCopies />
    </SettingsSection>
  )
}

function ImportPanel() {
  const { settings } = useConfiguration()
  const { save, saved, edited } = useSave()
  const [found, setFound] = useState<Salvaged>()
  const [problem, setProblem] = useState<string>()
  const read = async (file: File): Promise<void> => {
    edited()
    setProblem(undefined)
    if (file.size > FILE_BYTES_MAX) return setProblem(words.importTooLarge)
    const salvaged = salvageSettings(await file.text())
    if (salvaged.used === 'nothing') return setProblem(words.importBad)
    setFound(salvaged)
  }
  const changes = found === undefined ? [] : changesBetween(settings, found.settings)
  return (
    <Panel title={words.import}>
      <Stack>
        <FileField
          label={words.importPrompt}
          hideLabel
          prompt={words.importPrompt}
          accept=".json,application/json"
          error={problem}
          onFile={(file) => void read(file)}
        />
        <SavedNote saved={saved} />
      </Stack>
      <ConfirmDialog
        open={found !== undefined}
        title={words.importTitle}
        confirm={words.importConfirm}
        onClose={() => setFound(undefined)}
        onConfirm={() => {
          if (found !== undefined) save(() => found.settings)
        }}
      >
        <p>{changes.length === 0 ? words.importNothing : words.importDoes}</p>
        <Lines lines={changes.map(changeText)} />
        {found !== undefined && found.droppedCount > 0 && <LeftOut found={found} />}
      </ConfirmDialog>
    </Panel>
  )
}

function LeftOut({ found }: { readonly found: Salvaged }) {
  const more = found.droppedCount - found.dropped.length
  return (
    <>
      <p>{found.isNewer ? words.importNewer : words.importLeftOut}</p>
      <Lines lines={found.dropped} />
      {more > 0 && <p>{words.more(more)}</p>}
    </>
  )
}

/** Names in these come from a file. */
const Lines = ({ lines }: { readonly lines: readonly string[] }) => (
  <ul>
    {Array.from(new Set(lines), (line) => (
      <li key={line} className="wrap-anywhere">
        <VisibleText text={line} charsMax={300} />
      </li>
    ))}
  </ul>
)

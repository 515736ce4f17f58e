import { Download } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { KeptEntry } from '#history/event-log.ts'
import { useDashboard } from '#react/dashboard.ts'
import type { JournalQuery } from '#react/journal-reader.ts'
import { saveFile } from '#react/platform.ts'
import { journalTexts as words } from '#texts/en-journal.ts'
import { Button } from '#ui/button.tsx'
import { useAnnounce } from '#ui/live-region.tsx'
import { writeJournal, type JournalFormat } from './journal-file.ts'

type ExportButtonsProps = {
  readonly query: JournalQuery
  readonly accepts: ((entry: KeptEntry) => boolean) | undefined
}

const FORMATS: readonly JournalFormat[] = ['csv', 'json']
const TYPES = { csv: 'text/csv', json: 'application/json' } as const

/** Exports every matching entry, not only those on screen. */
export function ExportButtons({ query, accepts }: ExportButtonsProps) {
  const { engine, fleet, metrics } = useDashboard()
  const announce = useAnnounce()
  const [written, setWritten] = useState<number>()
  const [failed, setFailed] = useState(false)
  const isWanted = useRef(true)
  const stop = (): void => {
    isWanted.current = false
  }
  useEffect(
    () => () => {
      isWanted.current = false
    },
    [],
  )
  const write = async (format: JournalFormat): Promise<void> => {
    isWanted.current = true
    setFailed(false)
    setWritten(0)
    try {
      const parts = await writeJournal({
        read: engine.readEvents,
        query,
        accepts,
        format,
        metrics,
        onWritten: (count) => {
          if (isWanted.current) setWritten(count)
          return isWanted.current
        },
      })
      if (parts !== undefined) saveFile(nameOf(fleet.get().wallMs, format), parts, TYPES[format])
    } catch {
      // On a failed read nothing is saved, because half a journal would look like a complete one.
      setFailed(true)
      announce(words.exportFailed)
    } finally {
      setWritten(undefined)
    }
  }
  if (written !== undefined)
    return (
      <>
        <output className="text-12 ink-3">{words.exporting(written)}</output>
        <Button look="subtle" onClick={stop}>
          {words.stop}
        </Button>
      </>
    )
  return (
    <>
      {failed && <span className="text-12">{words.exportFailed}</span>}
      {FORMATS.map((format) => (
        <Button key={format} look="subtle" icon={Download} onClick={() => void write(format)}>
          {words.export[format]}
        </Button>
      ))}
    </>
  )
}

/** For example "immune_journal_2026-11-20T1402Z.csv". */
const nameOf = (wallMs: number, format: JournalFormat): string =>
  words.fileName(`${new Date(wallMs).toISOString().slice(0, 16).replace(':', '')}Z`, format)

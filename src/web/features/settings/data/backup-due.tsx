import { DatabaseBackup } from 'lucide-react'
import { useEffect, useState } from 'react'
import { BACKUP_DUE_DAYS, isBackupDue } from '#history/backup-due.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useStore } from '#react/use-store.ts'
import { transferTexts } from '#texts/en-transfer.ts'
import { Note } from '#ui/note.tsx'

const words = transferTexts.files

/** A quiet word where there is much to lose and no backup. */
export function BackupDue() {
  const { engine, history, fleet } = useDashboard()
  const reach = useStore(history, (status) => status?.reach)
  const [isDue, setDue] = useState(false)
  useEffect(() => {
    let isOver = false
    const look = async (): Promise<void> => {
      const due = await isBackupDue(engine.readEvents, reach, fleet.get().wallMs)
      if (!isOver) setDue(due)
    }
    void look()
    return () => {
      isOver = true
    }
  }, [engine, fleet, reach])
  if (!isDue) return null
  return (
    <Note icon={<DatabaseBackup className="i" aria-hidden />} title={words.overdue}>
      {words.overdueText(BACKUP_DUE_DAYS)}
    </Note>
  )
}

import { DAY_MS } from '#base/time.ts'
import type { EventLog } from '#history/event-log.ts'
import type { HistoryStatus } from '#history/history-status.ts'

/** A backup is due if history covers this many days and none was made in that time. */
export const BACKUP_DUE_DAYS = 30

const DUE_MS = BACKUP_DUE_DAYS * DAY_MS

export async function isBackupDue(
  read: EventLog['read'],
  reach: HistoryStatus['reach'] | undefined,
  nowMs: number,
): Promise<boolean> {
  const oldest = Math.min(...Object.values(reach ?? {}).map((atMs) => atMs ?? Number.POSITIVE_INFINITY))
  return oldest < nowMs - DUE_MS && !(await wasNoted(read, 'backup-made', nowMs))
}

/** Whether the journal has such an entry in the last 30 days. */
export async function wasNoted(read: EventLog['read'], what: string, nowMs: number): Promise<boolean> {
  const page = await read({ fromMs: nowMs - DUE_MS, areas: ['operator'], text: what, limit: 1 })
  return page.entries.length > 0
}

import { describe, expect, it } from 'vitest'
import { BACKUP_DUE_DAYS, isBackupDue, wasNoted } from '#parts/backup-due.ts'
import type { EventLog, LogEntry } from '#history/event-log.ts'
import { FIRST_STATUS } from '#history/history-status.ts'
import { createFakeClock, TEST_START_MS } from '#test/support/fake-clock.ts'
import { storeInMemory } from '#test/support/memory-history.ts'

const DAY_MS = 86_400_000
const NOW_MS = TEST_START_MS + 100 * DAY_MS
const DUE_MS = 30 * DAY_MS

/** Returns the `read` of a log with these entries. */
async function readsLog(entries: readonly LogEntry[]): Promise<EventLog['read']> {
  const { log } = storeInMemory(createFakeClock())
  await log.append(entries)
  return log.read
}

const made = (wallMs: number, given: Partial<LogEntry> = {}): LogEntry => ({
  wallMs,
  area: 'operator',
  what: 'backup-made',
  ...given,
})

describe('a backup', () => {
  const reach = { ...FIRST_STATUS.reach, samples: NOW_MS - DAY_MS }
  const due = async (hour: number | undefined, entries: readonly LogEntry[] = []) =>
    isBackupDue(await readsLog(entries), { ...reach, hour }, NOW_MS)

  it('is due when part of the history is older than 30 days', async () => {
    expect(BACKUP_DUE_DAYS).toBe(30)
    expect(await due(NOW_MS - DUE_MS - 1)).toBe(true)
    expect(await due(NOW_MS - DUE_MS)).toBe(false)
    expect(await due(undefined)).toBe(false)
  })

  it('is not due without a history, or while its extent is unknown', async () => {
    const read = await readsLog([])
    expect(await isBackupDue(read, FIRST_STATUS.reach, NOW_MS)).toBe(false)
    expect(await isBackupDue(read, undefined, NOW_MS)).toBe(false)
  })

  it('is not due within 30 days of the last one', async () => {
    expect(await due(0, [made(NOW_MS - DUE_MS)])).toBe(false)
    expect(await due(0, [made(NOW_MS - DUE_MS - 1)])).toBe(true)
    expect(await due(0, [made(NOW_MS, { what: 'backup-overdue' })])).toBe(true)
    expect(await due(0, [made(NOW_MS, { area: 'settings' })])).toBe(true)
  })
})

it('the search for a past journal entry reads at most one entry', async () => {
  const asked: unknown[] = []
  const read: EventLog['read'] = async (query) => {
    asked.push(query)
    return { entries: [], before: undefined }
  }
  expect(await wasNoted(read, 'backup-overdue', NOW_MS)).toBe(false)
  expect(asked).toEqual([{ fromMs: NOW_MS - DUE_MS, areas: ['operator'], text: 'backup-overdue', limit: 1 }])
})

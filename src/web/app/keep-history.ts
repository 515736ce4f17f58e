import { isBackupDue, wasNoted } from '#parts/backup-due.ts'
import type { RetentionSettings } from '#history/store/retention.ts'
import { systemClock } from '#platform/system-clock.ts'
import { isVisible } from '#platform/page-life.ts'
import { loadSentinel, saveSentinel } from '#platform/history-sentinel.ts'
import { changesBetween } from '#settings/documents.ts'
import { changeText } from '#texts/en-rules.ts'
import type { Dashboard } from '#react/dashboard.ts'

/**
 * Starts the history store of this browser, saves its sentinel outside the database, applies the retention settings, and
 * subscribes to journal and alarms.
 */
export async function keepHistory(dashboard: Dashboard): Promise<void> {
  const { engine, history, configuration, events, alarms } = dashboard
  void engine.watchEvents(() => events.publish(events.get() + 1))
  void engine.watchAlarms((view) => alarms.publish(view))
  noteSettings(dashboard)
  const current = (): RetentionSettings => configuration.get().settings.history
  let retention = current()
  configuration.subscribe(() => {
    if (current() === retention) return
    retention = current()
    void engine.setRetention(retention)
  })
  await engine.keepHistory({ known: loadSentinel(), retention }, (status) => {
    history.publish(status)
    void remindOfBackup(dashboard)
    if (status.sentinel !== undefined && status.state === 'kept') saveSentinel(status.sentinel)
  })
}

/** Logs changed settings once, from the page that saved them. */
function noteSettings({ engine, configuration }: Dashboard): void {
  let before = configuration.get().settings
  configuration.subscribe(() => {
    const { settings, isOwnSave } = configuration.get()
    const changes = changesBetween(before, settings).map(changeText)
    before = settings
    if (changes.length === 0 || !isOwnSave) return
    const facts = { changes: changes.join('; ') }
    void engine.appendEvents([
      { wallMs: systemClock.wallMs(), area: 'settings', what: 'settings-saved', facts },
    ])
  })
}

let isReminded = false

/** Logs that a backup is due, once a session and once in 30 days. */
async function remindOfBackup({ engine, history }: Dashboard): Promise<void> {
  const status = history.get()
  // Only a visible tab logs it, because the engine stores the entries of every tab.
  if (isReminded || !isVisible() || status?.state !== 'kept' || status.reach.hour === undefined) return
  isReminded = true
  const wallMs = systemClock.wallMs()
  if (!(await isBackupDue(engine.readEvents, status.reach, wallMs))) return
  if (await wasNoted(engine.readEvents, 'backup-overdue', wallMs)) return
  await engine.appendEvents([{ wallMs, area: 'operator', what: 'backup-overdue' }])
}

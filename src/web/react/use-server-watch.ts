import { useEffect } from 'react'
import type { AlarmAct } from '#alarms/alarm-act.ts'
import type { AlarmsView, AlarmView } from '#alarms/alarm.ts'
import { useDashboard, type Dashboard, type ServerWatch } from './dashboard.ts'
import { useTick } from './ticking.tsx'
import { useConfiguration, useStore } from './use-fleet.ts'

/** Interval in ms at which a visible page reads the watch. */
const READ_EVERY_MS = 5_000
/** Ms without an answer or an evaluation after which the watch counts as silent. */
const SILENT_AFTER_MS = 30_000
/** Maximum number of actions of one report that this browser repeats. */
const REPEATED_MAX = 200

/** Undefined if the server runs no watch. */
export const useServerWatch = (): ServerWatch | undefined =>
  useStore(useDashboard().serverWatch.store, (now) => now)

/** Reads the server's watch while the page is visible, and repeats its actions on this browser's alarms. */
export function useWatchReading(): void {
  const isWatched = useConfiguration().server.watch !== undefined
  const dashboard = useDashboard()
  useEffect(() => (isWatched ? startReading(dashboard) : undefined), [isWatched, dashboard])
}

function startReading({ serverWatch, seconds, nowMs, alarms }: Dashboard): () => void {
  const { store } = serverWatch
  let isReading = false
  let hasEnded = false
  let dueMs = 0
  let tickedMs = nowMs()
  const read = async (): Promise<void> => {
    isReading = true
    const report = await serverWatch.read().catch(() => undefined)
    isReading = false
    if (hasEnded || report === undefined) return
    for (const act of actsToRepeat(store.get()?.report?.view, report.view, alarms.get()))
      void serverWatch.actHere(act)
    store.publish({ report, heardMs: nowMs() })
  }
  const readIfDue = (): void => {
    const now = store.get()
    // While the page was hidden, nothing was read.
    if (now !== undefined && nowMs() - tickedMs > READ_EVERY_MS) store.publish({ ...now, heardMs: nowMs() })
    tickedMs = nowMs()
    if (isReading || nowMs() < dueMs) return
    dueMs = nowMs() + READ_EVERY_MS
    void read()
  }
  store.publish({ report: undefined, heardMs: nowMs() })
  readIfDue()
  // It ticks only while the page is visible.
  const end = seconds.subscribe(readIfDue)
  return () => {
    hasEnded = true
    end()
    store.publish(undefined)
  }
}

/** Ms for which the watch has been silent; undefined if it is not. */
export function useWatchSilence(): { readonly forMs: number; readonly isStalled: boolean } | undefined {
  const watch = useServerWatch()
  const unansweredMs = useTick((nowMs) => {
    const forMs = watch === undefined ? 0 : nowMs - watch.heardMs
    return forMs > SILENT_AFTER_MS ? forMs : undefined
  })
  if (watch === undefined) return undefined
  if (unansweredMs !== undefined) return { forMs: unansweredMs, isStalled: false }
  const { report } = watch
  const stalledMs = report === undefined ? 0 : report.wallMs - report.evaluatedWallMs
  return stalledMs > SILENT_AFTER_MS ? { forMs: stalledMs, isStalled: true } : undefined
}

/** People's actions at the watch since the previous report, mapped to this browser's alarms. */
export function actsToRepeat(
  before: AlarmsView | undefined,
  now: AlarmsView,
  here: AlarmsView | undefined,
): readonly AlarmAct[] {
  const earlier = byId(before)
  const own = byId(here)
  return now.alarms
    .flatMap((alarm): readonly AlarmAct[] => {
      const mine = own.get(alarm.id)
      return mine === undefined ? [] : actsOn(alarm, earlier.get(alarm.id), mine)
    })
    .slice(0, REPEATED_MAX)
}

const byId = (view: AlarmsView | undefined): ReadonlyMap<string, AlarmView> =>
  new Map((view?.alarms ?? []).map((alarm) => [alarm.id, alarm]))

function actsOn(
  { id, acknowledged, shelved }: AlarmView,
  before: AlarmView | undefined,
  mine: AlarmView,
): readonly AlarmAct[] {
  const ids = [id]
  const acts: AlarmAct[] = []
  if (acknowledged !== undefined && mine.acknowledged === undefined && before?.acknowledged === undefined) {
    const { note, by } = acknowledged
    acts.push({
      act: 'acknowledge',
      ids,
      ...(note !== undefined && { note }),
      ...(by !== undefined && { by }),
    })
  }
  if (acknowledged === undefined && before?.acknowledged !== undefined && mine.acknowledged !== undefined)
    acts.push({ act: 'unacknowledge', ids })
  if (shelved !== undefined && mine.shelved === undefined && before?.shelved === undefined) {
    const { untilWallMs, reason, by } = shelved
    acts.push({ act: 'shelve', ids, untilWallMs, reason, ...(by !== undefined && { by }) })
  }
  if (shelved === undefined && before?.shelved !== undefined && mine.shelved !== undefined)
    acts.push({ act: 'unshelve', ids })
  return acts
}

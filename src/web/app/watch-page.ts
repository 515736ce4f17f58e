import { cutText } from '#base/visible-text.ts'
import type { PageHealth } from '#engine/bridge.ts'
import type { LogEntry } from '#history/event-log.ts'
import { parseJson, readLocal, writeLocal } from '#platform/local-storage.ts'
import {
  hostAnswers,
  isAsking,
  memoryTooHighMb,
  ownBuild,
  servedBuild,
  watchEdits,
  watchErrors,
} from '#platform/page-health.ts'
import { isVisible, watchVisibility } from '#platform/page-life.ts'
import { watchPresence } from '#platform/presence.ts'
import { systemClock } from '#platform/system-clock.ts'
import { hasDrafts } from '#react/drafts.ts'
import type { Dashboard } from '#react/dashboard.ts'
import { addToast } from '#react/toasts.ts'
import { errorText, withoutKeys } from '#protocol/redact.ts'
import { reloadTexts } from '#texts/en-reload.ts'
import { FAILED_ID } from './root-boundary.tsx'
import { createPlannedReload, RELOAD_REASONS, type Reloaded, type ReloadReason } from './planned-reload.ts'

const CHECK_EVERY_MS = 30_000
const VERSION_EVERY_MS = 3_600_000
/** Minimum time between version checks when the tab is shown again. */
const VERSION_SOONEST_MS = 60_000
/** How long a lost engine and errors are reported. */
const SHOWN_MS = 600_000
/** Maximum number of errors of one page that are logged; further ones are only counted. */
const ERRORS_NOTED_MAX = 20
const ERROR_CHARS_MAX = 300
const RELOADS_NOTE = 'immune-reloads'
/** The time of the reload that this tab last announced. */
const ANNOUNCED_NOTE = 'immune-reload-announced'

const isReason = (value: unknown): value is ReloadReason => RELOAD_REASONS.some((reason) => reason === value)

/** This tab's recorded reloads; undefined if it cannot store them. */
function reloadsMade(): readonly Reloaded[] | undefined {
  const note = readLocal(RELOADS_NOTE, 'tab')
  if (note === undefined) return undefined
  const found = parseJson(note)
  if (!Array.isArray(found)) return []
  return found.flatMap((one: unknown): readonly Reloaded[] => {
    if (typeof one !== 'object' || one === null) return []
    const [atMs, reason]: readonly unknown[] = [Reflect.get(one, 'atMs'), Reflect.get(one, 'reason')]
    return typeof atMs === 'number' && isReason(reason) ? [{ atMs, reason }] : []
  })
}

const appends = (dashboard: Dashboard, entry: Omit<LogEntry, 'wallMs' | 'area'>): void =>
  void dashboard.engine.appendEvents([{ wallMs: systemClock.wallMs(), area: 'watching', ...entry }])

export const planReloads = (dashboard: Dashboard) =>
  createPlannedReload({
    clock: systemClock,
    made: reloadsMade,
    remember: (made) => writeLocal(RELOADS_NOTE, JSON.stringify(made), 'tab'),
    keys: dashboard.signer.keys,
    tokens: dashboard.signer.tokens,
    hostAnswers,
    isBusy: () => isAsking() || hasDrafts(dashboard) || location.hash.startsWith('#/settings'),
    localHour: () => new Date(systemClock.wallMs()).getHours(),
    reload: () => location.reload(),
  })

/** Monitors the page's own health: memory, errors, version and lost engines. The engine raises alarms from the results. */
export function watchPage(dashboard: Dashboard): void {
  const change = (changes: Partial<PageHealth>): void => {
    dashboard.health.publish({ ...dashboard.health.get(), ...changes })
  }
  const reload = planReloads(dashboard)
  watchPresence(reload.sign)
  watchEdits()
  announceReload(dashboard)
  countErrors(dashboard, change)
  watchEngine(dashboard, change)

  let askedMs = Number.NEGATIVE_INFINITY
  const own = ownBuild()
  const checkVersion = async (): Promise<void> => {
    const nowMs = systemClock.monotonicMs()
    if (own === undefined || nowMs - askedMs < VERSION_SOONEST_MS) return
    askedMs = nowMs
    const served = await servedBuild()
    // An unreachable server changes nothing.
    if (served !== undefined) change({ isOldVersion: served !== own })
  }
  const check = (): void => {
    systemClock.after(CHECK_EVERY_MS, check)
    change({ memoryMb: memoryTooHighMb() })
    if (systemClock.monotonicMs() - askedMs >= VERSION_EVERY_MS) void checkVersion()
    const { memoryMb, isOldVersion } = dashboard.health.get()
    if (isOldVersion === true) void reload.consider('version')
    else if (typeof memoryMb === 'number') void reload.consider('memory')
  }
  watchVisibility(() => {
    if (isVisible()) void checkVersion()
  })
  void checkVersion()
  check()
}

/** Time for a person to read the error before the reload. */
const RECOVER_AFTER_MS = 30_000

/** Logs that nothing could be rendered, and reloads the page if that loses nothing. */
export function recover(dashboard: Dashboard, error: unknown): void {
  const message = cutText(errorText(error), ERROR_CHARS_MAX)
  appends(dashboard, { what: 'internal-error', facts: { message } })
  const reload = planReloads(dashboard)
  systemClock.after(RECOVER_AFTER_MS, () => {
    // Skipped if a person has already retried successfully.
    if (document.getElementById(FAILED_ID) !== null) void reload.consider('failure')
  })
}

function announceReload(dashboard: Dashboard): void {
  const last = reloadsMade()?.at(-1)
  if (last === undefined || readLocal(ANNOUNCED_NOTE, 'tab') === String(last.atMs)) return
  writeLocal(ANNOUNCED_NOTE, String(last.atMs), 'tab')
  const { toasts, nowMs } = dashboard
  addToast(toasts, { text: reloadTexts.done[last.reason], untilMs: nowMs() + SHOWN_MS })
  appends(dashboard, { what: 'page-reloaded', facts: { reason: last.reason } })
}

function countErrors(dashboard: Dashboard, change: (changes: Partial<PageHealth>) => void): void {
  let count = 0
  let noted = 0
  let forget = (): void => undefined
  watchErrors((message) => {
    count++
    if (count === 1 || count % 100 === 0) change({ errors: count })
    forget()
    forget = systemClock.after(SHOWN_MS, () => {
      count = 0
      change({ errors: 0 })
    })
    if (noted++ < ERRORS_NOTED_MAX)
      appends(dashboard, {
        what: 'internal-error',
        facts: { message: cutText(withoutKeys(message), ERROR_CHARS_MAX) },
      })
  })
}

function watchEngine(dashboard: Dashboard, change: (changes: Partial<PageHealth>) => void): void {
  let forget: (() => void) | undefined
  const heard = (): void => {
    const { engineLost } = dashboard.health.get()
    if (engineLost === false || forget !== undefined) return
    appends(dashboard, { what: 'engine-lost', facts: { reason: engineLost } })
    forget = systemClock.after(SHOWN_MS, () => {
      forget = undefined
      change({ engineLost: false })
    })
  }
  dashboard.health.subscribe(heard)
  heard()
}

import { ALERT_LIFE_MS, type OpenAlert } from './alertmanager-payload.ts'
import {
  type DeliveryPorts,
  type DeliveryQueue,
  type Outgoing,
  type Tried,
  createRetry,
  stateOf,
} from './delivery.ts'

/** Alertmanager forgets its alerts when it is restarted, so all that are on are sent again this often. */
const RESEND_MS = 60_000
/** Alerts in one request, so that its body stays below the relay's limit with the longest words. */
export const BATCH_MAX = 32
/** Alerts that are held, those that are over and not delivered yet included. */
export const ALERTS_MAX = 2_000

export type AlertQueue = DeliveryQueue & {
  /** All alerts that are on now; `wanted` is given those that were, as soon as they are known. */
  readonly sync: (wanted: WantedAlerts) => void
}

type WantedAlerts = (open: readonly OpenAlert[]) => readonly OpenAlert[]

/**
 * Keeps an Alertmanager in step with the alarms that are on: new ones and ended ones at once, all of
 * them again every minute. It is sent states and not events: an alarm that came and went while it
 * was down is sent as one that is over.
 */
export function createAlertQueue(
  { id, postUrl }: Outgoing,
  { clock, post, storage, changed }: DeliveryPorts,
): AlertQueue {
  let held = new Map<string, Held>()
  let due = new Set<string>()
  let wanted: WantedAlerts | undefined
  let isLoaded = false
  let lost = 0
  let isOver = false
  let saved: Promise<void> = Promise.resolve()
  let cancelResend: (() => void) | undefined

  const save = (): void => {
    if (isOver) return
    const alerts = Array.from(held.values())
    saved = saved.then(() => storage.save(id, alerts.length === 0 ? undefined : { alerts }))
  }

  const apply = (): void => {
    if (!isLoaded || wanted === undefined) return
    const next = stepped(held, wanted(openIn(held)), clock.wallMs())
    if (next === held) return
    lost += Math.max(0, next.size - ALERTS_MAX)
    held = new Map(Array.from(next).slice(-ALERTS_MAX))
    save()
    changed()
    retry.wake()
  }

  const sendSome = async (): Promise<Tried> => {
    await saved
    const batch = nextBatch(held, due)
    if (batch.length === 0 || isOver) return undefined
    const sent = await post({ url: postUrl, body: bodyOf(batch, clock.wallMs()), blind: false })
    if (isOver) return undefined
    if (!sent.ok) return sent
    for (const [key, delivered] of batch) {
      due.delete(key)
      markDelivered(held, key, delivered)
    }
    if (batch.some(([, { isNews }]) => isNews)) save()
    return sent
  }
  const retry = createRetry(clock, sendSome, changed)

  const resend = (): void => {
    due = new Set(held.keys())
    retry.wake()
    cancelResend = clock.after(RESEND_MS, resend)
  }
  const begin = async (): Promise<void> => {
    for (const before of parseStoredAlerts(await storage.load(id))) held.set(keyOf(before.alert), before)
    if (isOver) return
    isLoaded = true
    apply()
    changed()
    resend()
  }
  void begin()

  return {
    sync: (alerts) => {
      wanted = alerts
      apply()
    },
    state: () => ({ ...stateOf(id, retry, newsIn(held)), lost }),
    now: retry.now,
    end: () => {
      isOver = true
      cancelResend?.()
      retry.end()
    },
  }
}

type Batch = readonly (readonly [string, Held])[]

const openIn = (held: ReadonlyMap<string, Held>): readonly OpenAlert[] =>
  Array.from(held.values()).flatMap(({ alert, endedWallMs }) => (endedWallMs === undefined ? [alert] : []))

/** What begins is sent, and taken, before what ends: an alert that another one takes over from never leaves a gap. */
function nextBatch(held: ReadonlyMap<string, Held>, due: ReadonlySet<string>): Batch {
  const waiting = Array.from(held).filter(([key, { isNews }]) => isNews || due.has(key))
  const begun = waiting.filter(([, { isNews, endedWallMs }]) => isNews && endedWallMs === undefined)
  return (begun.length > 0 ? begun : waiting).slice(0, BATCH_MAX)
}

const bodyOf = (batch: Batch, wallMs: number): string =>
  JSON.stringify(
    batch.map(([, { alert, endedWallMs }]) => ({
      ...alert,
      endsAt: new Date(endedWallMs ?? wallMs + ALERT_LIFE_MS).toISOString(),
    })),
  )

const newsIn = (held: ReadonlyMap<string, Held>): number =>
  Array.from(held.values()).filter(({ isNews }) => isNews).length

/** An alert that an Alertmanager was sent, or is to be. */
export type Held = {
  readonly alert: OpenAlert
  /** Undefined while it is on. */
  readonly endedWallMs: number | undefined
  /** Not sent yet; otherwise it is only sent again. */
  readonly isNews: boolean
}

/** An alert's labels are what it is. */
export const keyOf = ({ labels }: OpenAlert): string =>
  JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** What is held once exactly `wanted` is on; the same map where nothing is to be sent. */
export function stepped(
  held: Map<string, Held>,
  wanted: readonly OpenAlert[],
  wallMs: number,
): Map<string, Held> {
  const next = new Map<string, Held>()
  let isChanged = false
  const on = new Map(wanted.map((alert): [string, OpenAlert] => [keyOf(alert), alert]))
  for (const [key, before] of held) {
    const isOn = on.has(key)
    const ends = !isOn && before.endedWallMs === undefined
    if (ends) isChanged = true
    if (!isOn) next.set(key, ends ? { ...before, endedWallMs: wallMs, isNews: true } : before)
  }
  for (const [key, alert] of on) {
    const before = held.get(key)
    const isOld = before !== undefined && before.endedWallMs === undefined
    // Its beginning may be corrected, its words may change: both are sent with the next round.
    next.set(key, isOld ? { ...before, alert } : { alert, endedWallMs: undefined, isNews: true })
    if (!isOld) isChanged = true
  }
  if (!isChanged) for (const [key, value] of next) held.set(key, value)
  return isChanged ? next : held
}

/** What was kept; nothing where it can't be read. */
function parseStoredAlerts(kept: unknown): readonly Held[] {
  const alerts: unknown = typeof kept === 'object' && kept !== null ? Reflect.get(kept, 'alerts') : undefined
  return Array.isArray(alerts) ? alerts.filter(isHeld) : []
}

const isHeld = (value: unknown): value is Held =>
  typeof value === 'object' &&
  value !== null &&
  'isNews' in value &&
  typeof value.isNews === 'boolean' &&
  'alert' in value &&
  typeof value.alert === 'object' &&
  value.alert !== null &&
  'labels' in value.alert &&
  typeof value.alert.labels === 'object' &&
  value.alert.labels !== null

/** Notes that an alert was taken as `sent`. What ended or began anew meanwhile is news still. */
function markDelivered(held: Map<string, Held>, key: string, sent: Held): void {
  const now = held.get(key)
  if (now?.endedWallMs !== sent.endedWallMs || now?.alert.startsAt !== sent.alert.startsAt) return
  if (now.endedWallMs === undefined) held.set(key, { ...now, isNews: false })
  else held.delete(key)
}

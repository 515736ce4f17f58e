import { keyOf, parseStoredAlerts, stepped, markDelivered, type Held, type OpenAlert } from './alert-state.ts'
import { ALERT_LIFE_MS } from './alertmanager-payload.ts'
import type { DeliveryQueue, DeliveryPorts, Outgoing } from './delivery.ts'
import { createRetry, stateOf, type Tried } from './retry.ts'

/** Alertmanager forgets its alerts when it is restarted, so all that are on are sent again this often. */
export const RESEND_MS = 60_000
/** Alerts in one request, so that its body stays below the relay's limit with the longest words. */
export const BATCH_MAX = 32
/** Alerts that are held, those that are over and not delivered yet included. */
export const ALERTS_MAX = 2_000

export type AlertQueue = DeliveryQueue & {
  /** All alerts that are on now. */
  readonly sync: (alerts: readonly OpenAlert[]) => void
}

/**
 * Keeps an Alertmanager in step with the alarms that are on: new ones and ended ones at once, all of
 * them again every minute. It is told states and not events: an alarm that came and went while it
 * was down is told as one that is over.
 */
export function createAlertQueue(
  { id, postUrl }: Outgoing,
  { clock, post, storage, changed }: DeliveryPorts,
): AlertQueue {
  let held = new Map<string, Held>()
  let due = new Set<string>()
  let wanted: readonly OpenAlert[] | undefined
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
    const next = stepped(held, wanted, clock.wallMs())
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
    for (const [key, told] of batch) {
      due.delete(key)
      markDelivered(held, key, told)
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

const nextBatch = (held: ReadonlyMap<string, Held>, due: ReadonlySet<string>): Batch =>
  Array.from(held)
    .filter(([key, { isNews }]) => isNews || due.has(key))
    .slice(0, BATCH_MAX)

const bodyOf = (batch: Batch, wallMs: number): string =>
  JSON.stringify(
    batch.map(([, { alert, endedWallMs }]) => ({
      ...alert,
      endsAt: new Date(endedWallMs ?? wallMs + ALERT_LIFE_MS).toISOString(),
    })),
  )

const newsIn = (held: ReadonlyMap<string, Held>): number =>
  Array.from(held.values()).filter(({ isNews }) => isNews).length

import { err } from '#base/result.ts'
import {
  type Delivered,
  type DeliveryFailure,
  type DeliveryPorts,
  type DeliveryQueue,
  type OutboxStorage,
  type Outgoing,
  type Tried,
  createRetry,
  stateOf,
} from './delivery.ts'
import type { SentAlert } from './alertmanager-payload.ts'

/** So long a silence lasts that nobody renews: a screen that dies keeps nobody from being called for longer. */
const SILENCE_LIFE_MS = 3_600_000
/** It is renewed when less than this is left, */
const SILENCE_RENEW_MS = SILENCE_LIFE_MS / 2
/** which is checked this often. */
const CHECK_EVERY_MS = 300_000
/** Where a browser may not delete it is made to end this soon; clocks differ. */
const SILENCE_END_MS = 30_000
/** At one time; the alarms beyond it stay unsilenced. */
export const SILENCES_MAX = 200

export type SilenceQueue = DeliveryQueue & {
  /** All alarms that somebody has acknowledged, and that are on. */
  readonly sync: (wanted: readonly WantedSilence[]) => void
}

/**
 * Shares acknowledgements with an Alertmanager as silences, so that it no longer calls anybody for
 * what somebody has taken on; ends them when it was taken back, and when the alarm is over.
 */
export function createSilenceQueue(
  { id, via, silences: to }: Outgoing,
  { clock, post, storage, changed }: DeliveryPorts,
): SilenceQueue {
  const silences = createHeldOnes(`${id} silences`, storage)
  const { held, keep } = silences
  let wanted: ReadonlyMap<string, WantedSilence> | undefined
  let lost = 0
  let isOver = false
  let cancelCheck = (): void => undefined

  const { start, end } = createRequests({ via, clock, post, held, keep, isOver: () => isOver })
  const next = async (): Promise<Tried> => {
    await silences.loaded
    await silences.settled()
    if (wanted === undefined || to === undefined || isOver) return undefined
    const nowMs = clock.wallMs()
    for (const [key, one] of held) {
      if (wanted.has(key)) continue
      if (one.endsWallMs > nowMs) return end(key, one, to)
      keep(key, undefined)
    }
    for (const [key, one] of wanted) if (isDue(held.get(key), nowMs)) return start(key, one, to.url)
    return undefined
  }
  const retry = createRetry(clock, next, changed)

  const check = (): void => {
    retry.wake()
    cancelCheck = clock.after(CHECK_EVERY_MS, check)
  }
  const begin = async (): Promise<void> => {
    await silences.loaded
    if (isOver) return
    check()
    changed()
  }
  void begin()

  return {
    sync: (all) => {
      const before = wanted
      const now = new Map(all.slice(0, SILENCES_MAX).map((one) => [keyOf(one), one]))
      lost = Math.max(0, all.length - SILENCES_MAX)
      wanted = now
      const isSame = before?.size === now.size && Array.from(now.keys()).every((key) => before.has(key))
      if (isSame) return
      changed()
      retry.wake()
    },
    state: () => ({ ...stateOf(id, retry, waitingIn(held, wanted, clock.wallMs())), lost }),
    now: retry.now,
    end: () => {
      isOver = true
      cancelCheck()
      retry.end()
    },
  }
}

type RequestPorts = Pick<DeliveryPorts, 'clock' | 'post'> &
  Pick<ReturnType<typeof createHeldOnes>, 'held' | 'keep'> & {
    readonly via: Outgoing['via']
    readonly isOver: () => boolean
  }

function createRequests({ via, clock, post, held, keep, isOver }: RequestPorts) {
  return {
    start: async (key: string, one: WantedSilence, url: string): Promise<Tried> => {
      const before = held.get(key)
      const nowMs = clock.wallMs()
      const next: HeldSilence = {
        ...one,
        id: before?.id ?? '',
        startsWallMs: before?.startsWallMs ?? nowMs,
        endsWallMs: nowMs + SILENCE_LIFE_MS,
      }
      const sent = await post({ url, body: JSON.stringify(silenceOf(next)), blind: false })
      if (isOver()) return undefined
      // It was restarted and has forgotten it: a new one.
      if (!sent.ok && before !== undefined && isUnknown(sent.error)) {
        keep(key, undefined)
        return 'set-aside'
      }
      if (!sent.ok) return sent
      const silenceId = silenceIdIn(sent.value.answer)
      if (silenceId === undefined) return notOne(sent.value)
      keep(key, { ...next, id: silenceId })
      return sent
    },
    end: async (key: string, one: HeldSilence, { url, each }: Addresses): Promise<Tried> => {
      const endsWallMs = clock.wallMs() + SILENCE_END_MS
      const sent =
        via === 'relay'
          ? await post({ url: each + one.id, method: 'DELETE', body: '', blind: false })
          : await post({ url, body: JSON.stringify(silenceOf({ ...one, endsWallMs })), blind: false })
      if (isOver()) return undefined
      if (!sent.ok && !isUnknown(sent.error)) return sent
      keep(key, undefined)
      return sent.ok ? sent : 'set-aside'
    },
  }
}

/** Silences that the Alertmanager has, kept over reloads. */
function createHeldOnes(place: string, storage: OutboxStorage) {
  const held = new Map<string, HeldSilence>()
  let saved: Promise<void> = Promise.resolve()
  const load = async (): Promise<void> => {
    for (const one of heldFrom(await storage.load(place))) held.set(keyOf(one), one)
  }
  return {
    held,
    loaded: load(),
    keep: (key: string, next: HeldSilence | undefined): void => {
      if (next === undefined) held.delete(key)
      else held.set(key, next)
      const silences = Array.from(held.values())
      saved = saved.then(() => storage.save(place, silences.length === 0 ? undefined : { silences }))
    },
    settled: (): Promise<void> => saved,
  }
}

type Addresses = NonNullable<Outgoing['silences']>

const keyOf = ({ alarm, severity }: WantedSilence): string => `${severity} ${alarm}`

/** "silence not found" comes with 404 or, from older versions, with 500. */
const isUnknown = (failure: DeliveryFailure): boolean =>
  failure.kind === 'status' && (failure.status === 404 || /not found|already expired/i.test(failure.answer))

const notOne = ({ status, answer }: Delivered): Tried => err({ kind: 'status', status: status ?? 0, answer })

/** It is to be made, or to last longer. */
const isDue = (held: HeldSilence | undefined, wallMs: number): boolean =>
  (held?.endsWallMs ?? 0) - wallMs < SILENCE_RENEW_MS

function waitingIn(
  held: ReadonlyMap<string, HeldSilence>,
  wanted: ReadonlyMap<string, WantedSilence> | undefined,
  wallMs: number,
): number {
  if (wanted === undefined) return 0
  const begins = Array.from(wanted.keys()).filter((key) => isDue(held.get(key), wallMs))
  const ends = Array.from(held.keys()).filter((key) => !wanted.has(key))
  return begins.length + ends.length
}

/** An alarm that somebody has taken on. The two labels say which alert it is; one that got worse is another. */
type WantedSilence = {
  readonly alarm: string
  readonly severity: string
  readonly comment: string
}

/** A silence that an Alertmanager has. */
export type HeldSilence = WantedSilence & {
  /** Alertmanager's own; empty before it has one. */
  readonly id: string
  readonly startsWallMs: number
  readonly endsWallMs: number
}

const COMMENT_CHARS_MAX = 1_024

/** The alerts that are to be silent. */
export const silencesFor = (alerts: readonly SentAlert[]): readonly WantedSilence[] =>
  alerts.flatMap(({ phase, acknowledged, alert: { labels, annotations } }) => {
    const { alarm, severity } = labels
    if (acknowledged === undefined || (phase !== 'firing' && phase !== 'recovering')) return []
    if (alarm === undefined || severity === undefined) return []
    const comment = `Acknowledged on the dashboard: ${acknowledged.note ?? annotations['summary'] ?? alarm}`
    return [{ alarm, severity, comment: comment.slice(0, COMMENT_CHARS_MAX) }]
  })

/** As `POST /api/v2/silences` takes it; with an id it changes the one that is there. */
export const silenceOf = ({ id, alarm, severity, comment, startsWallMs, endsWallMs }: HeldSilence) => ({
  ...(id !== '' && { id }),
  matchers: [equal('alarm', alarm), equal('severity', severity)],
  startsAt: new Date(startsWallMs).toISOString(),
  endsAt: new Date(endsWallMs).toISOString(),
  createdBy: 'immune node dashboard',
  comment,
})

const equal = (name: string, value: string) => ({ name, value, isRegex: false, isEqual: true })

/** The id in `{"silenceID":"…"}`; undefined where the answer is none. */
const silenceIdIn = (answer: string): string | undefined =>
  /"silenceID"\s*:\s*"([0-9a-f-]{1,64})"/i.exec(answer)?.[1]

/** What was kept; nothing where it can't be read. */
export function heldFrom(kept: unknown): readonly HeldSilence[] {
  const all: unknown = typeof kept === 'object' && kept !== null ? Reflect.get(kept, 'silences') : undefined
  return Array.isArray(all) ? all.filter(isHeld) : []
}

const isHeld = (value: unknown): value is HeldSilence => {
  if (typeof value !== 'object' || value === null) return false
  const member = (name: string): unknown => Reflect.get(value, name)
  return (
    ['id', 'alarm', 'severity', 'comment'].every((name) => typeof member(name) === 'string') &&
    ['startsWallMs', 'endsWallMs'].every((name) => Number.isFinite(member(name)))
  )
}

import type { AlarmNotification, AlarmSeverity, AlarmsView } from '#alarms/alarm.ts'
import type { ChannelLevel } from '#alarms/channels.ts'
import { createSoundPlan } from '#alarms/sound-plan.ts'
import type { Clock } from '#base/clock.ts'
import type { Store } from '#base/store.ts'
import type { Announcement, PageFacts } from './bridge.ts'

/** A page that takes longer is frozen or hung, and another one speaks instead. */
const ANSWER_WITHIN_MS = 2_000
const WAITING_MAX = 50
const SOUND_EVERY_MS = 1_000

export type SpeakingPage = {
  readonly facts: () => PageFacts
  /** Resolves when the page has accepted the announcement. */
  readonly announce: (announcement: Announcement) => Promise<void>
}

type Candidate = SpeakingPage & { isSilent: boolean }

type Ports = {
  readonly clock: Clock
  readonly nowMs: () => number
  readonly view: Store<AlarmsView | undefined>
}

/**
 * Chooses one page to play sounds, show notifications and vibrate for all. Remembers what was announced, so that nothing
 * repeats when another page takes over.
 */
export function createSpeaker({ clock, nowMs, view }: Ports) {
  const { pages, choose, say, sayToOthers } = createCandidates(clock, nowMs)
  const plan = createSoundPlan()
  let waiting: readonly AlarmNotification[] = []
  let isNotifying = false
  let level: ChannelLevel = 'off'
  let ends: readonly (() => void)[] = []
  let cancelTick = (): void => undefined

  const notifyWaiting = async (): Promise<void> => {
    if (isNotifying) return
    isNotifying = true
    for (let [next] = waiting; next !== undefined; [next] = waiting) {
      if (!(await say({ kind: 'notification', notification: next }))) break
      // Another page may have shown the notification, so all of them close it.
      if (next.kind === 'recovery') sayToOthers({ kind: 'notification', notification: next })
      waiting = waiting.filter((one) => one !== next)
    }
    isNotifying = false
  }
  const sound = (): void => {
    const alarms = view.get()
    // Without a page that can play sounds, the sound stays due.
    if (alarms === undefined || choose()?.facts().sound !== 'ready') return
    const severity = plan.next(alarms, level, nowMs(), clock.wallMs())
    if (severity !== undefined) void say({ kind: 'sound', severity })
  }
  const tick = (): void => {
    sound()
    cancelTick = clock.after(SOUND_EVERY_MS, tick)
  }

  return {
    /** Adding a page of the same `id` replaces it. */
    add: (id: string, page: SpeakingPage): void => {
      pages.set(id, { ...page, isSilent: false })
      void notifyWaiting()
    },
    remove: (id: string): void => {
      pages.delete(id)
    },
    /** Marks the page as responsive. */
    heard: (id: string): void => {
      const page = pages.get(id)
      if (page?.isSilent !== true) return
      page.isSilent = false
      void notifyWaiting()
    },
    notify: (notification: AlarmNotification): void => {
      waiting = [...waiting, notification].slice(-WAITING_MAX)
      void notifyWaiting()
    },
    setLevel: (next: ChannelLevel): void => {
      level = next
    },
    start: (): void => {
      ends = [view.subscribe(sound), () => cancelTick()]
      tick()
    },
    stop: (): void => {
      for (const end of ends) end()
      pages.clear()
    },
  }
}

export type Speaker = ReturnType<typeof createSpeaker>

type AnnouncedContent =
  | { readonly kind: 'sound'; readonly severity: AlarmSeverity }
  | { readonly kind: 'notification'; readonly notification: AlarmNotification }

function createCandidates(clock: Clock, nowMs: () => number) {
  const pages = new Map<string, Candidate>()
  let current = ''

  const choose = (): Candidate | undefined => {
    const [best] = Array.from(pages)
      .filter(([, page]) => !page.isSilent)
      .toSorted(([a, one], [b, other]) => rank(other, b === current) - rank(one, a === current))
    current = best?.[0] ?? ''
    return best?.[1]
  }
  /** Resolves to false if no page accepted it. */
  const say = async (content: AnnouncedContent): Promise<boolean> => {
    for (let page = choose(); page !== undefined; page = choose()) {
      if (await answered(clock, page.announce({ ...content, atMs: nowMs() }))) return true
      page.isSilent = true
    }
    return false
  }
  const sayToOthers = (content: AnnouncedContent): void => {
    for (const [id, page] of pages) {
      if (id === current || page.isSilent) continue
      const done = page.announce({ ...content, atMs: nowMs() })
      void answered(clock, done).then((isDone) => {
        page.isSilent ||= !isDone
        return undefined
      })
    }
  }
  return { pages, choose, say, sayToOthers }
}

/** Prefers pages that can play sounds, then visible pages, then the current speaker. */
const rank = ({ facts }: SpeakingPage, isCurrent: boolean): number => {
  const { sound, isVisible } = facts()
  return (sound === 'ready' ? 4 : 0) + (isVisible ? 2 : 0) + (isCurrent ? 1 : 0)
}

/** Whether the work finished in time. A rejection counts as failure, because another page may succeed. */
const answered = (clock: Clock, work: Promise<void>): Promise<boolean> =>
  new Promise((resolve) => {
    const cancel = clock.after(ANSWER_WITHIN_MS, () => resolve(false))
    const settle = (isDone: boolean) => (): void => {
      cancel()
      resolve(isDone)
    }
    work.then(settle(true), settle(false))
  })

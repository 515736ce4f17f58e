import type { AlarmNews } from './alarm-news.ts'
import type { AlarmView } from './alarm.ts'

/** Screen readers are spoken to at most this often. */
export const ANNOUNCE_EVERY_MS = 30_000

/** What is to be said now. More than one of a kind is summed up. */
export type Announcement = {
  readonly urgency: 'assertive' | 'polite'
  readonly critical: number
  readonly others: number
  readonly over: number
  /** The one alarm that it is about, where there is only one. */
  readonly only: AlarmView | undefined
}

export type Announcements = {
  readonly hear: (news: AlarmNews) => void
  /** What to say now; undefined: nothing, or not yet. To be asked at every change and every second. */
  readonly next: (nowMs: number) => Announcement | undefined
}

/** Gathers news for screen readers, so that a storm is one sentence. `nowMs` on a steady clock. */
export function createAnnouncements(): Announcements {
  let raised = new Map<string, AlarmView>()
  let over = new Map<string, AlarmView>()
  let lastMs = Number.NEGATIVE_INFINITY
  return {
    hear: (news) => {
      for (const alarm of news.raised) {
        raised.set(alarm.id, alarm)
        over.delete(alarm.id)
      }
      for (const alarm of news.over) {
        // What came and went before anybody was told of it was not there.
        if (!raised.delete(alarm.id)) over.set(alarm.id, alarm)
      }
    },
    next: (nowMs) => {
      const all = [...raised.values(), ...over.values()]
      if (all.length === 0 || nowMs - lastMs < ANNOUNCE_EVERY_MS) return undefined
      const critical = Array.from(raised.values()).filter(({ severity }) => severity === 'critical').length
      const said: Announcement = {
        urgency: critical > 0 ? 'assertive' : 'polite',
        critical,
        others: raised.size - critical,
        over: over.size,
        only: all.length === 1 ? all[0] : undefined,
      }
      raised = new Map()
      over = new Map()
      lastMs = nowMs
      return said
    },
  }
}

import { useEffect } from 'react'
import { createAlarmNews, createAnnouncements } from '#alarms/announcements.ts'
import { createAlarmFacts } from '#texts/alarm-facts.ts'
import { useDashboard } from '#react/dashboard.ts'
import { notificationTexts as words } from '#texts/en-notifications.ts'
import { useAnnounce } from '#ui/live-region.tsx'

/** Announces new alarms to screen readers: critical ones at once, and at most one sentence every 30 s. */
export function AlarmAnnouncer() {
  const { alarms, fleet, metrics, seconds, nowMs } = useDashboard()
  const announce = useAnnounce()
  useEffect(() => {
    const news = createAlarmNews()
    const announcements = createAnnouncements()
    const { describe } = createAlarmFacts(fleet.get, '', metrics)
    const say = (): void => {
      const said = announcements.next(nowMs())
      if (said === undefined) return
      const title = said.only === undefined ? undefined : describe(said.only).title
      announce(words.announcement(said, title), said.urgency)
    }
    const hear = (): void => {
      const view = alarms.get()
      if (view === undefined) return
      announcements.add(news(view))
      say()
    }
    hear()
    const ends = [alarms.subscribe(hear), seconds.subscribe(say)]
    return () => ends.forEach((end) => end())
  }, [alarms, fleet, metrics, seconds, nowMs, announce])
  return null
}

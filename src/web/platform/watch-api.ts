import type { AlarmAct } from '#alarms/alarm-act.ts'
import type { AlarmMember } from '#alarms/alarm.ts'
import { ownMember } from '#base/own-member.ts'
import { isWatchReport, type WatchReport } from '#delivery/watch-report.ts'
import { matcherOf, type EventPage, type EventQuery, type KeptEntry } from '#history/event-log.ts'
import { ask, posted } from './server-services.ts'

/** Undefined if the server does not answer, or its watch has not evaluated anything yet. */
export async function readWatch(): Promise<WatchReport | undefined> {
  const json = (await ask('/watch'))?.json
  return isWatchReport(json) ? json : undefined
}

/** False if the watch did not accept it. The server itself adds the name of the person. */
export const sendWatchAct = async (act: AlarmAct): Promise<boolean> =>
  // JSON has no undefined members.
  (await ask('/watch/acts', posted({ ...act, by: undefined })))?.isOk === true

export async function readWatchMembers(id: string): Promise<readonly AlarmMember[]> {
  const json = (await ask(`/watch/members?id=${encodeURIComponent(id)}`))?.json
  return areMembers(json) ? json : []
}

// The dashboard's own server answered, so the shape's own marks are enough.
const areMembers = (json: unknown): json is readonly AlarmMember[] => Array.isArray(json)
const areEntries = (json: unknown): json is readonly KeptEntry[] =>
  Array.isArray(json) && json.every((entry) => typeof ownMember(entry, 'what') === 'string')

const JOURNAL_LIMIT_MAX = 500

/** A page of the watch's journal. Throws if it cannot be read. */
export async function readWatchJournal(query: EventQuery): Promise<EventPage> {
  const asked = new URLSearchParams({ limit: String(Math.min(query.limit, JOURNAL_LIMIT_MAX)) })
  if (query.before !== undefined) asked.set('before', query.before)
  const answer = await ask(`/watch/journal?${asked.toString()}`)
  const entries = ownMember(answer?.json, 'entries')
  if (!areEntries(entries)) throw new Error('The journal of the watch can’t be read.')
  const before = ownMember(answer?.json, 'nextBefore')
  return {
    entries: entries.filter(matcherOf(query)),
    before: typeof before === 'string' ? before : undefined,
  }
}

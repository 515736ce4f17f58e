import type { EventFacts, KeptEntry } from '#history/event-log.ts'
import { formatLongDay, type Zone } from '#texts/format-time.ts'

/** An entry or a day heading. `fold` marks a line that stands for several entries, which follow it while it is open. */
export type JournalRow =
  | { readonly key: string; readonly day: string; readonly entry?: undefined }
  | {
      readonly key: string
      readonly entry: KeptEntry
      readonly fold?: { readonly entries: readonly KeptEntry[]; readonly isOpen: boolean }
      readonly isMember?: boolean
    }

/**
 * No time zone starts a day in the middle of a quarter of an hour, so the day name is computed once for each quarter; naming
 * days is the costly part.
 */
const WITHIN_ONE_DAY_MS = 900_000

/** The entries, newest first, with a heading before each day. `unfolded` holds the ids of entries to show singly. */
export function rowsOf(
  entries: readonly KeptEntry[],
  zone: Zone,
  unfolded: ReadonlySet<string>,
): readonly JournalRow[] {
  const rows: JournalRow[] = []
  const dayOf = createDays(zone)
  let day: string | undefined
  for (let at = 0; at < entries.length;) {
    const first = entries[at]
    if (first === undefined) break
    const next = dayOf(first)
    if (next !== day) rows.push({ key: `day ${next} ${first.id}`, day: next })
    day = next
    const together = entries.slice(at, at + countTogether(entries, at, dayOf))
    rows.push(...rowsTogether(first, together, unfolded))
    at += together.length
  }
  return rows
}

function createDays(zone: Zone): (entry: KeptEntry) => string {
  let day = ''
  let quarter: number | undefined
  return ({ wallMs }) => {
    const next = Math.floor(wallMs / WITHIN_ONE_DAY_MS)
    if (next !== quarter) day = formatLongDay(wallMs, zone)
    quarter = next
    return day
  }
}

/** Number of entries, starting at `from`, that share one line. */
function countTogether(
  entries: readonly KeptEntry[],
  from: number,
  dayOf: (entry: KeptEntry) => string,
): number {
  const first = entries[from]
  if (first === undefined) return 0
  const belongs = isSameAct(first) ?? isNeverRaised(first, dayOf)
  let to = from + 1
  for (let entry = entries[to]; entry !== undefined && belongs?.(entry) === true; entry = entries[to]) to += 1
  return to - from
}

type Belongs = (entry: KeptEntry) => boolean

/** One action on several alarms has the same timestamp on every entry. */
const isSameAct = (first: KeptEntry): Belongs | undefined =>
  first.area === 'operator' && first.what.startsWith('alarm-')
    ? ({ area, what, wallMs, facts }) =>
        area === first.area &&
        what === first.what &&
        wallMs === first.wallMs &&
        facts?.['note'] === first.facts?.['note'] &&
        facts?.['by'] === first.facts?.['by']
    : undefined

/** Alarms that were reset while pending, each with its pending entry. */
function isNeverRaised(first: KeptEntry, dayOf: (entry: KeptEntry) => string): Belongs | undefined {
  if (first.what !== 'alarm-reset') return undefined
  const day = dayOf(first)
  const ended = new Set([first.facts?.['alarm']])
  return (entry) => {
    const alarm = entry.facts?.['alarm']
    if (dayOf(entry) !== day) return false
    if (entry.what === 'alarm-reset') ended.add(alarm)
    return entry.what === 'alarm-reset' || (entry.what === 'alarm-pending' && ended.has(alarm))
  }
}

function rowsTogether(
  first: KeptEntry,
  together: readonly KeptEntry[],
  unfolded: ReadonlySet<string>,
): readonly JournalRow[] {
  if (together.length === 1) return [{ key: first.id, entry: first }]
  const isOpen = together.some(({ id }) => unfolded.has(id))
  const members = together.map((entry) => ({ key: entry.id, entry, isMember: true }))
  return [
    {
      key: `fold ${together.at(-1)?.id ?? first.id}`,
      entry: summaryOf(first, together),
      fold: { entries: together, isOpen },
    },
    ...(isOpen ? members : []),
  ]
}

/** The newest entry, reduced to what all entries share, plus the number of alarms. */
function summaryOf(first: KeptEntry, together: readonly KeptEntry[]): KeptEntry {
  const { nodeKey, serviceId, facts, ...rest } = first
  const isShared = (part: (entry: KeptEntry) => unknown): boolean =>
    together.every((entry) => part(entry) === part(first))
  const alarms = new Set(together.map((entry) => entry.facts?.['alarm'])).size
  const { kind, note, by } = facts ?? {}
  const shared: EventFacts = {
    ...(kind !== undefined && isShared((entry) => entry.facts?.['kind']) && { kind }),
    ...(note !== undefined && { note }),
    ...(by !== undefined && { by }),
    ...(alarms > 1 && { alarms }),
  }
  return {
    ...rest,
    facts: shared,
    ...(nodeKey !== undefined && isShared((entry) => entry.nodeKey) && { nodeKey }),
    ...(serviceId !== undefined && isShared((entry) => entry.serviceId) && { serviceId }),
  }
}

export const rowKey = (row: JournalRow): string => row.key

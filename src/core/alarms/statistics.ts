import { groupBy } from '#base/group-by.ts'
import { MINUTE_MS, type TimeRange } from '#base/time.ts'
import type { KeptEntry } from '#history/event-log.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { sum } from '#base/sum.ts'
import { ALARM_SEVERITIES, worstOf, type AlarmSeverity } from './alarm.ts'

type AlarmEpisode = {
  readonly alarm: string
  readonly entry: KeptEntry
  readonly fromMs: number
  readonly toMs: number | undefined
  /** The first entry is from when it was raised. */
  readonly severities: readonly (readonly [fromMs: number, severity: AlarmSeverity])[]
  /** Another alarm inhibited it before it was notified, until its end. */
  readonly isInhibited: boolean
}

const alarmOf = ({ facts }: KeptEntry): string | undefined =>
  typeof facts?.['alarm'] === 'string' ? facts['alarm'] : undefined

const NOTIFIED_WITHIN_MS = DEFAULTS.alarmGroupWaitMaxMs

const ENDS: readonly string[] = ['alarm-cleared', 'alarm-closed']

export function episodesOf(entries: readonly KeptEntry[]): readonly AlarmEpisode[] {
  const episodes: AlarmEpisode[] = []
  const open = new Map<string, number>()
  for (const entry of entries.toReversed()) {
    const alarm = alarmOf(entry)
    if (alarm === undefined) continue
    const index = open.get(alarm)
    const episode = index === undefined ? undefined : episodes[index]
    if (index !== undefined && episode !== undefined) {
      const next = episodeAfter(episode, entry)
      episodes[index] = next
      if (next.toMs !== undefined) open.delete(alarm)
    } else if (entry.what === 'alarm-raised') {
      const isInhibited = entry.facts?.['inhibitedBy'] !== undefined
      open.set(alarm, episodes.length)
      const fromMs = entry.wallMs
      const severities = [[fromMs, severityIn(entry)]] as const
      episodes.push({ alarm, entry, fromMs, toMs: undefined, severities, isInhibited })
    }
  }
  return episodes
}

function severityIn({ facts }: KeptEntry): AlarmSeverity {
  const severity = facts?.['severity']
  return ALARM_SEVERITIES.find((each) => each === severity) ?? 'info'
}

/** Periods with alarms and their highest severity, without inhibited alarms; in time order and without overlaps. */
export function severityRanges(
  entries: readonly KeptEntry[],
  nowMs: number,
): readonly (TimeRange & { readonly severity: AlarmSeverity })[] {
  const shown = episodesOf(entries).filter(({ isInhibited }) => !isInhibited)
  const parts = shown.flatMap(({ severities, toMs = nowMs }) =>
    severities.map(([fromMs, severity], index) => ({
      fromMs,
      toMs: severities[index + 1]?.[0] ?? toMs,
      severity,
    })),
  )
  const edges = Array.from(new Set(parts.flatMap(({ fromMs, toMs }) => [fromMs, toMs])))
    .toSorted((a, b) => a - b)
    .slice(-EDGES_MAX)
  return edges.slice(1).flatMap((toMs, index) => {
    const fromMs = edges[index] ?? toMs
    const on = parts.filter((part) => part.fromMs <= fromMs && part.toMs >= toMs)
    const severity = worstOf(on)
    return severity === undefined ? [] : [{ fromMs, toMs, severity }]
  })
}

/** One chart cannot show more changes. */
const EDGES_MAX = 1_000

function episodeAfter(episode: AlarmEpisode, entry: KeptEntry): AlarmEpisode {
  const { fromMs, severities } = episode
  const { what, wallMs } = entry
  if (what === 'alarm-worse' || what === 'alarm-lowered')
    return { ...episode, severities: [...severities, [Math.max(fromMs, wallMs), severityIn(entry)]] }
  if (what === 'alarm-inhibited') return { ...episode, isInhibited: wallMs - fromMs <= NOTIFIED_WITHIN_MS }
  if (what === 'alarm-released') return { ...episode, isInhibited: false }
  if (ENDS.includes(what)) return { ...episode, toMs: Math.max(fromMs, wallMs) }
  return episode
}

const STEP_MS = 10 * MINUTE_MS
const STEPS = 72

/** Counts only alarms that were not inhibited. `entries`: alarms and gaps, newest first. */
export function statisticsOf(entries: readonly KeptEntry[], nowMs: number) {
  const episodes = episodesOf(entries).filter(({ isInhibited }) => !isInhibited)
  const per10Min = Array.from({ length: STEPS }, () => 0)
  for (const { fromMs } of episodes) {
    const index = STEPS - 1 - Math.floor((nowMs - fromMs) / STEP_MS)
    const count = per10Min[index]
    if (count !== undefined) per10Min[index] = count + 1
  }
  const gaps = entries.filter(({ what, facts }) => what === 'gap' && facts?.['reason'] !== 'clock-step')
  return {
    per10Min,
    raised: sum(per10Min),
    peak: Math.max(...per10Min),
    repeated: mostRepeated(episodes),
    longest: longestOf(episodes, nowMs),
    blindMs: sum(gaps.map(lengthOf)),
    blindCount: gaps.length,
  }
}

/** Undefined if none was raised twice. */
function mostRepeated(episodes: readonly AlarmEpisode[]) {
  const byAlarm = Array.from(groupBy(episodes, ({ alarm }) => alarm).values())
  const [most = []] = byAlarm.toSorted((a, b) => b.length - a.length)
  const last = most.at(-1)
  if (last === undefined || most.length === 1) return undefined
  return { entry: last.entry, count: most.length, share: most.length / episodes.length }
}

const longestOf = (episodes: readonly AlarmEpisode[], nowMs: number) =>
  episodes
    .map(({ entry, fromMs, toMs }) => {
      return { entry, lastedMs: Math.max(0, (toMs ?? nowMs) - fromMs), isOver: toMs !== undefined }
    })
    .toSorted((a, b) => b.lastedMs - a.lastedMs)[0]

function lengthOf({ facts }: KeptEntry): number {
  const fromMs = facts?.['fromMs']
  const toMs = facts?.['toMs']
  return typeof fromMs === 'number' && typeof toMs === 'number' ? Math.max(0, toMs - fromMs) : 0
}

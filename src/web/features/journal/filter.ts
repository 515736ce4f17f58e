import { HOUR_MS } from '#base/time.ts'
import { EVENT_AREAS, type EventArea } from '#history/event-log.ts'
import type { JournalQuery } from '#react/journal-reader.ts'

/** Time ranges. The values appear in the URL. */
export const TIMES = ['any', '1h', '24h', '7d', '30d', 'between'] as const
export type Times = (typeof TIMES)[number]

const LENGTHS_MS: Readonly<Partial<Record<Times, number>>> = {
  '1h': HOUR_MS,
  '24h': 24 * HOUR_MS,
  '7d': 7 * 24 * HOUR_MS,
  '30d': 30 * 24 * HOUR_MS,
}

/** Filter of the journal. Times in Unix ms. */
export type JournalFilter = {
  /** Empty: every area. */
  readonly areas: readonly EventArea[]
  readonly node: string | undefined
  readonly times: Times
  readonly fromMs: number | undefined
  readonly toMs: number | undefined
  readonly search: string
}

/** Changes the filter in the URL. A function receives the URL's current filter, because the rendered one may be outdated. */
export type ShowJournal = (
  changes: Partial<JournalFilter> | ((now: JournalFilter) => Partial<JournalFilter>),
) => void

export const NO_FILTER: JournalFilter = {
  areas: [],
  node: undefined,
  times: 'any',
  fromMs: undefined,
  toMs: undefined,
  search: '',
}

const SEARCH_CHARS_MAX = 200

/** Parses the URL and ignores invalid parts. */
export function filterFromAddress(params: URLSearchParams): JournalFilter {
  const named = (params.get('kind') ?? '').split(',')
  const fromMs = instantOf(params.get('from'))
  const toMs = instantOf(params.get('to'))
  const isBetween = fromMs !== undefined || toMs !== undefined
  const last = TIMES.find((times) => times === params.get('last'))
  return {
    areas: EVENT_AREAS.filter((area) => named.includes(area)),
    node: params.get('node') ?? undefined,
    times: isBetween || last === 'between' ? 'between' : (last ?? 'any'),
    fromMs,
    toMs,
    search: (params.get('q') ?? '').slice(0, SEARCH_CHARS_MAX),
  }
}

export const addressOf = ({
  areas,
  node,
  times,
  fromMs,
  toMs,
  search,
}: JournalFilter): Readonly<Record<string, string>> => ({
  ...(areas.length > 0 && { kind: areas.join(',') }),
  ...(node !== undefined && { node }),
  ...(times !== 'any' && { last: times }),
  ...(times === 'between' && fromMs !== undefined && { from: new Date(fromMs).toISOString() }),
  ...(times === 'between' && toMs !== undefined && { to: new Date(toMs).toISOString() }),
  ...(search !== '' && { q: search }),
})

/** The query for the journal. `nowMs` is the time the filter was set, so that the query stays stable. */
export function queryOf({ areas, node, times, fromMs, toMs }: JournalFilter, nowMs: number): JournalQuery {
  const lengthMs = LENGTHS_MS[times]
  const sinceMs = times === 'between' ? fromMs : lengthMs === undefined ? undefined : nowMs - lengthMs
  return {
    ...(areas.length > 0 && { areas }),
    ...(node !== undefined && { nodeKey: node }),
    ...(sinceMs !== undefined && { fromMs: sinceMs }),
    ...(times === 'between' && toMs !== undefined && { toMs }),
  }
}

const instantOf = (text: string | null): number | undefined => {
  const ms = Date.parse(text ?? '')
  return Number.isNaN(ms) ? undefined : ms
}

import { useQuery } from '@tanstack/react-query'
import type { EventArea, KeptEntry } from '#history/event-log.ts'
import { useDashboard } from './dashboard.ts'
import { previousOf } from './reads.tsx'
import { useSteps } from './ticking.tsx'
import { useStore } from './use-fleet.ts'

/** More entries than this are not read for a sum. */
const PAST_EVENTS_MAX = 20_000
const PAGE = 5_000
/** A sum over days need not be newer than this. */
const RENEW_MS = 30_000

type PastEvents = { readonly entries: readonly KeptEntry[]; readonly isWhole: boolean }

type PastQuery = {
  readonly areas: readonly EventArea[]
  /** How far back from now. */
  readonly lengthMs: number
  readonly nodeKey?: string | undefined
}

/** What happened in the time up to now, newest first, for figures over it. Undefined before the first answer, and where it can't be read. */
export function usePastEvents({ areas, lengthMs, nodeKey }: PastQuery): PastEvents | undefined {
  const { engine, fleet, events } = useDashboard()
  const step = useSteps(RENEW_MS)
  const hasNews = useStore(events, (revision) => revision > 0)
  const read = async (): Promise<PastEvents> => {
    const fromMs = fleet.get().wallMs - lengthMs
    const entries: KeptEntry[] = []
    let before: string | undefined
    do {
      const page = await engine.readEvents({
        areas,
        fromMs,
        ...(nodeKey !== undefined && { nodeKey }),
        ...(before !== undefined && { before }),
        limit: PAGE,
      })
      entries.push(...page.entries)
      before = page.before
    } while (before !== undefined && entries.length < PAST_EVENTS_MAX)
    return { entries, isWhole: before === undefined }
  }
  const { data } = useQuery({
    queryKey: ['past-events', areas, lengthMs, nodeKey, step, hasNews],
    queryFn: read,
    gcTime: RENEW_MS,
    placeholderData: previousOf(areas, lengthMs, nodeKey),
    structuralSharing: false,
  })
  return data
}

const EVERY_MS = 60_000

/** The newest entry of a kind in the log, looked up once a minute; undefined where there is none. */
export function useLastEvent(area: EventArea): KeptEntry | undefined {
  const { engine } = useDashboard()
  const minute = useSteps(EVERY_MS)
  const { data } = useQuery({
    queryKey: ['last-event', area, minute],
    queryFn: async () => (await engine.readEvents({ areas: [area], limit: 1 })).entries[0] ?? null,
    placeholderData: previousOf(area),
  })
  return data ?? undefined
}

import type { EventArea, KeptEntry } from '#history/event-log.ts'
import { useDashboard } from './dashboard.ts'
import { previousOf, useRead } from './reads.ts'
import { useSteps } from './ticking.tsx'
import { useStore } from './use-fleet.ts'

/** Limits the entries read for a sum. */
const PAST_EVENTS_MAX = 20_000
const PAGE = 5_000
/** Minimum age before a sum over days is refreshed. */
const RENEW_MS = 30_000

type PastEvents = { readonly entries: readonly KeptEntry[]; readonly isWhole: boolean }

type PastQuery = {
  readonly areas: readonly EventArea[]
  readonly lengthMs: number
  readonly nodeKey?: string | undefined
}

/** Entries of the last `lengthMs`, newest first, for statistics. Undefined before the first read and if reading fails. */
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
  const { data } = useRead({
    queryKey: ['past-events', areas, lengthMs, nodeKey, step, hasNews],
    queryFn: read,
    gcTime: RENEW_MS,
    placeholderData: previousOf(areas, lengthMs, nodeKey),
    structuralSharing: false,
  })
  return data
}

const EVERY_MS = 60_000

/** The newest entry of an area, refreshed once a minute; undefined if there is none. */
export function useLastEvent(area: EventArea): KeptEntry | undefined {
  const { engine } = useDashboard()
  const minute = useSteps(EVERY_MS)
  const { data } = useRead({
    queryKey: ['last-event', area, minute],
    queryFn: async () => (await engine.readEvents({ areas: [area], limit: 1 })).entries[0] ?? null,
    placeholderData: previousOf(area),
  })
  return data ?? undefined
}

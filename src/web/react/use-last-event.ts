import { useQuery } from '@tanstack/react-query'
import type { EventArea, KeptEntry } from '#history/event-log.ts'
import { useDashboard } from './dashboard.ts'
import { previousOf } from './previous-data.ts'
import { useSteps } from './ticking.tsx'

const EVERY_MS = 60_000

/** The newest entry of a kind in the log, looked up once a minute; undefined where there is none. */
export function useLastEvent(area: EventArea): KeptEntry | undefined {
  const { engine } = useDashboard()
  const minute = useSteps(EVERY_MS)
  const { data } = useQuery({
    networkMode: 'always',
    retry: false,
    queryKey: ['last-event', area, minute],
    queryFn: async () => (await engine.readEvents({ areas: [area], limit: 1 })).entries[0] ?? null,
    placeholderData: previousOf(area),
  })
  return data ?? undefined
}

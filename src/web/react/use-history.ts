import { useQuery } from '@tanstack/react-query'
import type { Exchange } from '#engine/bridge.ts'
import type { EventPage, KeptEntry } from '#history/event-log.ts'
import type { LaneData, LaneQuery } from '#history/history.ts'
import type { Usual } from '#history/history.ts'
import type { NodeKey } from '#fleet/live.ts'
import { useDashboard } from './dashboard.ts'
import { previousOf } from './reads.tsx'
import { useStore } from './use-fleet.ts'

/**
 * Reads from history never wait for the network and never retry: the engine is on this
 * computer, and the next revision asks again anyway.
 */
const READ = { gcTime: 60_000 } as const

/** The lanes of one node for one range; read anew when `revision` changes. Undefined until the first answer. */
export function useLanes(
  query: LaneQuery,
  revision: number,
): { readonly data: LaneData | undefined; readonly failed: boolean } {
  const { engine } = useDashboard()
  const { data, isError } = useQuery({
    ...READ,
    queryKey: ['lanes', query.node, query, revision],
    queryFn: () => engine.readLanes(query),
    placeholderData: previousOf(query.node),
    structuralSharing: false, // typed arrays: comparing them costs more than drawing them
  })
  return { data, failed: isError }
}

/** What is usual moves slowly: it is read anew this often. */
const USUAL_EVERY_MS = 300_000

/** What was usual in the last seven days; empty until that is known. */
export function useUsual(node: NodeKey, nowMs: number, barMs: number): Usual {
  const { engine } = useDashboard()
  const toMs = Math.floor(nowMs / USUAL_EVERY_MS) * USUAL_EVERY_MS
  const { data } = useQuery({
    ...READ,
    queryKey: ['usual', node, barMs, toMs],
    queryFn: () => engine.readUsual({ node, toMs, barMs }),
    placeholderData: previousOf(node, barMs),
    structuralSharing: false,
  })
  return data ?? NOTHING_USUAL
}

const NOTHING_USUAL: Usual = {}

const HOUR_MS = 3_600_000
const NOTES_MAX = 500

/** The operator's notes of a node in a range, newest first; those a little beside it are among them. */
export function useNotes(
  nodeKey: NodeKey,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): readonly KeptEntry[] {
  const { engine, events } = useDashboard()
  const revision = useStore(events, (count) => count)
  // On whole hours, so that an axis that follows the time reads them anew but once an hour.
  const range = {
    fromMs: Math.floor(fromMs / HOUR_MS) * HOUR_MS,
    toMs: Math.ceil(toMs / HOUR_MS) * HOUR_MS,
  }
  const { data } = useQuery({
    ...READ,
    queryKey: ['notes', nodeKey, range, revision],
    queryFn: () => engine.readEvents({ nodeKey, ...range, areas: ['operator'], limit: NOTES_MAX }),
    placeholderData: previousOf(nodeKey),
    select: notesOf,
  })
  return data ?? NO_NOTES
}

const NO_NOTES: readonly KeptEntry[] = []
const notesOf = ({ entries }: EventPage): readonly KeptEntry[] =>
  entries.filter(({ what }) => what === 'note')

/** The node's last request and answer as they were. Undefined until there was one. */
export function useLastExchange(node: NodeKey, revision: number): Exchange | undefined {
  const { engine } = useDashboard()
  const { data } = useQuery({
    ...READ,
    queryKey: ['exchange', node, revision],
    queryFn: async () => (await engine.lastExchange(node)) ?? null,
    placeholderData: previousOf(node),
    structuralSharing: false,
  })
  return data ?? undefined
}

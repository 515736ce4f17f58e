import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Exchange } from '#engine/bridge.ts'
import type { LaneData, LaneQuery } from '#history/history.ts'
import type { NodeKey } from '#monitor/live.ts'
import { useDashboard } from './dashboard.ts'

/**
 * Reads from history never wait for the network and never retry: the engine is on this
 * computer, and the next revision asks again anyway.
 */
const READ = { networkMode: 'always', retry: false, gcTime: 60_000 } as const

/** The lanes of one node for one range; read anew when `revision` changes. Undefined until the first answer. */
export function useLanes(
  query: LaneQuery,
  revision: number,
): { readonly data: LaneData | undefined; readonly failed: boolean } {
  const { engine } = useDashboard()
  const { data, isError } = useQuery({
    ...READ,
    queryKey: ['lanes', query, revision],
    queryFn: () => engine.readLanes(query),
    placeholderData: keepPreviousData,
    structuralSharing: false, // typed arrays: comparing them costs more than drawing them
  })
  return { data, failed: isError }
}

/** The node's last request and answer as they were. Undefined until there was one. */
export function useLastExchange(node: NodeKey, revision: number): Exchange | undefined {
  const { engine } = useDashboard()
  const { data } = useQuery({
    ...READ,
    queryKey: ['exchange', node, revision],
    queryFn: async () => (await engine.lastExchange(node)) ?? null,
    placeholderData: keepPreviousData,
    structuralSharing: false,
  })
  return data ?? undefined
}

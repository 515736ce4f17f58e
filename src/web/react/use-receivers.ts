import { useDashboard } from './dashboard.ts'
import { useAct, useQueries, useRead } from './reads.ts'
import { useConfiguration } from './use-fleet.ts'

const KEY = ['receivers']

/** Receivers that the dashboard's server offers; `isThere` is undefined while loading. */
export function useReceivers() {
  const { receivers } = useDashboard()
  const queries = useQueries()
  // Reads again on mount, because another browser may have added a receiver.
  const { data, isPending } = useRead({
    queryKey: KEY,
    queryFn: async () => (await receivers.list()) ?? null,
  })
  const renew = (): Promise<void> => queries.invalidateQueries({ queryKey: KEY })
  const adding = useAct({
    mutationFn: (given: Parameters<typeof receivers.add>) => receivers.add(...given),
    onSettled: renew,
  })
  const removing = useAct({ mutationFn: receivers.remove, onSettled: renew })
  return {
    offered: data?.receivers ?? [],
    isThere: isPending ? undefined : data !== null,
    canAdd: data?.canAdd ?? false,
    add: (...given: Parameters<typeof receivers.add>) => adding.mutateAsync(given),
    remove: (id: string): void => removing.mutate(id),
  }
}

/** Sends a test message to a receiver. `answer` is undefined before and during the test. */
export function useReceiverTest(id: string) {
  const { engine } = useDashboard()
  const { mutate, data, isPending } = useAct({
    mutationFn: () => engine.testReceiver(id),
  })
  return { send: () => mutate(), isUnderWay: isPending, answer: data }
}

/**
 * Services that browsers added to the server's list and that this browser does not use, because it only tried them or another
 * browser added them.
 */
export function useAdded() {
  const { listAdded, removeAdded } = useDashboard()
  const queries = useQueries()
  const used = useConfiguration().effective.services.map(({ baseUrl }) => baseUrl)
  const { data } = useRead({
    // Read again when services change here, because a removed service becomes unused.
    queryKey: ['added-services', used],
    queryFn: async () => (await listAdded()) ?? [],
  })
  const { mutate, data: isRemoved } = useAct({
    mutationFn: (baseUrl: string) => removeAdded(baseUrl),
    onSettled: () => queries.invalidateQueries({ queryKey: ['added-services'] }),
  })
  return {
    unused: (data ?? []).filter(({ baseUrl }) => !used.includes(baseUrl)),
    remove: (baseUrl: string): void => mutate(baseUrl),
    /** Result of the last removal; undefined before and during one. */
    isRemoved,
  }
}

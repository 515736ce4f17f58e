import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Delivered, DeliveryFailure } from '#delivery/delivery-queue.ts'
import type { Result } from '#base/result.ts'
import type { OfferedReceivers, ReceiverProblem } from '#platform/server-services.ts'
import type { Service } from '#settings/schema.ts'
import type { OfferedReceiver } from '#settings/receiver.ts'
import type { Members } from '#receivers/kind.ts'
import { useDashboard } from './dashboard.ts'
import { useConfiguration } from './use-fleet.ts'

const KEY = ['receivers']

/** What the dashboard's server offers to send to; `isThere` undefined while it is asked. */
export function useReceivers(): {
  readonly offered: readonly OfferedReceiver[]
  readonly isThere: boolean | undefined
  readonly canAdd: boolean
  /** `replaces`: the id of one that is edited. */
  readonly add: (receiver: Members, replaces?: string) => Promise<Result<OfferedReceivers, ReceiverProblem>>
  readonly remove: (id: string) => void
} {
  const { receivers } = useDashboard()
  const queries = useQueryClient()
  // Another browser may have added one since.
  const { data, isPending } = useQuery({
    queryKey: KEY,
    queryFn: async () => (await receivers.list()) ?? null,
  })
  const renew = (): Promise<void> => queries.invalidateQueries({ queryKey: KEY })
  const adding = useMutation({
    mutationFn: ([receiver, replaces]: readonly [Members, (string | undefined)?]) =>
      receivers.add(receiver, replaces),
    onSettled: renew,
  })
  const removing = useMutation({ mutationFn: receivers.remove, onSettled: renew })
  return {
    offered: data?.receivers ?? [],
    isThere: isPending ? undefined : data !== null,
    canAdd: data?.canAdd ?? false,
    add: (...given) => adding.mutateAsync(given),
    remove: (id) => removing.mutate(id),
  }
}

/** A test message to one receiver. `answer` undefined: none was sent, or it is under way. */
export function useReceiverTest(id: string): {
  readonly send: () => void
  readonly isUnderWay: boolean
  readonly answer: Result<Delivered, DeliveryFailure> | undefined
} {
  const { engine } = useDashboard()
  const { mutate, data, isPending } = useMutation({
    mutationFn: () => engine.testReceiver(id),
  })
  return { send: () => mutate(), isUnderWay: isPending, answer: data }
}

/** The dashboard's own server is asked, whatever the browser thinks of the network. */

/**
 * Services that browsers added to the server's list and that this one does not use: an address
 * that was only tried, or one that another browser asks.
 */
export function useAdded(): {
  readonly unused: readonly Service[]
  readonly remove: (baseUrl: string) => void
  /** What the last removal came to; undefined before one, and while it is under way. */
  readonly isRemoved: boolean | undefined
} {
  const { listAdded, removeAdded } = useDashboard()
  const queries = useQueryClient()
  const used = useConfiguration().effective.services.map(({ baseUrl }) => baseUrl)
  const { data } = useQuery({
    // Read anew when services change here: one that is taken out of the settings is then unused.
    queryKey: ['added-services', used],
    queryFn: async () => (await listAdded()) ?? [],
  })
  const { mutate, data: isRemoved } = useMutation({
    mutationFn: (baseUrl: string) => removeAdded(baseUrl),
    onSettled: () => queries.invalidateQueries({ queryKey: ['added-services'] }),
  })
  return {
    unused: (data ?? []).filter(({ baseUrl }) => !used.includes(baseUrl)),
    remove: (baseUrl) => mutate(baseUrl),
    isRemoved,
  }
}

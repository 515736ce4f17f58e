import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Delivered, DeliveryFailure } from '#alarms/delivery.ts'
import type { Result } from '#base/result.ts'
import type { OfferedReceivers, ReceiverProblem } from '#platform/receivers.ts'
import type { OfferedReceiver, Receiver } from '#settings/receiver.ts'
import { useDashboard } from './dashboard.ts'

/** The dashboard's own server is asked, whatever the browser thinks of the network. */
const LOCAL = { networkMode: 'always', retry: false } as const
const KEY = ['receivers']

/** What the dashboard's server offers to send to; `isThere` undefined while it is asked. */
export function useReceivers(): {
  readonly offered: readonly OfferedReceiver[]
  readonly isThere: boolean | undefined
  readonly canAdd: boolean
  readonly add: (receiver: Receiver) => Promise<Result<OfferedReceivers, ReceiverProblem>>
  readonly remove: (id: string) => void
} {
  const { receivers } = useDashboard()
  const queries = useQueryClient()
  // Another browser may have added one since.
  const { data, isPending } = useQuery({
    ...LOCAL,
    queryKey: KEY,
    queryFn: async () => (await receivers.list()) ?? null,
  })
  const renew = (): Promise<void> => queries.invalidateQueries({ queryKey: KEY })
  const adding = useMutation({ ...LOCAL, mutationFn: receivers.add, onSettled: renew })
  const removing = useMutation({ ...LOCAL, mutationFn: receivers.remove, onSettled: renew })
  return {
    offered: data?.receivers ?? [],
    isThere: isPending ? undefined : data !== null,
    canAdd: data?.canAdd ?? false,
    add: adding.mutateAsync,
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
    ...LOCAL,
    mutationFn: () => engine.testReceiver(id),
  })
  return { send: () => mutate(), isUnderWay: isPending, answer: data }
}

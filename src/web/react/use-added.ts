import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Service } from '#settings/settings.ts'
import { useDashboard } from './dashboard.ts'
import { useConfiguration } from './use-fleet.ts'

/** The dashboard's own server is asked, whatever the browser thinks of the network. */
const LOCAL = { networkMode: 'always', retry: false } as const

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
    ...LOCAL,
    // Read anew when services change here: one that is taken out of the settings is then unused.
    queryKey: ['added-services', used],
    queryFn: async () => (await listAdded()) ?? [],
  })
  const { mutate, data: isRemoved } = useMutation({
    ...LOCAL,
    mutationFn: (baseUrl: string) => removeAdded(baseUrl),
    onSettled: () => queries.invalidateQueries({ queryKey: ['added-services'] }),
  })
  return {
    unused: (data ?? []).filter(({ baseUrl }) => !used.includes(baseUrl)),
    remove: (baseUrl) => mutate(baseUrl),
    isRemoved,
  }
}

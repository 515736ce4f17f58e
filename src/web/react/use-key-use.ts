import type { KeyInfo } from '#signer/api.ts'
import { useDashboard } from './dashboard.ts'
import { useRead } from './reads.ts'

const EVERY_MS = 10_000

/**
 * When the key last signed, in Unix ms; undefined if unknown. Queried while displayed, because the page's key list is not
 * updated on signing.
 */
export function useKeyUse({ publicKey, lastUsedMs }: KeyInfo): number | undefined {
  const { signer } = useDashboard()
  const { data } = useRead({
    queryKey: ['key-use'],
    queryFn: async () => signer.keys(),
    refetchInterval: EVERY_MS,
  })
  return data?.find((key) => key.publicKey === publicKey)?.lastUsedMs ?? lastUsedMs
}

import { useQuery } from '@tanstack/react-query'
import type { KeyInfo } from '#signer/api.ts'
import { useDashboard } from './dashboard.ts'

const EVERY_MS = 10_000

/**
 * When this key last signed, in Unix ms; undefined where that is not known. Asked of the signer
 * while somebody looks: what the page knows of keys is read when one changes, not when one signs.
 */
export function useKeyUse({ publicKey, lastUsedMs }: KeyInfo): number | undefined {
  const { signer } = useDashboard()
  const { data } = useQuery({
    queryKey: ['key-use'],
    queryFn: async () => signer.keys(),
    refetchInterval: EVERY_MS,
  })
  return data?.find((key) => key.publicKey === publicKey)?.lastUsedMs ?? lastUsedMs
}

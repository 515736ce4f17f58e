import { useEffect } from 'react'
import type { TokenInfo } from '#signer/api.ts'
import { useDashboard } from './dashboard.ts'
import { useRead } from './reads.ts'

/**
 * Services with a stored token; undefined until the signer has answered. Read again whenever keys change, even in another tab.
 */
export function useTokens(): readonly TokenInfo[] | undefined {
  const { signer, keys } = useDashboard()
  const { data, isError, refetch } = useRead({ queryKey: ['tokens'], queryFn: async () => signer.tokens() })
  useEffect(() => keys.subscribe(() => void refetch()), [keys, refetch])
  return isError ? undefined : data
}

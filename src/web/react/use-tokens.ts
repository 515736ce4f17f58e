import { useEffect, useState } from 'react'
import type { TokenInfo } from '#signer/api.ts'
import { useDashboard } from './dashboard.ts'

/**
 * Services with a stored token; undefined until the signer has answered. Read again whenever keys change, even in another tab.
 */
export function useTokens(): readonly TokenInfo[] | undefined {
  const { signer, keys } = useDashboard()
  const [tokens, setTokens] = useState<readonly TokenInfo[]>()
  useEffect(() => {
    let isCurrent = true
    const read = async (): Promise<void> => {
      // Another message reports an unresponsive signer, so the error is dropped here.
      const held = await signer.tokens().catch(() => undefined)
      if (isCurrent) setTokens(held)
    }
    void read()
    const end = keys.subscribe(() => void read())
    return () => {
      isCurrent = false
      end()
    }
  }, [signer, keys])
  return tokens
}

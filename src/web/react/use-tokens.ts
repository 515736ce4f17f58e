import { useEffect, useState } from 'react'
import type { TokenInfo } from '#signer/api.ts'
import { useDashboard } from './dashboard.ts'

/** Which services have a token; undefined until the signer said. Read anew with the keys, also when another tab changes it. */
export function useTokens(): readonly TokenInfo[] | undefined {
  const { signer, keys } = useDashboard()
  const [tokens, setTokens] = useState<readonly TokenInfo[]>()
  useEffect(() => {
    let isCurrent = true
    const read = async (): Promise<void> => {
      // A signer that does not answer is said elsewhere; nothing is claimed here.
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

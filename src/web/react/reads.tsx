import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'

/** Around the parts that read from the engine's history or ask the signer. Loaded with them: the first status is drawn without. */
export function Reads({ children }: { readonly children: ReactNode }) {
  const [queries] = useState(() => new QueryClient())
  return <QueryClientProvider client={queries}>{children}</QueryClientProvider>
}

import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'

/** Whom these ask is on this computer, whatever the browser thinks of the network; and nothing waits behind a retry. */
const LOCAL = { networkMode: 'always', retry: false } as const

export const createQueries = (): QueryClient =>
  new QueryClient({ defaultOptions: { queries: LOCAL, mutations: LOCAL } })

/** Around the parts that read from the engine's history or ask the signer. Loaded with them: the first status is drawn without. */
export function Reads({ children }: { readonly children: ReactNode }) {
  const [queries] = useState(createQueries)
  return <QueryClientProvider client={queries}>{children}</QueryClientProvider>
}

type Key = { readonly queryKey: readonly unknown[] }

/**
 * Lets the last answer stand until the next one is there, but only where it was about the same: a query
 * key begins with what it reads and then says of whom. Another node's answer would be a lie.
 */
export const previousOf =
  (...about: readonly unknown[]) =>
  <T,>(before: T | undefined, query: Key | undefined): T | undefined =>
    query !== undefined && about.every((part, place) => query.queryKey[place + 1] === part)
      ? before
      : undefined

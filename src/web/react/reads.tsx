import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { useState, type ComponentType, type ReactNode } from 'react'

/** Queries go to this computer, so the browser's online state is irrelevant and retries would only delay errors. */
const LOCAL = { networkMode: 'always', retry: false } as const

export const createQueries = (): QueryClient =>
  new QueryClient({ defaultOptions: { queries: LOCAL, mutations: LOCAL } })

/**
 * Provides queries for parts that read history or ask the signer. Loaded with these parts, because the first status needs none.
 */
export function Reads({ children }: { readonly children: ReactNode }) {
  const [queries] = useState(createQueries)
  return <QueryClientProvider client={queries}>{children}</QueryClientProvider>
}

/** A part that reads, with the queries for it. */
export const reading =
  <P extends object>(Part: ComponentType<P>) =>
  (props: P) => (
    <Reads>
      <Part {...props} />
    </Reads>
  )

type Key = { readonly queryKey: readonly unknown[] }

/**
 * Keeps the previous result while the next one loads, but only if both concern the same subject. A query key starts with what
 * it reads, then names its subject; another node's data would be wrong.
 */
export const previousOf =
  (...about: readonly unknown[]) =>
  <T,>(before: T | undefined, query: Key | undefined): T | undefined =>
    query !== undefined && about.every((part, place) => query.queryKey[place + 1] === part)
      ? before
      : undefined

import {
  QueryClient,
  useMutation,
  useQuery,
  type QueryKey,
  type UseMutationOptions,
  type UseQueryOptions,
} from '@tanstack/react-query'
import { useEffect } from 'react'
import { useDashboard, type Dashboard } from './dashboard.ts'

/** Queries go to this computer, so the browser's online state is irrelevant and retries would only delay errors. */
const LOCAL = { networkMode: 'always', retry: false } as const

const clients = new WeakMap<Dashboard['engine'], QueryClient>()

/** Shared by all parts of a dashboard. The server's watch has an engine of its own, and so its own answers. */
export function useQueries(): QueryClient {
  const { engine } = useDashboard()
  const queries =
    clients.get(engine) ?? new QueryClient({ defaultOptions: { queries: LOCAL, mutations: LOCAL } })
  clients.set(engine, queries)
  return queries
}

/**
 * `useQuery` without a provider, because the first status must not wait for the query package. Reads again when the tab is shown
 * again, because another tab or browser may have changed the data.
 */
export function useRead<T, K extends QueryKey>(options: UseQueryOptions<T, Error, T, K>) {
  const queries = useQueries()
  useEffect(() => {
    queries.mount()
    return () => queries.unmount()
  }, [queries])
  return useQuery(options, queries)
}

export const useAct = <T, V = void>(options: UseMutationOptions<T, Error, V>) =>
  useMutation(options, useQueries())

type Key = { readonly queryKey: readonly unknown[] }

/**
 * Keeps the previous result while the next one loads, but only if both concern the same subject. A query key starts with what
 * it reads, then names its subject; another node's data would be wrong.
 */
export const previousOf =
  (...about: readonly unknown[]) =>
  <T>(before: T | undefined, query: Key | undefined): T | undefined =>
    query !== undefined && about.every((part, place) => query.queryKey[place + 1] === part)
      ? before
      : undefined

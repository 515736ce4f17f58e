import { createContext, use, useCallback, useMemo, useSyncExternalStore } from 'react'

export type Navigate = (to: string, options?: { readonly replace?: boolean }) => void

/** Where the view is kept: path and query, e.g. "/nodes/x?range=1h". */
export type ViewLocation = {
  readonly subscribe: (listener: () => void) => () => void
  readonly get: () => string
  readonly navigate: Navigate
}

const listeners = new Set<() => void>()
const notify = (): void => {
  for (const listener of listeners) listener()
}

/**
 * The whole view lives behind "#", its query included, so that a link can be opened in a
 * new tab and the server sees none of it.
 */
const hashLocation: ViewLocation = {
  /**
   * All are told by one listener of the window: between two of those a browser lets React draw, and a
   * part that is about to go would act on an address that is not its own.
   */
  subscribe: (listener) => {
    if (listeners.size === 0) window.addEventListener('hashchange', notify)
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) window.removeEventListener('hashchange', notify)
    }
  },
  get: () => `/${location.hash.replace(/^#?\/?/, '')}`,
  navigate: (to, options) => {
    if (options?.replace === true) location.replace(`#${to}`)
    else location.hash = to
  },
}

export const LocationContext = createContext(hashLocation)

const pathOf = (address: string): string => address.split('?', 1)[0] ?? ''
const queryOf = (address: string): string => address.slice(pathOf(address).length + 1)

function useRawPath(): string {
  const { subscribe, get } = use(LocationContext)
  return useSyncExternalStore(subscribe, () => pathOf(get()))
}

/** The path as it is read, and the way to another; the query is no part of it. */
export function useLocation(): readonly [string, Navigate] {
  const { navigate } = use(LocationContext)
  return [decoded(useRawPath()), navigate]
}

/** What a browser wrote as codes; a "%" that begins none is taken as it is. */
function decoded(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

export function useSearch(): string {
  const { subscribe, get } = use(LocationContext)
  return useSyncExternalStore(subscribe, () => queryOf(get()))
}

type Params = URLSearchParams | Record<string, string>
type SetParams = (
  next: Params | ((now: URLSearchParams) => Params),
  options?: { readonly replace?: boolean },
) => void

export function useSearchParams(): readonly [URLSearchParams, SetParams] {
  const { get, navigate } = use(LocationContext)
  const path = useRawPath()
  const search = useSearch()
  const params = useMemo(() => new URLSearchParams(search), [search])
  const set: SetParams = useCallback(
    (next, options) => {
      const given = typeof next === 'function' ? next(new URLSearchParams(queryOf(get()))) : next
      const query = new URLSearchParams(given).toString()
      navigate(query === '' ? path : `${path}?${query}`, options)
    },
    [get, navigate, path],
  )
  return [params, set]
}

/** A link to this page with another query, as it can be sent to somebody: without what was only for this browser. */
export function useLinkWith(params: URLSearchParams): string {
  const { get } = use(LocationContext)
  return `${location.origin}${location.pathname}#${pathOf(get())}?${params.toString()}`
}

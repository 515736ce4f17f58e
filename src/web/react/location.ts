import { createContext, use, useCallback, useMemo, useSyncExternalStore } from 'react'

export type Navigate = (to: string, options?: { readonly replace?: boolean }) => void

/** Path and query of the current view, e.g. "/nodes/x?range=1h". */
export type ViewLocation = {
  readonly subscribe: (listener: () => void) => () => void
  readonly get: () => string
  readonly navigate: Navigate
}

const listeners = new Set<() => void>()
const notify = (): void => {
  for (const listener of listeners) listener()
}

/** The view lives in the URL's fragment, including its query, so that links open in new tabs and the server never sees it. */
const hashLocation: ViewLocation = {
  /**
   * A single window listener notifies all subscribers. Between two listeners React may render, and a component about to unmount
   * would see another page's URL.
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

/** The decoded path without query, and a function to navigate. */
export function useLocation(): readonly [string, Navigate] {
  const { navigate } = use(LocationContext)
  return [decoded(useRawPath()), navigate]
}

/** Text with an invalid percent-encoding is used as it is. */
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

/** A link to this page with other parameters, for sharing. Leaves out the parts that concern only this browser. */
export function useLinkWith(params: URLSearchParams): string {
  const { get } = use(LocationContext)
  return `${location.origin}${location.pathname}#${pathOf(get())}?${params.toString()}`
}

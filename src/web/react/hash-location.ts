import { useSyncExternalStore } from 'react'

/** Path and query of the address behind "#", e.g. "#/nodes/x?range=1h" gives "/nodes/x" and "range=1h". */
function split(): { readonly path: string; readonly query: string } {
  const [path = '', query = ''] = location.hash.replace(/^#?\/?/, '').split('?')
  return { path: `/${path}`, query }
}

const listeners = new Set<() => void>()
const notify = (): void => {
  for (const listener of listeners) listener()
}

/**
 * All are told by one listener of the window: between two of those a browser lets React draw, and a
 * part that is about to go would act on an address that is not its own.
 */
function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) window.addEventListener('hashchange', notify)
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) window.removeEventListener('hashchange', notify)
  }
}

function navigate(to: string, options?: { readonly replace?: boolean }): void {
  if (options?.replace === true) location.replace(`#${to}`)
  else location.hash = to
}

const useSearch = (): string => useSyncExternalStore(subscribe, () => split().query)

const useLocation = (): [string, typeof navigate] => [
  useSyncExternalStore(subscribe, () => split().path),
  navigate,
]

/**
 * The whole view lives behind "#", its query included, so that a link can be opened in a
 * new tab and the server sees none of it. The router's own hash hook keeps the query before
 * the "#" and takes one behind it for a part of the path.
 */
export const hashLocation = Object.assign(useLocation, {
  searchHook: useSearch,
  hrefs: (path: string): string => `#${path}`,
})

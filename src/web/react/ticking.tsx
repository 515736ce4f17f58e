import { useCallback, useMemo, useSyncExternalStore, type ReactNode } from 'react'
import type { Store } from '#base/store.ts'
import { useDashboard } from './dashboard.ts'
import { useStore } from './use-fleet.ts'

type Shown = string | number | boolean | undefined

/** A value that depends on the monotonic time in ms, computed once a second; re-renders only when it changes. */
export const useTick = <S extends Shown>(select: (nowMs: number) => S): S =>
  useStore(useDashboard().seconds, select)

/**
 * Keeps the element's only text up to date without rendering a component, and writes it only when it changes. React must give
 * the element no children. Returns a function that stops it.
 */
export function keepText(
  element: Element,
  subscribe: (listener: () => void) => () => void,
  read: () => string,
): () => void {
  const text = document.createTextNode(read())
  element.replaceChildren(text)
  return subscribe(() => {
    const now = read()
    if (text.data !== now) text.data = now
  })
}

type TickingProps = { readonly children: (nowMs: number) => string }

export function Ticking({ children }: TickingProps): ReactNode {
  const { seconds } = useDashboard()
  const ref = useCallback(
    (element: Element | null) =>
      element === null ? undefined : keepText(element, seconds.subscribe, () => children(seconds.get())),
    [seconds, children],
  )
  return <span ref={ref} />
}

export const subscribeToAll =
  (...stores: readonly Pick<Store<unknown>, 'subscribe'>[]) =>
  (listener: () => void): (() => void) => {
    const ends = stores.map((store) => store.subscribe(listener))
    return () => ends.forEach((end) => end())
  }

/** `useTick` with the wall-clock time in Unix ms; undefined before the engine's first update. */
export function useWall<S extends Shown>(select: (wallMs: number) => S): S | undefined {
  const { fleet, seconds } = useDashboard()
  const subscribe = useMemo(() => subscribeToAll(fleet, seconds), [fleet, seconds])
  const get = (): S | undefined => {
    const { revision, wallMs, nowMs } = fleet.get()
    return revision === 0 ? undefined : select(wallMs + (seconds.get() - nowMs))
  }
  return useSyncExternalStore(subscribe, get, get)
}

/** Wall-clock time in Unix ms, updated once a second; undefined before the engine's first update. */
export const useWallNow = (): number | undefined => useWall((wallMs) => wallMs)

/** Step for values that must not tick. */
export const NEVER_MS = Number.MAX_SAFE_INTEGER

/** Monotonic time rounded down to whole steps, for values that change less often than every second. */
export const useSteps = (stepMs: number): number => useTick((nowMs) => Math.floor(nowMs / stepMs) * stepMs)

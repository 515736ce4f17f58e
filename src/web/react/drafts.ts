import { useState } from 'react'
import { useDashboard, type Dashboard } from './dashboard.ts'

/** `undefined`: nothing is edited. */
type UseDraft<T> = (name: string) => readonly [T | undefined, (next: T | undefined) => void]

/** More than there are forms: one for each service, and some. The oldest goes. */
const DRAFTS_MAX = 64

/**
 * What is edited and not saved, kept while other pages are shown and until this tab is closed.
 * One of these for each kind of form; `name` tells its forms apart. Not for secrets.
 */
export function createDrafts<T>(): UseDraft<T> {
  const kept = new WeakMap<Dashboard, Map<string, T>>()
  return (name) => {
    const dashboard = useDashboard()
    const [draft, setDraft] = useState(() => kept.get(dashboard)?.get(name))
    const keep = (next: T | undefined): void => {
      const drafts = kept.get(dashboard) ?? new Map<string, T>()
      kept.set(dashboard, drafts)
      drafts.delete(name)
      if (next !== undefined) drafts.set(name, next)
      const [oldest] = drafts.keys()
      if (drafts.size > DRAFTS_MAX && oldest !== undefined) drafts.delete(oldest)
      setDraft(next)
    }
    return [draft, keep]
  }
}

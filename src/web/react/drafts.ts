import { useState } from 'react'
import type { Result } from '#base/result.ts'
import { stillWrong, type FieldProblems } from './form-draft.ts'
import { useDashboard, type Dashboard } from './dashboard.ts'

/** `undefined`: nothing is edited. */
type UseDraft<T> = (name: string) => readonly [T | undefined, (next: T | undefined) => void]

/** More than there are forms: one for each service, and some. The oldest goes. */
const DRAFTS_MAX = 64

const kinds: WeakMap<Dashboard, ReadonlyMap<string, unknown>>[] = []

/** Whether something is edited and not saved, also on a page that is not shown now. */
export const hasDrafts = (dashboard: Dashboard): boolean =>
  kinds.some((kept) => (kept.get(dashboard)?.size ?? 0) > 0)

/**
 * What is edited and not saved, kept while other pages are shown and until this tab is closed.
 * One of these for each kind of form; `name` tells its forms apart. Not for secrets.
 */
export function createDrafts<T>(): UseDraft<T> {
  const kept = new WeakMap<Dashboard, Map<string, T>>()
  kinds.push(kept)
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

type FormChecks<D, T> = {
  readonly problems: FieldProblems<D>
  readonly change: (part: Partial<D>) => void
  /** What the form describes; undefined where something is wrong, which is then said beside its field. */
  readonly check: () => T | undefined
  readonly forget: () => void
}

/** What is wrong with a form. A message goes as soon as its field is mended; a new one only comes with the next save. */
export function useFormChecks<D extends object, T>(
  fields: D,
  keep: (next: D) => void,
  read: (fields: D) => Result<T, FieldProblems<D>>,
): FormChecks<D, T> {
  const [problems, setProblems] = useState<FieldProblems<D>>({})
  return {
    problems,
    change(part) {
      const next = { ...fields, ...part }
      keep(next)
      const now = read(next)
      setProblems((shown) => (now.ok ? {} : stillWrong(shown, now.error)))
    },
    check() {
      const now = read(fields)
      setProblems(now.ok ? {} : now.error)
      return now.ok ? now.value : undefined
    },
    forget: () => setProblems({}),
  }
}

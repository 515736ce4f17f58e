import { useState } from 'react'
import type { Result } from '#base/result.ts'
import { stillWrong, type FieldProblems } from './form-draft.ts'
import { useDashboard, type Dashboard } from './dashboard.ts'

type UseDraft<T> = (name: string) => readonly [T | undefined, (next: T | undefined) => void]

/** More than the number of forms, which is about one for each service. The oldest draft is dropped. */
const DRAFTS_MAX = 64

const kinds: WeakMap<Dashboard, ReadonlyMap<string, unknown>>[] = []

/** Whether any form has unsaved edits, including those on hidden pages. */
export const hasDrafts = (dashboard: Dashboard): boolean =>
  kinds.some((kept) => (kept.get(dashboard)?.size ?? 0) > 0)

/**
 * Stores unsaved edits while other pages are shown, until the tab closes. Create one for each kind of form; `name` identifies
 * the form. Not for secrets.
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

/** Validation of a form. A message disappears once its field is correct; new messages appear only on the next save. */
export function useFormChecks<D extends object, T>(
  fields: D,
  keep: (next: D) => void,
  read: (fields: D) => Result<T, FieldProblems<D>>,
) {
  const [problems, setProblems] = useState<FieldProblems<D>>({})
  return {
    problems,
    change: (part: Partial<D>): void => {
      const next = { ...fields, ...part }
      keep(next)
      const now = read(next)
      setProblems((shown) => (now.ok ? {} : stillWrong(shown, now.error)))
    },
    /** Passes on the form's result. If a field is invalid, the fields show why instead. */
    submit: (onValid: (result: T) => void): void => {
      const now = read(fields)
      setProblems(now.ok ? {} : now.error)
      if (now.ok) onValid(now.value)
    },
    forget: () => setProblems({}),
  }
}

import { readLocalJson, writeLocal } from './local-storage.ts'
import { siteName } from './site.ts'

const KEY = siteName('immune-palette-recent')

/** Maximum number of remembered palette choices. Only their ids are stored, never the query. */
const RECENT_MAX = 8
/** A node's choice id contains its service's URL. */
const ID_CHARS_MAX = 1_000

/** Newest first. */
export function recentChoices(): readonly string[] {
  const kept = readLocalJson(KEY)
  return Array.isArray(kept) ? kept.filter(isId).slice(0, RECENT_MAX) : []
}

export function noteChoice(id: string): void {
  const ids = [id, ...recentChoices().filter((other) => other !== id)].filter(isId)
  writeLocal(KEY, JSON.stringify(ids.slice(0, RECENT_MAX)))
}

export const clearChoices = (): void => void writeLocal(KEY, null)

const isId = (id: unknown): id is string => typeof id === 'string' && id.length <= ID_CHARS_MAX

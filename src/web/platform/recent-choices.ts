import { readLocalJson, writeLocal } from './local-storage.ts'
import { siteName } from './site.ts'

const KEY = siteName('immune-palette-recent')

/** The palette's choices that a browser remembers, by their ids; what was typed is not kept. */
const RECENT_MAX = 8
/** A node's id holds its service's address. */
const ID_CHARS_MAX = 1_000

/** The newest first. */
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

import { readSentinel, type Sentinel } from '#history/history-status.ts'
import { readLocalJson, writeLocal } from './local-storage.ts'
import { siteName } from './site.ts'

const KEY = siteName('immune-history-known')

/** The sentinel stored outside the history database. Undefined on a first run, and if nothing can be stored. */
export const loadSentinel = (): Sentinel | undefined => readSentinel(readLocalJson(KEY))

/** `undefined` removes it. If nothing can be stored, a lost database goes unnoticed. */
export function saveSentinel(sentinel: Sentinel | undefined): void {
  writeLocal(KEY, sentinel === undefined ? null : JSON.stringify(sentinel))
}

import { readSentinel, type Sentinel } from '#history/history-status.ts'
import { readLocalJson, writeLocal } from './local-storage.ts'
import { siteName } from './site.ts'

const KEY = siteName('immune-history-known')

/**
 * What this browser remembers of its history outside of the database. Undefined where it
 * remembers nothing, which is a first run, or where nothing can be remembered.
 */
export const loadSentinel = (): Sentinel | undefined => readSentinel(readLocalJson(KEY))

/** `undefined` forgets it. Where nothing can be written a loss is not noticed, and all else goes on. */
export function saveSentinel(sentinel: Sentinel | undefined): void {
  writeLocal(KEY, sentinel === undefined ? null : JSON.stringify(sentinel))
}

import { readLocal, writeLocal } from './local-storage.ts'
import { siteName } from './site.ts'

const KEY = siteName('immune-single-keys')
const OFF = 'off'

/** Whether single keys act in this browser: they do until somebody turns them off. */
export const loadKeysOn = (): boolean => readLocal(KEY) !== OFF

/** Where nothing can be written the choice holds until the page is left. */
export function saveKeysOn(on: boolean): void {
  writeLocal(KEY, on ? null : OFF)
}

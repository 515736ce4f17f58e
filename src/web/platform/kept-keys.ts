import { readLocal, writeLocal } from './local-storage.ts'
import { siteName } from './site.ts'

const KEY = siteName('immune-single-keys')
const OFF = 'off'

/** Whether single-key shortcuts are on; on by default. */
export const loadKeysOn = (): boolean => readLocal(KEY) !== OFF

/** If the browser cannot store the choice, it holds until the page is left. */
export function saveKeysOn(on: boolean): void {
  writeLocal(KEY, on ? null : OFF)
}

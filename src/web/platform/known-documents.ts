import { textFingerprint } from '#base/fingerprint.ts'
import { readLocal, writeLocal } from './local-storage.ts'

/** Names this build: what is served under it does not change. In development a page trusts only what it has read itself. */
const BUILD = import.meta.env.DEV ? String(performance.timeOrigin) : import.meta.url

/** `read`: what the schema made of the text, where that is not what the text says by itself. */
type Known<T> = { readonly mark: string; readonly read?: T }

/**
 * A document that the schema of this build has read whole. The same text needs no schema again, so
 * that a page is drawn before that has come. Not against anybody: who can write here can write settings.
 */
export function knownDocument<T extends object>(key: string) {
  const markOf = (text: string): string => `${BUILD} ${textFingerprint(text)}`
  return {
    /** Undefined: it takes the schema to tell. */
    read: (text: string): T | undefined => {
      try {
        const known: Known<T> | null = JSON.parse(readLocal(key) ?? 'null')
        if (known?.mark !== markOf(text)) return undefined
        const read: T = known.read ?? JSON.parse(text)
        return read
      } catch {
        return undefined
      }
    },
    note: (text: string, read: T): void => {
      const known: Known<T> = {
        mark: markOf(text),
        ...(JSON.stringify(read) !== text && { read }),
      }
      writeLocal(key, JSON.stringify(known))
    },
    forget: (): void => void writeLocal(key, null),
  }
}

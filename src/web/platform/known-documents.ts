import { textFingerprint } from '#base/fingerprint.ts'
import { readLocal, writeLocal } from './local-storage.ts'

/** Identifies this build, whose files never change. In development, a page trusts only documents that it has read itself. */
const BUILD = import.meta.env.DEV ? String(performance.timeOrigin) : import.meta.url

/** `read` is the schema's output if it differs from the parsed JSON. */
type Known<T> = { readonly mark: string; readonly read?: T }

/**
 * Remembers that this build's schema accepted a document in full, so that the same text needs no schema on the next
 * start and the page renders before the schema loads. This does not protect anything, because any script that can write
 * here can also write settings.
 */
export function knownDocument<T extends object>(key: string) {
  const markOf = (text: string): string => `${BUILD} ${textFingerprint(text)}`
  return {
    /** Undefined: only the schema can tell. */
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

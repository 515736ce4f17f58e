import { err, ok, type Result } from './result.ts'

const MARKS = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
] as const

/** Bytes at the beginning by which `encodingOf` recognizes UTF-16 without a byte order mark. */
const SNIFFED_BYTES = 64

/**
 * The text of a file or an environment variable, without its byte order mark: UTF-8, or UTF-16 as Windows' editors and shells
 * write it. Any other encoding, such as Windows-1252, is an error, because guessing it may garble names.
 */
export function readText(bytes: Uint8Array): Result<string, 'other-encoding'> {
  try {
    return ok(new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes))
  } catch {
    return err('other-encoding')
  }
}

function encodingOf(bytes: Uint8Array): string {
  const marked = MARKS.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte))
  if (marked !== undefined) return marked[0]
  // In UTF-16 every second byte of Latin letters, digits and signs is zero.
  const start = bytes.subarray(0, SNIFFED_BYTES)
  const zeros = (odd: number): boolean =>
    start.length > 3 && start.every((byte, at) => (byte === 0) === (at % 2 === odd))
  return zeros(1) ? 'utf-16le' : zeros(0) ? 'utf-16be' : 'utf-8'
}

/** The form in which names, tags and search texts are compared: one form for each accent, lower case. */
export const folded = (text: string): string => text.normalize('NFC').toLowerCase()

const REMOVED = '[removed]'
/** Runs of this many characters without a space may be a signature in any encoding: 64 bytes need 86 in base64. */
const SIGNATURE_RUN = /[A-Za-z0-9+/_=.-]{80,}/g
/** 32 bytes in hex: a public key, a node id, or a seed that got where it should not be. */
const KEY_RUN = /[0-9a-f]{64,}/gi
/** A header's part that is shorter than this identifies nothing. */
const SECRET_CHARS_MIN = 16
/** What is as long as a signature is recognised by its first characters: an answer may break off within it. */
const SIGNATURE = /^[A-Za-z0-9+/_=.-]{64,}$/
const BEGINNING_CHARS = 24

/**
 * A text without anything that could be a signature or a key. `sent`: values of the headers that
 * a request carried, which an answer may repeat; `known`: public keys and node ids, which may stay.
 */
export function redact(text: string, sent: readonly string[], known: readonly string[]): string {
  const mayStay = new Set(known.map(bare))
  const parts = sent
    .flatMap((value) => [value, ...value.split(/[\s,;:="]+/)])
    .filter((part) => part.length >= SECRET_CHARS_MIN && !mayStay.has(bare(part)))
    .toSorted((a, b) => b.length - a.length)
  let clean = text
  for (const part of parts) clean = replaceAnyCase(clean, part)
  return clean
    .replace(SIGNATURE_RUN, REMOVED)
    .replace(KEY_RUN, (run) => (mayStay.has(bare(run)) ? run : REMOVED))
}

/** 32 bytes have 43 characters in base64, 44 in base58 and as many in nothing that people read; */
const SECRET_RUN = /[A-Za-z0-9+/_=-]{40,}/g
/** and as a list of numbers. */
const NUMBERS_RUN = /(?:\d{1,3}[\s,]+){15,}\d{1,3}/g

/** A text of this page's own, such as an error's, without anything that could be a key in any form. */
export const withoutKeys = (text: string): string =>
  text.replace(SECRET_RUN, REMOVED).replace(NUMBERS_RUN, REMOVED)

/** What an error said, likewise: it may quote whatever it failed on. */
export const errorText = (error: unknown): string =>
  withoutKeys(error instanceof Error ? `${error.name}: ${error.message}` : String(error))

const bare = (hex: string): string => hex.toLowerCase().replace(/^0x/, '')

/** Letter case apart: an answer may write hex in another one. */
function replaceAnyCase(text: string, part: string): string {
  const isSignature = SIGNATURE.test(part)
  const sought = isSignature ? part.slice(0, BEGINNING_CHARS) : part
  const pattern = sought.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
  return text.replace(new RegExp(pattern + (isSignature ? '[A-Za-z0-9+/_=.-]*' : ''), 'gi'), REMOVED)
}

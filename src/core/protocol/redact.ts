const REMOVED = '[removed]'
/** A run of this many characters may be a signature in any encoding: 64 bytes take 86 characters in base64. */
const SIGNATURE_RUN = /[A-Za-z0-9+/_=.-]{80,}/g
/** 32 bytes in hex: a public key, a node id, or a seed in the wrong place. */
const KEY_RUN = /[0-9a-f]{64,}/gi
/** A shorter part of a header identifies nothing. */
const SECRET_CHARS_MIN = 16
/** A text as long as a signature is matched by its first characters, because an answer may be cut within it. */
const SIGNATURE = /^[A-Za-z0-9+/_=.-]{64,}$/
const BEGINNING_CHARS = 24

/**
 * Removes everything that could be a signature or a key. `sent`: header values of the request, which the answer may repeat.
 * `known`: public keys and node ids that may stay.
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

/** 32 bytes take 43 characters in base64 and 44 in base58; readable text has no such runs. */
const SECRET_RUN = /[A-Za-z0-9+/_=-]{40,}/g
/** A key written as a list of numbers. */
const NUMBERS_RUN = /(?:\d{1,3}[\s,]+){15,}\d{1,3}/g

/** For this page's own texts, such as errors: removes everything that could be a key in any form. */
export const withoutKeys = (text: string): string =>
  text.replace(SECRET_RUN, REMOVED).replace(NUMBERS_RUN, REMOVED)

/** An error's text without keys, because it may quote its input. */
export const errorText = (error: unknown): string =>
  withoutKeys(error instanceof Error ? `${error.name}: ${error.message}` : String(error))

const bare = (hex: string): string => hex.toLowerCase().replace(/^0x/, '')

/** Ignores letter case, because an answer may change the case of hex digits. */
function replaceAnyCase(text: string, part: string): string {
  const isSignature = SIGNATURE.test(part)
  const sought = isSignature ? part.slice(0, BEGINNING_CHARS) : part
  const pattern = sought.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
  return text.replace(new RegExp(pattern + (isSignature ? '[A-Za-z0-9+/_=.-]*' : ''), 'gi'), REMOVED)
}

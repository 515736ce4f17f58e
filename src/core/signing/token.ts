import { err, ok, type Result } from '#base/result.ts'
import type { SignedHeaders } from './signer.ts'

export const TOKEN_CHARS_MAX = 4_096

/** Replaces a token wherever a request is shown. */
export const TOKEN_SHOWN = '[token]'

/** Shorter tokens could match ordinary text. */
const HIDDEN_CHARS_MIN = 8

/** `not-visible`: characters other than visible ASCII, or a space at an end, which a header would not carry unchanged. */
export type TokenProblem = 'empty' | 'too-long' | 'not-visible'

/** A token as typed, in UTF-8; nothing is trimmed. */
export function parseToken(bytes: Uint8Array): Result<string, TokenProblem> {
  if (bytes.length === 0) return err('empty')
  if (bytes.length > TOKEN_CHARS_MAX) return err('too-long')
  const isVisible = bytes.every((byte) => byte >= 0x20 && byte <= 0x7e)
  const text = isVisible ? String.fromCharCode(...bytes) : ''
  return isVisible && text.trim() === text ? ok(text) : err('not-visible')
}

export const shownHeaders = ({ headers, token }: SignedHeaders): Readonly<Record<string, string>> =>
  token === undefined
    ? headers
    : Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, hiddenIn(value, token)]))

const hiddenIn = (value: string, token: string): string => {
  if (value.endsWith(token)) return value.slice(0, -token.length) + TOKEN_SHOWN
  return value.includes(token) ? TOKEN_SHOWN : value
}

/** Replaces the token in a service's text, because an answer may repeat it. */
export const withoutToken = (text: string, token: string | undefined): string =>
  token === undefined || token.length < HIDDEN_CHARS_MIN ? text : text.replaceAll(token, TOKEN_SHOWN)

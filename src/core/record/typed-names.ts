import * as v from 'valibot'
import { folded } from '#base/read-text.ts'
import { orUndefined } from '#base/result.ts'
import { parseBaseUrl } from './service.ts'

/** Accepts a text in the form that `read` returns; rejects it if `read` returns undefined. */
export const readBy = (read: (text: string) => string | undefined, message: string) =>
  v.pipe(
    v.string(),
    v.rawTransform<string, string>(({ dataset, addIssue, NEVER }) => {
      const value = read(dataset.value)
      if (value !== undefined) return value
      addIssue({ message })
      return NEVER
    }),
  )

/** A service's base URL in normal form. */
export const BaseUrl = readBy(
  (text) => orUndefined(parseBaseUrl(text)),
  'is not the base URL of a service: use http(s)://host[:port][/path], without /node/status, user, query or #',
)

export const TAG_CHARS_MAX = 32
const TAG = /^\p{L}[^\s,;|#"'`]*$/u

/** A tag as stored: lower case, without a leading #. Undefined if the text is not a valid tag. */
export function parseTag(text: string): string | undefined {
  const tag = folded(text.trim().replace(/^#/, ''))
  return tag.length <= TAG_CHARS_MAX && TAG.test(tag) ? tag : undefined
}

export const Tag = readBy(
  parseTag,
  `is not a tag: a tag begins with a letter, has at most ${TAG_CHARS_MAX} characters and no space, comma, semicolon, vertical bar, quote or #`,
)

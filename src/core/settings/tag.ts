/** Longest tag, in characters. */
export const TAG_CHARS_MAX = 32
/** Most tags of one node. */
export const TAGS_MAX = 16

const TAG = /^\p{L}[^\s,;|#"'`]*$/u

/** A tag as it is kept: lower case, without the # that people write before it. Undefined where the text can't be one. */
export function parseTag(text: string): string | undefined {
  const tag = text.trim().replace(/^#/, '').toLowerCase()
  return tag.length <= TAG_CHARS_MAX && TAG.test(tag) ? tag : undefined
}

import { err, ok, type Result } from '#base/result.ts'

/**
 * `not-a-number`: a numeric claim without a whole number. `not-printable`: a value that a header cannot contain. `too-long`:
 * headers longer than servers accept.
 */
export type TemplateProblem = {
  readonly kind: 'unknown-placeholder' | 'unclosed' | 'not-a-number' | 'not-printable' | 'too-long'
  /** The faulty part, cut to 40 characters. */
  readonly at: string
}

type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'placeholder'; readonly name: string }

/** Encodings of bytes: {sig.hex}. */
export const ENCODINGS = ['hex', '0xhex', 'base64', 'base64-nopad', 'base64url', 'base58'] as const

export type Encoding = (typeof ENCODINGS)[number]

/** A doubled brace, a placeholder, a brace that is neither, or other text. */
const TOKEN = /\{\{|\}\}|\{([^}]*)\}|[{}]|[^{}]+/g

/** Splits at `{name}`; `{{` and `}}` are literal braces. Does not check the names. */
export function parseTemplate(template: string): Result<readonly TemplatePart[], TemplateProblem> {
  const parts: TemplatePart[] = []
  let text = ''
  for (const { 0: token, 1: name, index } of template.matchAll(TOKEN)) {
    if (token === '{' || token === '}')
      return err({ kind: 'unclosed', at: template.slice(index, index + 20) })
    if (name === undefined) {
      text += token === '{{' || token === '}}' ? token.charAt(0) : token
      continue
    }
    if (text !== '') parts.push({ kind: 'text', text })
    text = ''
    parts.push({ kind: 'placeholder', name })
  }
  return ok(text === '' ? parts : [...parts, { kind: 'text', text }])
}

/** In order; empty if the template cannot be read. */
export function placeholdersOf(template: string): readonly string[] {
  const parts = parseTemplate(template)
  return parts.ok ? parts.value.flatMap((part) => (part.kind === 'placeholder' ? [part.name] : [])) : []
}

/** `param.NAME` is a parameter of the request; an absent one is an empty text. */
export const isParameter = (name: string): boolean => /^param\.[A-Za-z0-9_]{1,32}$/.test(name)

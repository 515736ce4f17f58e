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

export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'placeholder'; readonly name: string }

/** Encodings of bytes: {sig.hex}. */
export const ENCODINGS = ['hex', '0xhex', 'base64', 'base64-nopad', 'base64url', 'base58'] as const

export type Encoding = (typeof ENCODINGS)[number]

/** Splits at `{name}`; `{{` and `}}` are literal braces. Does not check the names. */
export function parseTemplate(template: string): Result<readonly TemplatePart[], TemplateProblem> {
  const parts: TemplatePart[] = []
  let text = ''
  let rest = template
  while (rest !== '') {
    const at = rest.search(/[{}]/)
    if (at === -1) {
      text += rest
      break
    }
    text += rest.slice(0, at)
    rest = rest.slice(at)
    if (rest.startsWith('{{') || rest.startsWith('}}')) {
      text += rest.charAt(0)
      rest = rest.slice(2)
      continue
    }
    const end = rest.indexOf('}')
    if (rest.startsWith('}') || end === -1) return err({ kind: 'unclosed', at: rest.slice(0, 20) })
    if (text !== '') parts.push({ kind: 'text', text })
    text = ''
    parts.push({ kind: 'placeholder', name: rest.slice(1, end) })
    rest = rest.slice(end + 1)
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

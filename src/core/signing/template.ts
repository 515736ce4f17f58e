import { bytesToBase58, bytesToBase64, bytesToBase64Url, bytesToHex } from '#base/bytes.ts'
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

/** Kept apart from the names, so that the engine, which only checks them, does not load the encoders. */
const ENCODERS: Readonly<Record<(typeof ENCODINGS)[number], (bytes: Uint8Array) => string>> = {
  hex: bytesToHex,
  '0xhex': (bytes) => `0x${bytesToHex(bytes)}`,
  base64: bytesToBase64,
  'base64-nopad': (bytes) => bytesToBase64(bytes).replace(/=+$/, ''),
  base64url: bytesToBase64Url,
  base58: bytesToBase58,
}

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

/** Unlike texts, bytes need an encoding: {sig.hex}. */
export type TemplateValues = {
  readonly texts: ReadonlyMap<string, string>
  readonly bytes: ReadonlyMap<string, Uint8Array>
}

/** Fills in `{name}` and `{bytes.encoding}`. An unknown name is an error, never an empty text. */
export function fillTemplate(template: string, values: TemplateValues): Result<string, TemplateProblem> {
  const parts = parseTemplate(template)
  if (!parts.ok) return parts
  let filled = ''
  for (const part of parts.value) {
    if (part.kind === 'text') {
      filled += part.text
      continue
    }
    const value = placeholder(part.name, values)
    if (value === undefined) return err({ kind: 'unknown-placeholder', at: part.name.slice(0, 40) })
    filled += value
  }
  return ok(filled)
}

/** Whether a template needs a parameter that this request lacks. */
export const namesAbsentParameter = (template: string, { texts }: TemplateValues): boolean =>
  placeholdersOf(template).some((name) => isParameter(name) && !texts.has(name))

function placeholder(name: string, { texts, bytes }: TemplateValues): string | undefined {
  const text = texts.get(name)
  if (text !== undefined) return text
  // An absent parameter is an empty string, because the interface makes node_id optional.
  if (isParameter(name)) return ''
  const dot = name.lastIndexOf('.')
  const value = bytes.get(name.slice(0, dot))
  const encoding = ENCODINGS.find((each) => each === name.slice(dot + 1))
  return value && encoding && ENCODERS[encoding](value)
}

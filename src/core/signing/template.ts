import { bytesToBase58, bytesToBase64, bytesToBase64Url, bytesToHex } from '#base/bytes.ts'
import { err, ok, type Result } from '#base/result.ts'

/** What a template may name. Texts and bytes are told apart, because bytes need an encoding: {sig.hex}. */
export type TemplateValues = {
  readonly texts: ReadonlyMap<string, string>
  readonly bytes: ReadonlyMap<string, Uint8Array>
}

const ENCODERS = {
  hex: bytesToHex,
  '0xhex': (bytes: Uint8Array) => `0x${bytesToHex(bytes)}`,
  base64: bytesToBase64,
  'base64-nopad': (bytes: Uint8Array) => bytesToBase64(bytes).replace(/=+$/, ''),
  base64url: bytesToBase64Url,
  base58: bytesToBase58,
} as const satisfies Readonly<Record<Encoding, (bytes: Uint8Array) => string>>

const ENCODER_OF: ReadonlyMap<string, (bytes: Uint8Array) => string> = new Map(Object.entries(ENCODERS))

/** Fills in `{name}` and `{bytes.encoding}`. An unknown name is an error, never an empty text. */
export function fillTemplate(template: string, values: TemplateValues): Result<string, TemplateProblem> {
  const parts = parseTemplate(template)
  if (!parts.ok) return parts
  let filled = ''
  for (const part of parts.value) {
    const value = part.kind === 'text' ? part.text : placeholder(part.name, values)
    if (value === undefined) return err({ kind: 'unknown-placeholder', at: nameOf(part).slice(0, 40) })
    filled += value
  }
  return ok(filled)
}

const nameOf = (part: TemplatePart): string => (part.kind === 'text' ? part.text : part.name)

function placeholder(name: string, { texts, bytes }: TemplateValues): string | undefined {
  const text = texts.get(name)
  if (text !== undefined) return text
  // An absent parameter is an empty string: the interface makes node_id optional.
  if (isParameter(name)) return ''
  const dot = name.lastIndexOf('.')
  const value = bytes.get(name.slice(0, dot))
  const encode = ENCODER_OF.get(name.slice(dot + 1))
  return value === undefined || encode === undefined ? undefined : encode(value)
}

/**
 * `not-a-number`: a numeric claim that holds no whole number. `not-printable`: a value that a
 * header can't carry. `too-long`: headers above what servers take.
 */
export type TemplateProblem = {
  readonly kind: 'unknown-placeholder' | 'unclosed' | 'not-a-number' | 'not-printable' | 'too-long'
  /** The part that is wrong, cut to 40 characters. */
  readonly at: string
}

type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'placeholder'; readonly name: string }

/** How bytes can be written: {sig.hex}. */
export const ENCODINGS = ['hex', '0xhex', 'base64', 'base64-nopad', 'base64url', 'base58'] as const

type Encoding = (typeof ENCODINGS)[number]

/** Splits at `{name}`; `{{` and `}}` stand for braces. Which names there are is not looked at. */
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

/** The names in a template, in order; empty for one that can't be read. */
export function placeholdersOf(template: string): readonly string[] {
  const parts = parseTemplate(template)
  return parts.ok ? parts.value.flatMap((part) => (part.kind === 'placeholder' ? [part.name] : [])) : []
}

/** `param.NAME` names a parameter of the request; one that is not there is an empty text. */
export const isParameter = (name: string): boolean => /^param\.[A-Za-z0-9_]{1,32}$/.test(name)

import { bytesToBase58, bytesToBase64, bytesToBase64Url, bytesToHex } from '#base/bytes.ts'
import { err, ok, type Result } from '#base/result.ts'
import {
  isParameter,
  parseTemplate,
  placeholdersOf,
  type Encoding,
  type TemplateProblem,
} from './template-parts.ts'

/** Unlike texts, bytes need an encoding: {sig.hex}. */
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
  const encode = ENCODER_OF.get(name.slice(dot + 1))
  return value === undefined || encode === undefined ? undefined : encode(value)
}

import { bytesToBase58, bytesToBase64, bytesToBase64Url, bytesToHex } from '#base/bytes.ts'
import { err, ok, type Result } from '#base/result.ts'

/** What a template may name. Texts and bytes are told apart, because bytes need an encoding: {sig.hex}. */
export type TemplateValues = {
  readonly texts: ReadonlyMap<string, string>
  readonly bytes: ReadonlyMap<string, Uint8Array>
}

export type TemplateProblem = { readonly kind: 'unknown-placeholder' | 'unclosed'; readonly at: string }

const ENCODINGS: ReadonlyMap<string, (bytes: Uint8Array) => string> = new Map([
  ['hex', bytesToHex],
  ['0xhex', (bytes: Uint8Array) => `0x${bytesToHex(bytes)}`],
  ['base64', bytesToBase64],
  ['base64url', bytesToBase64Url],
  ['base58', bytesToBase58],
])

/** Fills in `{name}` and `{bytes.encoding}`; `{{` and `}}` stand for braces. An unknown name is an error, never an empty text. */
export function fillTemplate(template: string, values: TemplateValues): Result<string, TemplateProblem> {
  let filled = ''
  let rest = template
  while (rest !== '') {
    const at = rest.search(/[{}]/)
    if (at === -1) return ok(filled + rest)
    filled += rest.slice(0, at)
    rest = rest.slice(at)
    if (rest.startsWith('{{') || rest.startsWith('}}')) {
      filled += rest.charAt(0)
      rest = rest.slice(2)
      continue
    }
    const end = rest.indexOf('}')
    if (rest.startsWith('}') || end === -1) return err({ kind: 'unclosed', at: rest.slice(0, 20) })
    const name = rest.slice(1, end)
    const value = placeholder(name, values)
    if (value === undefined) return err({ kind: 'unknown-placeholder', at: name.slice(0, 40) })
    filled += value
    rest = rest.slice(end + 1)
  }
  return ok(filled)
}

function placeholder(name: string, { texts, bytes }: TemplateValues): string | undefined {
  const text = texts.get(name)
  if (text !== undefined) return text
  // An absent parameter is an empty string: the interface makes node_id optional.
  if (/^param\.[A-Za-z0-9_]{1,32}$/.test(name)) return ''
  const dot = name.lastIndexOf('.')
  const value = bytes.get(name.slice(0, dot))
  const encode = ENCODINGS.get(name.slice(dot + 1))
  return value === undefined || encode === undefined ? undefined : encode(value)
}

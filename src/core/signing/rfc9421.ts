import { err, ok, type Result } from '#base/result.ts'
import type { TemplateProblem } from './template-parts.ts'

/** A component's value; undefined for one that this request does not have: it is left out. */
export type ComponentValue = (component: string) => string | undefined

/** One signature parameter, in its place; a number is an integer, a text a quoted string. */
export type SignatureParameter = readonly [name: string, value: number | string]

export type SignatureBase = {
  /** The exact text to sign. */
  readonly base: string
  /** The member of Signature-Input without its label: the inner list and its parameters. */
  readonly params: string
}

/** RFC 9421 section 2.5: one line for each component, and the parameters as the last. */
export function signatureBase(
  components: readonly string[],
  valueOf: ComponentValue,
  parameters: readonly SignatureParameter[],
): Result<SignatureBase, TemplateProblem> {
  const lines: string[] = []
  const covered: string[] = []
  for (const component of components) {
    const value = valueOf(component)
    if (value === undefined) continue
    const identifier = identifierOf(component)
    covered.push(identifier)
    lines.push(`${identifier}: ${value}`)
  }
  let params = `(${covered.join(' ')})`
  for (const [name, value] of parameters) {
    const item = typeof value === 'number' ? String(value) : quoted(value)
    if (item === undefined) return err({ kind: 'not-printable', at: name })
    params += `;${name}=${item}`
  }
  lines.push(`"@signature-params": ${params}`)
  return ok({ base: lines.join('\n'), params })
}

/** `@query-param;name="x"` keeps its parameters outside the quotes. */
function identifierOf(component: string): string {
  const end = component.indexOf(';')
  return end === -1 ? `"${component}"` : `"${component.slice(0, end)}"${component.slice(end)}`
}

/** RFC 9651 section 3.3.3; undefined where a string can't hold it. */
const quoted = (text: string): string | undefined =>
  /^[\x20-\x7e]*$/.test(text) ? `"${text.replace(/[\\"]/g, '\\$&')}"` : undefined

import { err, ok, type Result } from '#base/result.ts'
import { type TemplateProblem, placeholdersOf } from './template.ts'

/** Undefined for a component that this request does not have; it is left out. */
type ComponentValue = (component: string) => string | undefined

/** A number is written as an integer, a text as a quoted string. */
export type SignatureParameter = readonly [name: string, value: number | string]

export type SignatureBase = {
  readonly base: string
  /** The member of Signature-Input without its label: the inner list and its parameters. */
  readonly params: string
}

/** RFC 9421 section 2.5: one line for each component; the last line has the parameters. */
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

/** RFC 9651 section 3.3.3; undefined if such a string cannot contain the text. */
const quoted = (text: string): string | undefined =>
  /^[\x20-\x7e]*$/.test(text) ? `"${text.replace(/[\\"]/g, '\\$&')}"` : undefined

/** RFC 9421 section 2.2: the derived components of a request, and the placeholder with the same value. */
export const DERIVED_COMPONENTS: ReadonlyMap<string, string> = new Map([
  ['@method', 'method'],
  ['@target-uri', 'url'],
  ['@authority', 'authority'],
  ['@scheme', 'scheme'],
  ['@request-target', 'target'],
  ['@path', 'path'],
  ['@query', 'query'],
])

const QUERY_PARAMETER = /^@query-param;name="([A-Za-z0-9_]{1,32})"$/

/** The query parameter of a component; undefined for other components. */
export const queryParameterOf = (component: string): string | undefined =>
  QUERY_PARAMETER.exec(component)?.[1]

export function componentProblem(
  component: string,
  headers: Readonly<Record<string, string>>,
): string | undefined {
  if (DERIVED_COMPONENTS.has(component) || queryParameterOf(component) !== undefined) return undefined
  const template = Object.entries(headers).find(([name]) => name.toLowerCase() === component)?.[1]
  if (template === undefined)
    return `component ${component.slice(0, 40)} is neither derived nor a header of this profile`
  const isResult = placeholdersOf(template).some((name) => name.startsWith('sig'))
  return isResult ? `component ${component} holds the signature itself` : undefined
}

import { placeholdersOf } from './template-parts.ts'

/** RFC 9421 section 2.2: what a request's own line gives. */
const DERIVED: ReadonlySet<string> = new Set([
  '@method',
  '@target-uri',
  '@authority',
  '@scheme',
  '@request-target',
  '@path',
  '@query',
])

const QUERY_PARAMETER = /^@query-param;name="([A-Za-z0-9_]{1,32})"$/

/** The parameter that a component stands for; undefined for every other component. */
export const queryParameterOf = (component: string): string | undefined =>
  QUERY_PARAMETER.exec(component)?.[1]

/** Why a profile can't cover a component, as a sentence; undefined when it can. */
export function componentProblem(
  component: string,
  headers: Readonly<Record<string, string>>,
): string | undefined {
  if (DERIVED.has(component) || queryParameterOf(component) !== undefined) return undefined
  const template = Object.entries(headers).find(([name]) => name.toLowerCase() === component)?.[1]
  if (template === undefined)
    return `component ${component.slice(0, 40)} is neither derived nor a header of this profile`
  const isResult = placeholdersOf(template).some((name) => name.startsWith('sig'))
  return isResult ? `component ${component} holds the signature itself` : undefined
}

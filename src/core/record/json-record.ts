import { err, ok, type Result } from '#base/result.ts'

/** The top-level members of a JSON object, with numbers also as the service wrote them. */
export type JsonRecord = {
  readonly names: readonly string[]
  /** Undefined if the member is absent. */
  readonly value: (name: string) => unknown
  /** The number as written, e.g. "9007199254740993"; undefined if the member is not a number. */
  readonly numberText: (name: string) => string | undefined
  /** A string (with quotes), number, true, false or null as written; undefined for anything else. */
  readonly scalarText: (name: string) => string | undefined
  /** Names that occur more than once with different values; the last one counts. */
  readonly ambiguous: readonly string[]
}

export type JsonProblem = 'empty' | 'web-page' | 'not-json' | 'not-an-object'

/** Parses a body into an object's members. Never throws. Inherits nothing, even with a member named `__proto__`. */
export function parseJsonRecord(body: string): Result<JsonRecord, JsonProblem> {
  const text = body.startsWith('\uFEFF') ? body.slice(1) : body
  if (text.trim() === '') return err('empty')
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    // The engine's message quotes the body and differs between browsers, so it is dropped.
    return err(/^\s*<(!doctype|html|head|body|\?xml)/i.test(text) ? 'web-page' : 'not-json')
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return err('not-an-object')
  const members = new Map<string, unknown>(Object.entries(parsed))
  const { scalars, ambiguous } = topLevelScalars(text)
  return ok({
    names: Array.from(members.keys()),
    value: (name) => members.get(name),
    numberText: (name) => (typeof members.get(name) === 'number' ? scalars.get(name) : undefined),
    scalarText: (name) => scalars.get(name),
    ambiguous,
  })
}

/**
 * The top-level strings, numbers and literals of a JSON object as written. JSON.parse rounds numbers that a double cannot
 * represent, and not every supported engine gives access to the source text. `text` must be valid JSON, so only strings and
 * nesting need care.
 */
function topLevelScalars(text: string) {
  const ambiguous = new Set<string>()
  const scalars = new Map<string, string>()
  const token = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s"{}[\]:,]+/gs
  let depth = 0
  let name: string | undefined
  let expectsValue = false
  for (const [part] of text.matchAll(token)) {
    if (part === '{' || part === '[') {
      // A later duplicate that is an object or array wins, as in JSON.parse.
      if (name !== undefined) scalars.delete(name)
      depth++
    } else if (part === '}' || part === ']') depth--
    else if (part === ':') {
      expectsValue = true
      continue
    } else if (part === ',') name = undefined
    else if (depth === 1 && !expectsValue) name = memberName(part)
    else if (depth === 1 && name !== undefined) {
      if ((scalars.get(name) ?? part) !== part) ambiguous.add(name)
      scalars.set(name, part)
    }
    expectsValue = false
  }
  return { scalars, ambiguous: Array.from(ambiguous) }
}

const memberName = (token: string): string => {
  const parsed: unknown = JSON.parse(token)
  return String(parsed)
}

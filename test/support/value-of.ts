import type { Result } from '#base/result.ts'

/** The value of a result that must be ok; throws otherwise. */
export function valueOf<T, E>(result: Result<T, E>): T {
  if (!result.ok) throw new Error(`failed: ${JSON.stringify(result.error)}`)
  return result.value
}

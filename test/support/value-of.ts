import type { Result } from '#base/result.ts'

/** What a result holds, where nothing but a value will do. */
export function valueOf<T, E>(result: Result<T, E>): T {
  if (!result.ok) throw new Error(`failed: ${JSON.stringify(result.error)}`)
  return result.value
}

/**
 * The outcome of an operation that is expected to fail at times; the type forces the caller to check before using the value.
 */
export type Result<T, E> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: E }

export const ok = <T>(value: T): Result<T, never> => ({ ok: true, value })
export const err = <E>(error: E): Result<never, E> => ({ ok: false, error })

/** The value, where the reason of an error does not matter. */
export const orUndefined = <T>(result: Result<T, unknown>): T | undefined =>
  result.ok ? result.value : undefined

/** The compiler rejects this call while a case of a union is unhandled. */
export const unreachable = (value: never): never => {
  throw new Error(`unreachable: ${String(value)}`)
}

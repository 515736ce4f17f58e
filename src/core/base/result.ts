/** An operation's outcome where failing is expected: the caller has to look before it can use the value. */
export type Result<T, E> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: E }

export const ok = <T>(value: T): Result<T, never> => ({ ok: true, value })
export const err = <E>(error: E): Result<never, E> => ({ ok: false, error })

/** The compiler rejects this call while any case of a union is unhandled. */
export const unreachable = (value: never): never => {
  throw new Error(`unreachable: ${String(value)}`)
}

import * as Comlink from 'comlink'

/** Builds an API from a table of calls. Each call goes through `call`, which looks up what it needs in the table. */
export function callsByName<Api extends object>(
  table: Readonly<Record<keyof Api, unknown>>,
  call: (name: keyof Api & string, args: readonly unknown[]) => unknown,
): Api
export function callsByName(
  table: object,
  call: (name: never, args: readonly unknown[]) => unknown,
): Readonly<Record<string, unknown>> {
  const calls = Object.keys(table).map((name) => [
    name,
    (...args: readonly unknown[]) => Reflect.apply(call, undefined, [name, args]),
  ])
  return Object.fromEntries(calls)
}

/**
 * Calls the other side of a port; functions are called back from there. Ports and bytes are transferred, so that no copy of a
 * secret stays here.
 */
export const callRemote = async (remote: object, name: string, args: readonly unknown[]): Promise<unknown> =>
  Reflect.apply(Reflect.get(remote, name), undefined, args.map(sendable))

function sendable(value: unknown): unknown {
  if (typeof value === 'function') return Comlink.proxy(value)
  if (value instanceof MessagePort) return Comlink.transfer(value, [value])
  const buffers = [value, ...(isObject(value) ? Object.values(value) : [])].flatMap((part) =>
    part instanceof Uint8Array ? [part.buffer] : [],
  )
  return buffers.length === 0 ? value : Comlink.transfer(value, buffers)
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof Uint8Array)

import * as Comlink from 'comlink'

/** Makes an API of a table of its calls: each goes through `call`, which reads in the table what it needs. */
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

/** Calls the other side of a port. Functions are called back from there. Ports and bytes are moved, so that no copy of a secret stays here. */
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

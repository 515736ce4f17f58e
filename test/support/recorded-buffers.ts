/** The block that tweetnacl hashes the seed in. Nobody else can reach it; it stays until memory is collected. */
const isTweetnacls = ({ byteLength }: ArrayBufferLike): boolean => byteLength === 256

/** Does something, and gives every buffer that it made meanwhile, the libraries' too, but for one of tweetnacl's. */
export async function recordBuffers<T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly buffers: readonly ArrayBufferLike[] }> {
  const Native = Uint8Array
  const recorded: Uint8Array[] = []
  const Recording: Uint8ArrayConstructor = new Proxy(Native, {
    construct: (target, given, newTarget) => {
      const made: Uint8Array = Reflect.construct(target, given, newTarget)
      // What is sliced from it is made by this too.
      Object.defineProperty(made, 'constructor', { value: Recording })
      recorded.push(made)
      return made
    },
  })
  globalThis.Uint8Array = Recording
  try {
    const result = await work()
    const buffers = new Set(recorded.map(({ buffer }) => buffer))
    return { result, buffers: Array.from(buffers).filter((buffer) => !isTweetnacls(buffer)) }
  } finally {
    globalThis.Uint8Array = Native
  }
}

/** Whether eight bytes in a row of a secret are in a buffer. */
export function holdsSecret(buffer: ArrayBufferLike, secret: Uint8Array): boolean {
  const text = Buffer.from(buffer).toString('latin1')
  for (let at = 0; at + 8 <= secret.length; at++)
    if (text.includes(Buffer.from(secret.subarray(at, at + 8)).toString('latin1'))) return true
  return false
}

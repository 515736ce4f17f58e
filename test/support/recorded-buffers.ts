/** Runs `work` and records every buffer that it allocates, including those of libraries. */
export async function recordBuffers<T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly buffers: readonly ArrayBufferLike[] }> {
  const Native = Uint8Array
  const recorded: Uint8Array[] = []
  const Recording: Uint8ArrayConstructor = new Proxy(Native, {
    construct: (target, given, newTarget) => {
      const made: Uint8Array = Reflect.construct(target, given, newTarget)
      // Slices use this constructor too, so they are recorded.
      Object.defineProperty(made, 'constructor', { value: Recording })
      recorded.push(made)
      return made
    },
  })
  globalThis.Uint8Array = Recording
  try {
    const result = await work()
    return { result, buffers: Array.from(new Set(recorded.map(({ buffer }) => buffer))) }
  } finally {
    globalThis.Uint8Array = Native
  }
}

/** Whether a buffer contains eight consecutive bytes of a secret. */
export function holdsSecret(buffer: ArrayBufferLike, secret: Uint8Array): boolean {
  const text = Buffer.from(buffer).toString('latin1')
  for (let at = 0; at + 8 <= secret.length; at++)
    if (text.includes(Buffer.from(secret.subarray(at, at + 8)).toString('latin1'))) return true
  return false
}

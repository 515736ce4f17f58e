/**
 * Holds a lock as long as this Worker lives, so that pages which wait for it are told of its end at
 * once: a port does not say that its other end has died. Resolves to its name; undefined where there
 * are no locks.
 */
export async function holdLife(): Promise<string | undefined> {
  if (!globalThis.isSecureContext) return undefined
  const name = `immune-worker ${crypto.randomUUID()}`
  await new Promise<void>((held) => {
    navigator.locks
      .request(name, () => {
        held()
        return new Promise<never>(() => undefined)
      })
      .catch(() => held()) // a browser that refuses locks: its pages notice by silence
  })
  return name
}

/** Calls once the holder of the lock is gone: a page that closed, crashed or went elsewhere. Returns the end of it. */
export function whenGone(name: string, gone: () => void): () => void {
  const waiting = new AbortController()
  navigator.locks.request(name, { signal: waiting.signal }, gone).catch(() => undefined)
  return () => waiting.abort()
}

/**
 * Holds a lock for the lifetime of this Worker, so that waiting pages learn of its end at once; a port does not report the
 * death of its other end. Resolves to the lock's name; undefined if locks are unavailable.
 */
export const holdLife = (): Promise<string | undefined> => holdLock('immune-worker')

/** Holds a lock whose name begins with `prefix` until this page or Worker ends. */
export async function holdLock(prefix: string): Promise<string | undefined> {
  if (!globalThis.isSecureContext) return undefined
  const name = `${prefix} ${crypto.randomUUID()}`
  await new Promise<void>((held) => {
    navigator.locks
      .request(name, () => {
        held()
        return new Promise<never>(() => undefined)
      })
      .catch(() => held()) // If the browser refuses locks, the pages notice the end by missing answers.
  })
  return name
}

/** Calls `ended` when the page or Worker that holds the lock ends for any reason. Returns a function that stops it. */
export function watchLife(name: string, ended: () => void): () => void {
  const waiting = new AbortController()
  navigator.locks.request(name, { mode: 'shared', signal: waiting.signal }, ended).catch(() => undefined)
  return () => waiting.abort()
}

import type { EngineLock } from '#platform/worker-engine-lock.ts'

/** The lock of a browser in which no other engine runs: granted as soon as it is asked for. */
export const freeLock = (): EngineLock => ({
  acquire: ({ granted }) => {
    queueMicrotask(granted)
    return () => undefined
  },
  confirm: async () => true,
})

/** A read that finds rows on their way again and again takes what it has. */
const READS_MAX = 8

/** Rows that go from memory into records are for a moment in both, or in neither: who reads both must not meet that. */
export type CompactionGuard = {
  /** What is read while `work` runs, or was begun before it, is read anew after it. One at a time. */
  readonly during: <T>(work: () => Promise<T>) => Promise<T>
  readonly steady: <T>(read: () => Promise<T>) => Promise<T>
}

export function createCompactionGuard(): CompactionGuard {
  let begun = 0
  let underWay: Promise<unknown> | undefined

  const steady = async <T>(read: () => Promise<T>, readsLeft: number): Promise<T> => {
    if (underWay !== undefined) await underWay
    const before = begun
    const found = await read()
    return begun === before || readsLeft <= 1 ? found : steady(read, readsLeft - 1)
  }

  return {
    during: async (work) => {
      begun++
      const done = work()
      underWay = done.catch(() => undefined)
      try {
        return await done
      } finally {
        underWay = undefined
      }
    },
    steady: async (read) => steady(read, READS_MAX),
  }
}

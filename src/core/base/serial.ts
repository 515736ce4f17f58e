export type Serial = <T>(work: () => Promise<T>) => Promise<T>

/** Runs one operation at a time, in order; one that fails does not stop the next. */
export function createSerial(): Serial {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const next = last.then(work)
    last = next.catch(() => undefined) // its caller learns of it; the next one only waits for the end
    return next
  }
}

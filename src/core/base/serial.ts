/** Runs one operation at a time, in order; one that fails does not stop the next. */
export function createSerial() {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work)
    // The caller of a failed operation gets its error; the next operation only waits for the failed one to end.
    last = next.catch(() => undefined)
    return next
  }
}

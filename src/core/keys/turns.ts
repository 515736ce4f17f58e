export type Turns = <T>(work: () => Promise<T>) => Promise<T>

/** Runs one piece of work at a time; one that fails does not hold up the next. */
export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const turn = last.then(work)
    last = turn.catch(() => undefined) // its caller is told; the next one only waits for the end
    return turn
  }
}

type TurnLimits = {
  readonly most: number
  readonly mostOfOne: number
  readonly waiting: number
  readonly waitingOfOne: number
}

type Waiter = { readonly visitor: string; readonly give: (end: (() => void) | undefined) => void }

const ofVisitor =
  (visitor: string) =>
  (one: { readonly visitor: string }): boolean =>
    one.visitor === visitor

/** Limits concurrent work in total and per visitor. Further work waits, and waiting visitors take turns. */
export function createTurns({ most, mostOfOne, waiting: waitingMost, waitingOfOne }: TurnLimits) {
  const running = new Set<{ readonly visitor: string }>()
  /** The visitor whose last turn is longest ago comes first. */
  let waiting: readonly Waiter[] = []
  const waitingOf = (visitor: string): readonly Waiter[] => waiting.filter(ofVisitor(visitor))
  const isFree = (visitor: string): boolean =>
    running.size < most && [...running].filter(ofVisitor(visitor)).length < mostOfOne
  const drop = (waiter: Waiter): void => {
    waiting = waiting.filter((other) => other !== waiter)
  }
  /** Drops the last entry of the visitor that waits most often, unless that is this visitor. */
  const hasRoom = (visitor: string): boolean => {
    const own = waitingOf(visitor).length
    if (own >= waitingOfOne) return false
    if (waiting.length < waitingMost) return true
    const [longest = []] = waiting
      .map((waiter) => waitingOf(waiter.visitor))
      .toSorted((a, b) => b.length - a.length)
    const last = longest.at(-1)
    if (last === undefined || longest.length <= own + 1) return false
    drop(last)
    last.give(undefined)
    return true
  }
  const begin = (visitor: string): (() => void) => {
    const turn = { visitor }
    running.add(turn)
    return () => {
      running.delete(turn)
      const next = waiting.find((waiter) => isFree(waiter.visitor))
      if (next === undefined) return
      drop(next)
      waiting = [...waiting.filter((one) => one.visitor !== next.visitor), ...waitingOf(next.visitor)]
      next.give(begin(next.visitor))
    }
  }
  return {
    /** Resolves to the function that ends the turn; undefined if too many wait or the signal ended the wait. */
    take: (visitor: string, signal: AbortSignal): Promise<(() => void) | undefined> =>
      new Promise((give) => {
        if (signal.aborted) return give(undefined)
        if (isFree(visitor)) return give(begin(visitor))
        if (!hasRoom(visitor)) return give(undefined)
        const waiter = { visitor, give }
        waiting = [...waiting, waiter]
        signal.addEventListener('abort', () => {
          drop(waiter)
          give(undefined)
        })
      }),
  }
}

/** Called across a Worker's boundary, so it may answer when the page has taken the value. */
export type PageListener<T> = (value: T) => void | Promise<void>

/**
 * Passes values on one at a time. What comes while the page is busy or frozen is dropped but for
 * the newest, so that a page which sleeps for a night does not wake to 100,000 messages.
 */
export function createRelay<T>(listener: PageListener<T>): {
  readonly send: (value: T) => void
  readonly end: () => void
} {
  let waiting: { readonly value: T } | undefined
  let isBusy = false
  let isEnded = false
  const pass = (value: T): void => {
    isBusy = true
    // A listener that fails is the page's own trouble; the next value is offered all the same.
    void Promise.resolve(value).then(listener).then(taken, taken)
  }
  const taken = (): void => {
    isBusy = false
    const next = waiting
    waiting = undefined
    if (next !== undefined && !isEnded) pass(next.value)
  }
  return {
    send: (value) => {
      if (isBusy) waiting = { value }
      else pass(value)
    },
    end: () => {
      isEnded = true
    },
  }
}

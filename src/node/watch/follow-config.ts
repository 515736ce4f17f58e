import type { Clock } from '#base/clock.ts'

/** A changed file is applied within this time. */
const LOOK_EVERY_MS = 5_000

export type Following = {
  /** Looks now. */
  readonly look: () => void
  readonly end: () => void
}

/** Applies what `current` returns now, and again whenever it returns another object. */
export function followConfig<T extends object>(
  clock: Pick<Clock, 'after'>,
  current: () => T,
  apply: (value: T) => void,
): Following {
  let applied: T | undefined
  let cancel = (): void => undefined
  const look = (): void => {
    const value = current()
    if (value === applied) return
    applied = value
    apply(value)
  }
  const plan = (): void => {
    cancel = clock.after(LOOK_EVERY_MS, () => {
      look()
      plan()
    })
  }
  look()
  plan()
  return { look, end: () => cancel() }
}

import type { Clock } from '#base/clock.ts'

/** A changed file is applied within this time. */
const LOOK_EVERY_MS = 5_000

/** Applies the value of `current` now, and again whenever it returns another object. `look` checks at once. */
export function followConfig<T extends object>(
  clock: Pick<Clock, 'after'>,
  current: () => T,
  apply: (value: T) => void,
) {
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
  return { look, end: (): void => cancel() }
}

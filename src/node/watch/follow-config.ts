import type { Clock } from '#base/clock.ts'

/** A changed file is applied within this time. */
const CHECK_EVERY_MS = 5_000

/** Applies the value of `current` now, and again whenever it returns another object. `check` checks at once. */
export function followConfig<T extends object>(
  clock: Pick<Clock, 'after'>,
  current: () => T,
  apply: (value: T) => void,
) {
  let applied: T | undefined
  let cancel = (): void => undefined
  const check = (): void => {
    const value = current()
    if (value === applied) return
    applied = value
    apply(value)
  }
  const plan = (): void => {
    cancel = clock.after(CHECK_EVERY_MS, () => {
      check()
      plan()
    })
  }
  check()
  plan()
  return { check, end: (): void => cancel() }
}

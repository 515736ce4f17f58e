/** The last states of an alarm's evidence, newest in the lowest bit; 1 is bad. */
export type StateTrail = { readonly bits: number; readonly count: number }

/** Nagios takes this many states, so one change less. */
const TRAIL_STATES = 21
const FLAPPING_FROM_PERCENT = 20
const FLAPPING_UNTIL_PERCENT = 5

export const NO_TRAIL: StateTrail = { bits: 0, count: 0 }

const MASK = 2 ** TRAIL_STATES - 1

export const withState = ({ bits, count }: StateTrail, isBad: boolean): StateTrail => ({
  bits: ((bits << 1) | (isBad ? 1 : 0)) & MASK,
  count: Math.min(TRAIL_STATES, count + 1),
})

/** How many of the last `of` states were bad. */
export function badAmong({ bits }: StateTrail, of: number): number {
  let bad = 0
  for (let place = 0; place < of; place++) bad += (bits >> place) & 1
  return bad
}

/** Whether the last `of` states, and no fewer, were good. */
export const wereGood = (trail: StateTrail, of: number): boolean =>
  trail.count >= of && badAmong(trail, of) === 0

/**
 * The share of state changes in percent, by the formula of Nagios: of 20 possible changes each
 * weighs from 0.75 (oldest) to 1.25 (newest), and their sum is taken of 20. States that are not
 * there yet count as no change.
 */
export function changePercent({ bits, count }: StateTrail): number {
  const changes = TRAIL_STATES - 1
  let weighed = 0
  for (let place = 0; place < count - 1; place++) {
    const changed = ((bits >> place) & 1) !== ((bits >> (place + 1)) & 1)
    if (changed) weighed += 0.75 + ((changes - 1 - place) * 0.5) / (changes - 1)
  }
  return (weighed / changes) * 100
}

/** Begins at 20 %, ends at 5 %; between the two it stays what it was. */
export function isFlapping(trail: StateTrail, was: boolean): boolean {
  const percent = changePercent(trail)
  if (percent >= FLAPPING_FROM_PERCENT) return true
  return was && percent > FLAPPING_UNTIL_PERCENT
}

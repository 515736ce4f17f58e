const GOLDEN_RATIO = 0.618_033_988_749_894_9

/**
 * Where in the interval the node with this index is asked, from 0 to 1. Multiples of the
 * golden ratio stay evenly spread however many there are, so a node that is added later
 * moves nobody else.
 */
export const phaseOf = (index: number): number => (index * GOLDEN_RATIO) % 1

/** The first slot of a node's grid that is not before `notBeforeMs`. Its slots lie at (phase + k) intervals of the steady clock. */
export function nextSlotMs(phase: number, intervalMs: number, notBeforeMs: number): number {
  const offsetMs = phase * intervalMs
  return offsetMs + Math.ceil((notBeforeMs - offsetMs) / intervalMs) * intervalMs
}

/** Nodes that are asked out of turn (first round, a person's wish, a key that came) follow each other at least this closely. */
const OUT_OF_TURN_EVERY_MS = 100

/** Time between two of `count` nodes that are asked out of turn: quick for a few, one interval in all for many. */
export const outOfTurnStepMs = (count: number, intervalMs: number): number =>
  Math.min(OUT_OF_TURN_EVERY_MS, intervalMs / count)

/** The smallest indexes that are not taken, in order: a removed node's place in the spread is given to the next one. */
export function freeIndexes(taken: ReadonlySet<number>, count: number): readonly number[] {
  const free: number[] = []
  for (let index = 0; free.length < count; index++) if (!taken.has(index)) free.push(index)
  return free
}

/** Names at most; what is more is counted only. */
const NAMES_MAX = 24
const DEPTH_MAX = 3

/**
 * Names of the members in which two documents differ, as `display.timeZone` or `services[0].via`; never
 * their values, of which some are nobody else's business. A list whose length changed is named as a whole.
 */
export function changedMembers(
  before: unknown,
  after: unknown,
): { readonly names: readonly string[]; readonly count: number } {
  const all = Array.from(differences(before, after, '', 0))
  return { names: all.slice(0, NAMES_MAX), count: all.length }
}

function* differences(before: unknown, after: unknown, path: string, depth: number): Generator<string> {
  if (Object.is(before, after)) return
  if (Array.isArray(before) && Array.isArray(after)) {
    if (before.length !== after.length || depth >= DEPTH_MAX) {
      if (JSON.stringify(before) !== JSON.stringify(after)) yield path
      return
    }
    for (const [place, one] of before.entries())
      yield* differences(one, after[place], `${path}[${place}]`, depth + 1)
    return
  }
  if (!isPlain(before) || !isPlain(after) || depth >= DEPTH_MAX) {
    if (JSON.stringify(before) !== JSON.stringify(after)) yield path
    return
  }
  const [from, to] = [new Map(Object.entries(before)), new Map(Object.entries(after))]
  for (const name of new Set([...from.keys(), ...to.keys()]))
    yield* differences(from.get(name), to.get(name), path === '' ? name : `${path}.${name}`, depth + 1)
}

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

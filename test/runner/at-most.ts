/**
 * Does something with each, in their order, with no more than `count` under way at once.
 * Resolves to the results, in the order of `all`, when the last has ended.
 */
export async function atMost<T, R>(
  count: number,
  all: readonly T[],
  work: (one: T) => Promise<R>,
): Promise<readonly R[]> {
  const left = all.entries()
  const results: (readonly [place: number, result: R])[] = []
  const take = async (): Promise<void> => {
    for (const [place, one] of left) results.push([place, await work(one)])
  }
  await Promise.all(Array.from({ length: count }, take))
  return results.toSorted(([a], [b]) => a - b).map(([, result]) => result)
}

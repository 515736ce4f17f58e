/** Runs `work` for each item in order, at most `count` at once. Resolves to all results, in the order of `all`. */
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

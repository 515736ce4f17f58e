/** Lines of one file, the first and the last. */
export type LineRange = { readonly file: string; readonly from: number; readonly to: number }

/** The lines that a diff without context (`git diff --unified=0`) added or changed, in `folders` of src. */
export function changedLines(diff: string, folders: readonly string[]): readonly LineRange[] {
  const ranges: LineRange[] = []
  let file: string | undefined
  let left = 0
  for (const line of diff.split('\n')) {
    if (left > 0) {
      // Text of the file, which may look like a header.
      if (/^[+-]/.test(line)) left -= 1
      continue
    }
    if (line.startsWith('+++ ')) file = mutable(line.slice('+++ b/'.length), folders)
    const [, before = '1', from = '', after = '1'] = HUNK.exec(line) ?? []
    if (from === '') continue
    left = Number(before) + Number(after)
    if (file !== undefined && Number(after) > 0)
      ranges.push({ file, from: Number(from), to: Number(from) + Number(after) - 1 })
  }
  return ranges
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/

const mutable = (path: string, folders: readonly string[]): string | undefined =>
  path.endsWith('.ts') && folders.some((folder) => path.startsWith(`src/${folder}/`)) ? path : undefined

/** The first of the ranges, with `most` lines together. */
export function atMostLines(ranges: readonly LineRange[], most: number): readonly LineRange[] {
  const kept: LineRange[] = []
  let left = most
  for (const { file, from, to } of ranges) {
    if (left === 0) break
    const last = Math.min(to, from + left - 1)
    kept.push({ file, from, to: last })
    left -= last - from + 1
  }
  return kept
}

export const linesOf = (ranges: readonly LineRange[]): number =>
  ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0)

/** As Stryker's `--mutate` wants them. */
export const mutatePattern = (ranges: readonly LineRange[]): string =>
  ranges.map(({ file, from, to }) => `${file}:${from}-${to}`).join(',')

import type { LineRange } from './mutation-changed.ts'
import { oneLine, type FolderResult, type Measured, type Survivor } from './mutation-score.ts'

/** What of a folder is tried again: `lines` with survivors, and `whole` files of which more may have changed. */
export type Again = { readonly lines: readonly LineRange[]; readonly whole: readonly string[] }

/**
 * `sourceOf` gives the text of a file as it was when `measured`, and undefined where it is another now:
 * its lines say nothing then.
 */
export function againOf(
  result: FolderResult,
  files: readonly string[],
  sourceOf: (file: string, measured: Measured) => string | undefined,
): Again {
  const lines: LineRange[] = []
  const whole: string[] = []
  for (const file of files) {
    const survivors = result.survivors.filter((survivor) => survivor.file === file)
    const score = result.files[file]
    if (score === undefined || survivors.length === 0) continue
    const source = sourceOf(file, score.measured ?? result)
    const ranges = source === undefined ? undefined : rangesOf(survivors, source)
    if (ranges === undefined) whole.push(file)
    else lines.push(...ranges)
  }
  return { lines, whole }
}

/** The lines of all of one file's survivors; undefined where one does not stand where it should. */
function rangesOf(survivors: readonly Survivor[], source: string): readonly LineRange[] | undefined {
  const text = source.split('\n')
  const ranges: LineRange[] = []
  for (const { file, line, original } of survivors) {
    let to = line
    const found = (): boolean => oneLine(text.slice(line - 1, to).join('\n')).includes(original)
    while (!found() && to < text.length) to += 1
    if (!found()) return undefined
    const last = ranges.at(-1)
    if (last !== undefined && line <= last.to)
      ranges[ranges.length - 1] = { ...last, to: Math.max(last.to, to) }
    else ranges.push({ file, from: line, to })
  }
  return ranges
}

/**
 * What is known of the files of which only the lines with survivors were tried again: all other changes
 * were noticed before. Files that were tried as a whole are as `found`; one of which fewer changes were
 * tried than survived before is left out, for nothing new is known of it.
 */
export function withAgain(found: FolderResult, earlier: FolderResult, again: Again): FolderResult {
  const inPart = new Set(again.lines.map(({ file }) => file))
  const countOf = ({ survivors }: FolderResult, file: string): number =>
    survivors.filter((survivor) => survivor.file === file).length
  const files = Object.entries(found.files).flatMap(([file, score]) => {
    const before = earlier.files[file]
    if (!inPart.has(file) || before === undefined) return [[file, score] as const]
    if (score.changes < countOf(earlier, file)) return []
    const { date, commit } = before.measured ?? earlier
    const measured = { date, commit: `${commit.replace(AGAIN, '')}${AGAIN_WORDS}${found.commit}` }
    const killed = before.changes - countOf(found, file)
    return [[file, { measured, killed, changes: before.changes }] as const]
  })
  const kept = new Set(files.map(([file]) => file))
  return {
    ...found,
    files: Object.fromEntries(files),
    survivors: found.survivors.filter(({ file }) => kept.has(file)),
  }
}

const AGAIN_WORDS = ', survivors again at '
const AGAIN = /, survivors again at .*/

/** The commit whose text the figures of a file are about; undefined where the tree had been changed. */
export function commitOf({ commit }: Measured): string | undefined {
  const first = commit.replace(AGAIN, '')
  return first.includes(',') ? undefined : first
}

/** The part of Stryker's JSON report that is read here. */
export type MutationReport = { readonly files: Readonly<Record<string, MutatedFile>> }

type MutatedFile = { readonly source: string; readonly mutants: readonly Mutant[] }

/** Lines and columns begin at one. */
type Position = { readonly line: number; readonly column: number }

type Mutant = {
  readonly status: string
  readonly replacement?: string
  readonly location: { readonly start: Position; readonly end: Position }
}

export type Score = { readonly killed: number; readonly changes: number }

export type Measured = { readonly date: string; readonly commit: string }

export type Survivor = {
  readonly file: string
  readonly line: number
  readonly original: string
  readonly replacement: string
}

/**
 * What runs found out about one folder, as test/surviving-mutants.json keeps it. A file that the
 * last run did not try says itself of which commit its figures are.
 */
export type FolderResult = Measured & {
  readonly files: Readonly<Record<string, Score & { readonly measured?: Measured }>>
  readonly survivors: readonly Survivor[]
}

/**
 * Why no test notices a change. `equal`: it does the same; `unseen`: it does something else that nobody
 * can see, or only the compiler needs the code. A change without a reason is a test that is missing.
 */
export type Reason = {
  readonly file: string
  readonly original: string
  /** Undefined: whatever the text became. */
  readonly replacement?: string | undefined
  readonly kind: 'equal' | 'unseen'
  readonly reason: string
}

/** Below this share of noticed changes a folder has failed, or one of its files. */
export const LEAST_SHARE = { folder: 0.85, file: 0.75 }

/** A change that makes a test hang is noticed as well as one that makes it fail. */
const NOTICED: readonly string[] = ['Killed', 'Timeout']
const UNNOTICED: readonly string[] = ['Survived', 'NoCoverage']

export function folderResult(report: MutationReport, date: string, commit: string): FolderResult {
  const files = Object.entries(report.files).toSorted(byName)
  return {
    date,
    commit,
    files: Object.fromEntries(files.map(([file, { mutants }]) => [file, scoreOf(mutants)])),
    survivors: files.flatMap(([file, { source, mutants }]) =>
      mutants
        .filter(({ status }) => UNNOTICED.includes(status))
        .toSorted((one, other) => one.location.start.line - other.location.start.line)
        .map(({ location, replacement = '' }) => ({
          file,
          line: location.start.line,
          original: oneLine(textAt(source, location)),
          replacement: oneLine(replacement),
        })),
    ),
  }
}

/** What a run of some files of a folder found, with what is known of its `other` files, which it did not try. */
export function withOthers(
  found: FolderResult,
  earlier: FolderResult | undefined,
  other: readonly string[],
): FolderResult {
  if (earlier === undefined) return found
  const { date, commit } = earlier
  const kept = Object.entries(earlier.files)
    .filter(([file]) => other.includes(file) && found.files[file] === undefined)
    .map(([file, score]) => [file, { measured: { date, commit }, ...score }] as const)
  const survivors = earlier.survivors.filter(({ file }) => kept.some(([name]) => name === file))
  return {
    ...found,
    files: Object.fromEntries([...Object.entries(found.files), ...kept].toSorted(byName)),
    // Each file's keep their order: by line.
    survivors: [...found.survivors, ...survivors].toSorted((one, two) => byName([one.file], [two.file])),
  }
}

const byName = ([one]: readonly [string, ...unknown[]], [other]: readonly [string, ...unknown[]]): number =>
  one < other ? -1 : one > other ? 1 : 0

function scoreOf(mutants: readonly Mutant[]): Score {
  const count = (statuses: readonly string[]): number =>
    mutants.filter(({ status }) => statuses.includes(status)).length
  const killed = count(NOTICED)
  return { killed, changes: killed + count(UNNOTICED) }
}

function textAt(source: string, { start, end }: Mutant['location']): string {
  const lines = source.split('\n').slice(start.line - 1, end.line)
  const last = lines.length - 1
  return lines
    .map((line, place) =>
      line.slice(place === 0 ? start.column - 1 : 0, place === last ? end.column - 1 : undefined),
    )
    .join('\n')
}

export const oneLine = (text: string): string => text.trim().replaceAll(/\s+/g, ' ')

export const total = ({ files }: Pick<FolderResult, 'files'>): Score =>
  Object.values(files).reduce(
    (sum, { killed, changes }) => ({ killed: sum.killed + killed, changes: sum.changes + changes }),
    { killed: 0, changes: 0 },
  )

/** What is below its gate, one line each. A folder of which nothing was changed says nothing for its tests. */
export function problemsOf(folder: string, result: FolderResult): readonly string[] {
  const whole = total(result)
  if (whole.changes === 0) return [`src/${folder} could not be measured`]
  const rows: readonly (readonly [string, Score, number])[] = [
    [`src/${folder}`, whole, LEAST_SHARE.folder],
    ...Object.entries(result.files).map(([file, score]) => [file, score, LEAST_SHARE.file] as const),
  ]
  return rows
    .filter(([, { killed, changes }, least]) => changes > 0 && killed / changes < least)
    .map(([name, score, least]) => `${name}: ${shareText(score)} noticed, at least ${least * 100} % wanted`)
}

/** Fewer changes than these say little: one that survives would be too many. */
export const LEAST_CHANGES = 20

/** What is wrong with the lines that differ, of all folders together: a file's are often only two or three. */
export function changedProblem(results: readonly FolderResult[]): string | undefined {
  const score = total({ files: Object.assign({}, ...results.map(({ files }) => files)) })
  return score.changes < LEAST_CHANGES || score.killed / score.changes >= LEAST_SHARE.file
    ? undefined
    : `changed lines: ${shareText(score)} noticed, at least ${LEAST_SHARE.file * 100} % wanted`
}

/** The whole of test/surviving-mutants.md. `filesOf`: the files that a folder has now. */
export function survivorsDocument(
  results: Readonly<Record<string, FolderResult>>,
  folders: readonly string[],
  reasons: readonly Reason[],
  filesOf: (folder: string) => readonly string[],
): string {
  const known = folders.flatMap((folder) => {
    const result = results[folder]
    return result === undefined ? [] : [[folder, result] as const]
  })
  const unknown = folders.filter((folder) => results[folder] === undefined)
  return [
    '# Surviving mutants',
    '',
    'Written by `npm run mutation`, from `surviving-mutants.json` and the reasons in `runner/mutation-reasons`. A run of some folders or files writes their parts anew; the others stay as they were measured. “Survivors again” (`--survivors`): the file is as it was at the first commit, and only what survived there was tried at the second.',
    '',
    `Each folder is changed in many small ways, and for each change one of the folder's own tests should fail, or one that the runner names for it: at least ${LEAST_SHARE.folder * 100} % in each folder and ${LEAST_SHARE.file * 100} % in each file.`,
    '',
    'A change that only a slow test notices counts as not noticed, as does one that only a test whose name differs from run to run notices: there the shares are too low. A test that a busy machine lets run out of time counts as one that noticed: there they are too high.',
    '',
    '**equal**: the change does the same. **unseen**: it does something else that nobody can see, or only the compiler needs the code. **missing**: without a reason; a test is to be written.',
    '',
    '| folder | files | noticed | changes | equal | unseen | missing | measured | commit |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...known.map(([folder, result]) => folderRow(folder, result, reasons, filesOf(folder))),
    ...(unknown.length === 0 ? [] : ['', `Never measured: ${unknown.join(', ')}.`]),
    ...known.flatMap(([folder, result]) => folderPart(folder, result, reasons, filesOf(folder))),
    '',
  ].join('\n')
}

function folderRow(
  folder: string,
  result: FolderResult,
  reasons: readonly Reason[],
  files: readonly string[],
): string {
  const score = total(result)
  const count = (kind: Reason['kind'] | 'missing'): number =>
    result.survivors.filter((survivor) => (reasonFor(survivor, reasons)?.kind ?? 'missing') === kind).length
  const mark = problemsOf(folder, result).length === 0 ? '' : ' (below a gate)'
  const commits = new Set(Object.values(result.files).map(({ measured = result }) => measured.commit))
  return `| ${folder} | ${files.length - unmeasured(result, files).length} of ${files.length} | ${shareText(score)}${mark} | ${score.changes.toLocaleString('en')} | ${count('equal')} | ${count('unseen')} | ${count('missing')} | ${result.date} | ${[...commits].join('; ')} |`
}

/** Of some there is nothing to change: they are types alone. */
const unmeasured = (result: FolderResult, files: readonly string[]): readonly string[] =>
  files.filter((file) => result.files[`src/${file}`] === undefined)

function folderPart(
  folder: string,
  result: FolderResult,
  reasons: readonly Reason[],
  files: readonly string[],
): readonly string[] {
  const left = unmeasured(result, files).map((file) => short(`src/${file}`, folder))
  const survivors = new Map<string, { readonly survivor: Survivor; readonly lines: readonly number[] }>()
  for (const survivor of result.survivors) {
    const key = JSON.stringify([survivor.file, survivor.original, survivor.replacement])
    survivors.set(key, { survivor, lines: [...(survivors.get(key)?.lines ?? []), survivor.line] })
  }
  return [
    '',
    `## ${folder}`,
    '',
    '| file | noticed | changes | commit |',
    '| --- | --- | --- | --- |',
    ...Object.entries(result.files).map(
      ([file, { measured = result, ...score }]) =>
        `| ${short(file, folder)} | ${shareText(score)} | ${score.changes} | ${measured.commit} |`,
    ),
    ...(left.length === 0 ? [] : ['', `Not measured, or with nothing to change: ${left.join(', ')}.`]),
    ...(survivors.size === 0
      ? []
      : ['', '| where | original | replacement | kind and reason |', '| --- | --- | --- | --- |']),
    ...Array.from(survivors.values(), ({ survivor, lines }) => {
      const reason = reasonFor(survivor, reasons)
      const why = reason === undefined ? 'missing' : `${reason.kind}: ${reason.reason}`
      return `| ${short(survivor.file, folder)}:${lines.join(', ')} | ${code(survivor.original)} | ${code(survivor.replacement)} | ${why} |`
    }),
  ]
}

const reasonFor = (survivor: Survivor, reasons: readonly Reason[]): Reason | undefined =>
  reasons.find(
    ({ file, original, replacement }) =>
      file === survivor.file &&
      original === survivor.original &&
      (replacement === undefined || replacement === survivor.replacement),
  )

/** Reasons for what no longer survives, in the folders that were measured. */
export const needlessReasons = (result: FolderResult, reasons: readonly Reason[]): readonly Reason[] =>
  reasons.filter(
    (reason) =>
      result.files[reason.file] !== undefined &&
      !result.survivors.some((survivor) => reasonFor(survivor, [reason]) !== undefined),
  )

const short = (file: string, folder: string): string => file.replace(`src/${folder}/`, '')

const MOST_CHARACTERS = 100

/** Text of a program in a cell of a table. */
function code(text: string): string {
  const shown = text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text
  return shown === '' ? '' : `\`\` ${shown.replaceAll('|', String.raw`\|`)} \`\``
}

/** Rounded down: 84.96 % is not 85 %. */
export const shareText = ({ killed, changes }: Score): string =>
  changes === 0 ? '–' : `${(Math.floor((killed / changes) * 1_000) / 10).toFixed(1)} %`

/** The part of Stryker's JSON report that is read here. */
export type MutationReport = {
  readonly files: Readonly<
    Record<string, { readonly mutants: readonly { readonly id: string; readonly status: string }[] }>
  >
}

/** `changes`: those that tests could tell; `leftOut`: those made once, when a module loads. */
export type Score = {
  readonly part: string
  readonly killed: number
  readonly changes: number
  readonly leftOut: number
}

/** Below this share of changes that a test tells, a part of core has failed. */
export const LEAST_SHARE = 0.85

/** A change that makes a test hang is told as well as one that makes it fail. */
const TOLD: readonly string[] = ['Killed', 'Timeout']
const UNTOLD: readonly string[] = ['Survived', 'NoCoverage']

export function scoreOf(part: string, report: MutationReport): Score {
  const all = Object.values(report.files).flatMap(({ mutants }) => mutants)
  const count = (statuses: readonly string[]): number =>
    all.filter(({ status }) => statuses.includes(status)).length
  const killed = count(TOLD)
  return { part, killed, changes: killed + count(UNTOLD), leftOut: count(['Ignored']) }
}

/** A part of which nothing was changed says nothing for its tests. */
export const isEnough = ({ killed, changes }: Score): boolean =>
  changes > 0 && killed / changes >= LEAST_SHARE

/** The rows of the table in test/surviving-mutants.md. */
export const scoreTable = (scores: readonly Score[]): string =>
  [
    '| part | killed | changes | left out |',
    '| --- | --- | --- | --- |',
    ...scores.map(
      ({ part, killed, changes, leftOut }) =>
        `| core/${part} | ${shareText(killed, changes)} | ${changes.toLocaleString('en')} | ${leftOut} |`,
    ),
  ].join('\n')

/** Rounded down: 84.96 % is not 85 %. */
const shareText = (killed: number, changes: number): string =>
  changes === 0 ? '–' : `${(Math.floor((killed / changes) * 1_000) / 10).toFixed(1)} %`

import { parseExactNumber, type ExactNumber } from '#record/exact-number.ts'
import type { Sample } from '#history/history.ts'
import { proofAt } from '#history/proof-columns.ts'
import { NOT_WATCHED, OUTCOMES, type Series } from '#history/series.ts'

/** What is known of a node up to its last sample: the next one is compared with it. */
export type LastKept = {
  readonly status: string | undefined
  /** Exact decimal text. */
  readonly stake: string | undefined
  /** Fingerprint. */
  readonly proof: string | undefined
  readonly threats: ExactNumber | undefined
  /** The run of failures that the last sample belongs to. */
  readonly failing: Failing | undefined
  readonly proofWrong: boolean
}

export type Failing = {
  readonly kind: Exclude<Sample['outcome'], 'answered'>
  /** When its first request was made, as far as this session knows. */
  readonly sinceMs: number | undefined
  readonly misses: number
}

export const NOTHING_KEPT: LastKept = {
  status: undefined,
  stake: undefined,
  proof: undefined,
  threats: undefined,
  failing: undefined,
  proofWrong: false,
}

/** What rows tell, put before what is known of the time after them. */
export function lastKeptIn(series: Series, later: LastKept = NOTHING_KEPT): LastKept {
  let { status, stake, proof, threats } = later
  const { columns, texts, length } = series
  for (let place = length - 1; place >= 0; place--) {
    status ??= texts.list[columns.status[place] ?? 0] || undefined
    stake ??= exactAt(columns.stake[place], texts.list[columns.stakeText[place] ?? 0])?.text
    proof ??= proofAt(columns, place)
    threats ??= exactAt(columns.threatTotal[place], texts.list[columns.threatText[place] ?? 0])
    if (status !== undefined && stake !== undefined && proof !== undefined && threats !== undefined) break
  }
  return { ...later, status, stake, proof, threats, failing: later.failing ?? failingIn(series) }
}

/** Whether the last poll of these rows failed. */
function failingIn({ columns, length }: Series): Failing | undefined {
  for (let place = length - 1; place >= 0; place--) {
    const code = columns.outcome[place] ?? NOT_WATCHED
    if (code === NOT_WATCHED) continue
    const kind = OUTCOMES[code]
    return kind === undefined || kind === 'answered' ? undefined : { kind, sinceMs: undefined, misses: 0 }
  }
  return undefined
}

/** An amount as it was written; the text is kept only where the double is not exact. */
function exactAt(value = Number.NaN, text = ''): ExactNumber | undefined {
  return parseExactNumber(text === '' ? String(value) : text)
}

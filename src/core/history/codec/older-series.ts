import { readVarint, refuse, readWord, type ByteReader } from './byte-stream.ts'
import { readNumbers } from './column-codec.ts'
import { increasesOf } from '#history/counter.ts'
import { readProofs } from './proof-codec.ts'
import { HAS_PROOF, setProof, type ProofColumns } from '#history/proof-columns.ts'
import type { Series } from '#history/series.ts'
import { readEveryTime, readRuns } from './step-codec.ts'
import { readTexts } from './text-codec.ts'

const NUMBER_COLUMNS = [
  'latencyMs',
  'heartbeatAgeMs',
  'participation',
  'stake',
  'threatTotal',
  'threatIncrease',
  'everyMs',
] as const

/**
 * Rows as older builds wrote them. Layout 0 has the proofs among the texts, layout 1 two words of each, and both
 * have the increases as they are; all have heartbeats by their age, and flags as they are.
 */
export function readOlderRows(reader: ByteReader, series: Series, count: number, layout: number): void {
  const { columns } = series
  readEveryTime(reader, count, columns.atMs)
  for (const name of NUMBER_COLUMNS) {
    const isExpected = layout > 1 && name === 'threatIncrease'
    readNumbers(
      reader,
      count,
      columns[name],
      isExpected ? { near: increasesOf(columns.threatTotal, 0, count) } : {},
    )
  }
  readNumbers(reader, count, columns.serviceMs)
  for (let place = 0; place < count; place++)
    columns.serviceMs[place] = (columns.serviceMs[place] ?? 0) + (columns.atMs[place] ?? 0)
  readRuns(reader, count, 256, columns.outcome)
  readRuns(reader, count, 256, columns.flags)
  if (layout > 1) readProofs(reader, columns, count)
  else if (layout === 1) readProofPairs(reader, columns, count)
  readTexts(reader, series, count)
  if (layout === 0) readProofTexts(reader, series, count)
}

/** How many rows each is for, and two words, of which the first is kept. */
function readProofPairs(reader: ByteReader, columns: ProofColumns, count: number): void {
  const { proof, flags } = columns
  let left = 0
  let word = 0
  for (let place = 0; place < count; place++) {
    if (((flags[place] ?? 0) & HAS_PROOF) === 0) continue
    if (left === 0) {
      left = readVarint(reader)
      word = readWord(reader)
      readWord(reader)
      if (left === 0) refuse()
    }
    proof[place] = word
    left--
  }
  if (left > 0) refuse()
}

/** Behind the other texts, in the same dictionary. */
function readProofTexts(reader: ByteReader, { columns, texts }: Series, count: number): void {
  const places = new Uint32Array(count)
  readRuns(reader, count, texts.list.length, places)
  for (const [row, place] of places.entries())
    setProof(columns, row, place === 0 ? undefined : texts.list[place])
}

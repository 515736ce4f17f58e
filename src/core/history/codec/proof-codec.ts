import { readWord, refuse, writeWord, type ByteReader, type ByteWriter } from './byte-stream.ts'
import { HAS_PROOF, type ProofColumns } from '#history/proof-columns.ts'
import { PROOF_CHANGED } from '#history/series.ts'
import { readRuns, writeRuns } from './step-codec.ts'

/**
 * Fingerprints of the rows that have one, each once for as long as it stays. Where one begins is what the flags say,
 * which are written elsewhere, but for rows that are named; then come the fingerprints, one behind the other.
 */
export function writeProofs(writer: ByteWriter, columns: ProofColumns, start: number, end: number): void {
  const { proof, flags } = columns
  const odd = new Uint8Array(end - start)
  const words = new Uint32Array(end - start)
  let count = 0
  for (let place = start; place < end; place++) {
    const flag = flags[place] ?? 0
    if ((flag & HAS_PROOF) === 0) continue
    const word = proof[place] ?? 0
    const isNew = count === 0 || word !== words[count - 1]
    if (isNew !== ((flag & PROOF_CHANGED) !== 0)) odd[place - start] = 1
    if (isNew) words[count++] = word
  }
  writeRuns(writer, odd, 0, odd.length)
  for (let place = 0; place < count; place++) writeWord(writer, words[place] ?? 0)
}

/** For rows `[0, count)`, whose flags are read already. */
export function readProofs(reader: ByteReader, columns: ProofColumns, count: number): void {
  const { proof, flags } = columns
  const odd = new Uint8Array(count)
  readRuns(reader, count, 2, odd)
  let word: number | undefined
  for (let place = 0; place < count; place++) {
    const flag = flags[place] ?? 0
    if ((flag & HAS_PROOF) === 0) continue
    if (((flag & PROOF_CHANGED) !== 0) !== (odd[place] === 1)) word = readWord(reader)
    proof[place] = word ?? refuse()
  }
}

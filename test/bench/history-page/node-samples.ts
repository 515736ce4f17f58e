import { textFingerprint } from '#base/fingerprint.ts'
import type { Sample } from '#history/history.ts'
import { keptFingerprint } from '#history/series.ts'

export const EVERY_MS = 10_000

/** A state as sent to the page: status, stake, participation, threats, heartbeat in Unix seconds. */
export type State = readonly [string, number, number, number, number]

/** Samples of one node with every field that a sample can have. Each new record has a new proof. */
export function samplesOf(node: string, startMs: number, states: readonly State[]): readonly Sample[] {
  let lastProof: string | undefined
  let lastTotal: number | undefined
  return states.map((state, place): Sample => {
    const [status, stake, participation, threatResponses, heartbeatS] = state
    const atMs = startMs + place * EVERY_MS
    // Occasionally the node does not answer for two minutes.
    if (place % 5_000 >= 4_988) return { node, atMs, everyMs: EVERY_MS, latencyMs: 5_000, outcome: 'timeout' }
    const noise = (Math.imul(place + 1, 2_654_435_761) >>> 0) / 2 ** 32
    const proof = keptFingerprint(textFingerprint(state.join()))
    const restarted = lastTotal !== undefined && threatResponses < lastTotal
    const sample: Sample = {
      node,
      atMs,
      everyMs: EVERY_MS,
      latencyMs: Math.round(200 + 800 * noise * noise) / 10,
      serviceMs: Math.floor(atMs / 1_000) * 1_000,
      outcome: 'answered',
      status,
      stake,
      participation,
      threatResponses,
      threatResponsesIncrease: lastTotal === undefined ? 0 : threatResponses - (restarted ? 0 : lastTotal),
      threatResponsesRestarted: restarted,
      heartbeatAgeMs: atMs - heartbeatS * 1_000,
      proof,
      proofChanged: lastProof !== undefined && lastProof !== proof,
    }
    lastProof = proof
    lastTotal = threatResponses
    return sample
  })
}

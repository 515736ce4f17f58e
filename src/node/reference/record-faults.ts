import { fault, faultTable, numberValue, textValue, type FaultUse } from './fault.ts'
import type { NodeState } from './network.ts'

/** The undisturbed state at another moment. */
type StateAt = (ms: number) => NodeState

/** Another truth about a node, reported and signed by it in the right way. */
export const RECORD_FAULTS = faultTable<(state: NodeState, use: FaultUse, at: StateAt) => NodeState>()({
  'counter-restart': fault(
    'threat responses count from 0 again, from the moment this is set',
    (state, use, at) => ({
      ...state,
      threatResponses: Math.max(0, state.threatResponses - at(use.setAtMs).threatResponses),
    }),
  ),
  'counter-jump': fault(
    'adds this to threat responses',
    (state, { value }) => ({ ...state, threatResponses: state.threatResponses + Number(value) }),
    numberValue('count', 1e12, 0, 1e17),
  ),
  'silent-heartbeat': fault(
    'the heartbeat stands still since this long before the fault was set',
    (state, { value, setAtMs }, at) => ({
      ...state,
      lastHeartbeat: at(setAtMs).lastHeartbeat - Number(value),
    }),
    numberValue('s', 0, 0, 1e9),
  ),
  'heartbeat-backwards': fault(
    'each answer reports a heartbeat this much older',
    (state, { value, setAtMs, hits }, at) => ({
      ...state,
      lastHeartbeat: at(setAtMs).lastHeartbeat - Number(value) * hits,
    }),
    numberValue('s', 60, 1, 1e6),
  ),
  'heartbeat-future': fault(
    'the heartbeat lies this far ahead',
    (state, { value }) => ({ ...state, lastHeartbeat: state.lastHeartbeat + Number(value) }),
    numberValue('s', 3_600, 0, 1e9),
  ),
  'status-word': fault(
    'reports this status',
    (state, { value }) => ({ ...state, status: String(value) }),
    textValue('DRAINING'),
  ),
  stake: fault(
    'reports this stake',
    (state, { value }) => ({ ...state, stake: Number(value) }),
    numberValue('units', 0, 0, Number.MAX_SAFE_INTEGER),
  ),
  participation: fault(
    'reports this participation',
    (state, { value }) => ({ ...state, participation: Number(value) }),
    numberValue('ratio', 0.5, 0, 1e6),
  ),
})

/** Who signs a proof, and what. */
type Proving = { readonly signer: number; readonly proven: NodeState }

type Context = {
  readonly count: number
  readonly index: number
  readonly atMs: number
  readonly at: StateAt
}

/** A proof that is a good signature, and still none of this record by this node. */
export const PROOF_FAULTS = faultTable<(proving: Proving, use: FaultUse, context: Context) => Proving>()({
  'proof-of-other-data': fault(
    'signs the record as it was this long ago, in place of this one',
    (proving, { value }, { at, atMs }) => ({ ...proving, proven: at(atMs - Number(value) * 1_000) }),
    numberValue('s', 86_400, 1, 1e9),
  ),
  'proof-by-other-node': fault(
    'has another node sign the proof of this record',
    (proving, _use, { count, index }) => ({
      ...proving,
      // Also where there is one node only: the directory derives a key for any number.
      signer: count === 1 ? 1 : (index + 1) % count,
    }),
  ),
})

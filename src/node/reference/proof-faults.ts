import type { ActiveFault } from './fault-state.ts'
import type { FaultsOf } from './faults.ts'
import type { NodeState } from './network.ts'

/** Who signs a proof, and what. */
type Proving = { readonly signer: number; readonly proven: NodeState }

type Context = {
  readonly count: number
  readonly index: number
  readonly atMs: number
  /** The undisturbed state at another moment. */
  readonly at: (ms: number) => NodeState
}

/** A proof that is a good signature, and still none of this record by this node. */
export function applyProofFault(
  fault: ActiveFault<FaultsOf<'proof'>>,
  proving: Proving,
  { count, index, atMs, at }: Context,
): Proving {
  switch (fault.name) {
    case 'proof-of-other-data':
      return { ...proving, proven: at(atMs - Number(fault.value) * 1_000) }
    case 'proof-by-other-node':
      // Also where there is one node only: the directory derives a key for any number.
      return { ...proving, signer: count === 1 ? 1 : (index + 1) % count }
  }
}

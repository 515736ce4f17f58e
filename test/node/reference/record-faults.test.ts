import { describe, expect, it } from 'vitest'
import type { FaultUse } from '#reference/fault.ts'
import type { NodeState } from '#reference/network.ts'
import { PROOF_FAULTS, RECORD_FAULTS } from '#reference/record-faults.ts'

type Name = keyof typeof RECORD_FAULTS

const STATE: NodeState = {
  status: 'ACTIVE',
  stake: 1_000_000,
  participation: 0.98,
  threatResponses: 412,
  lastHeartbeat: 5_000,
}
const at = (ms: number): NodeState => ({ ...STATE, threatResponses: ms, lastHeartbeat: 4_000 + ms })
const use = (value: FaultUse['value'], more: Partial<FaultUse> = {}): FaultUse => ({
  value,
  setAtMs: 12,
  hits: 3,
  kept: undefined,
  ...more,
})

describe('another truth about a node', () => {
  it.each<readonly [Name, FaultUse, Partial<NodeState>]>([
    ['counter-restart', use(undefined), { threatResponses: 400 }],
    ['counter-restart', use(undefined, { setAtMs: 500 }), { threatResponses: 0 }],
    ['counter-jump', use('1000'), { threatResponses: 1_412 }],
    ['silent-heartbeat', use(540), { lastHeartbeat: 3_472 }],
    ['heartbeat-backwards', use(60), { lastHeartbeat: 3_832 }],
    ['heartbeat-future', use('3600'), { lastHeartbeat: 8_600 }],
    ['status-word', use('DRAINING'), { status: 'DRAINING' }],
    ['stake', use('7'), { stake: 7 }],
    ['participation', use(0.2), { participation: 0.2 }],
  ])('%s, and the rest as it is', (name, given, changes) => {
    expect(RECORD_FAULTS[name].act(STATE, given, at)).toEqual({ ...STATE, ...changes })
  })
})

describe('a proof that is none of this record by this node', () => {
  const proving = { signer: 2, proven: STATE }

  it('proves what the record was so many seconds ago', () => {
    expect(
      PROOF_FAULTS['proof-of-other-data'].act(proving, use(2), { count: 3, index: 2, atMs: 10_000, at }),
    ).toEqual({ signer: 2, proven: at(8_000) })
  })

  it.each([
    [3, 0, 1],
    [3, 1, 2],
    [3, 2, 0],
    [2, 1, 0],
    [1, 0, 1],
  ])('is signed by another node: of %d, that after %d is %d', (count, index, signer) => {
    expect(
      PROOF_FAULTS['proof-by-other-node'].act(proving, use(undefined), { count, index, atMs: 0, at }),
    ).toEqual({ signer, proven: STATE })
  })
})

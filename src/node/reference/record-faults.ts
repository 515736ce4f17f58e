import type { ActiveFault } from './fault-state.ts'
import type { FaultsOf } from './faults.ts'
import type { NodeState } from './network.ts'

type RecordFault = ActiveFault<FaultsOf<'record'>>

/** Another truth about a node. `at` tells the undisturbed state at another moment. */
export function applyRecordFault(
  fault: RecordFault,
  state: NodeState,
  at: (ms: number) => NodeState,
): NodeState {
  const value = Number(fault.value)
  switch (fault.name) {
    case 'counter-restart':
      return {
        ...state,
        threatResponses: Math.max(0, state.threatResponses - at(fault.setAtMs).threatResponses),
      }
    case 'counter-jump':
      return { ...state, threatResponses: state.threatResponses + value }
    case 'silent-heartbeat':
      return { ...state, lastHeartbeat: at(fault.setAtMs).lastHeartbeat - value }
    case 'heartbeat-backwards':
      return { ...state, lastHeartbeat: at(fault.setAtMs).lastHeartbeat - value * fault.hits }
    case 'heartbeat-future':
      return { ...state, lastHeartbeat: state.lastHeartbeat + value }
    case 'status-word':
      return { ...state, status: String(fault.value) }
    case 'stake':
      return { ...state, stake: value }
    case 'participation':
      return { ...state, participation: value }
  }
}

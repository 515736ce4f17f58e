import type { NodeState } from './demo-network.ts'

/** A record's members in order, with values as JSON text, so that a fault can write text that JSON.stringify would not. */
export type Members = readonly (readonly [name: string, json: string])[]

/** The six members that the node signs. */
export const recordMembers = (nodeId: string, state: NodeState): Members => [
  ['node_id', JSON.stringify(nodeId)],
  ['status', JSON.stringify(state.status)],
  ['stake_deployed', String(state.stake)],
  ['network_participation', String(state.participation)],
  ['threat_responses_executed', String(state.threatResponses)],
  ['last_heartbeat', String(state.lastHeartbeat)],
]

/**
 * The text signed for `cryptographic_proof`: a first line that names the purpose, then `name=value` for each member in the
 * record's order, values as JSON, separated by LF, without a final LF. The interface does not define the proof; this is our
 * choice.
 */
export const textToProve = (members: Members): string =>
  ['immune-node-record-v1', ...members.map(([name, json]) => `${name}=${json}`)].join('\n')

export const toJson = (members: Members): string =>
  `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`

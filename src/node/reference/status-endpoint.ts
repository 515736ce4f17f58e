import { type QueryPair, readQuery } from './signed-text.ts'
import { authenticate, type Authority } from './authenticate.ts'
import type { Directory } from './directory.ts'
import { ofGroup, type ActiveFault } from './fault-state.ts'
import type { KeyEntry } from './key-file.ts'
import { applyMemberFault } from './member-faults.ts'
import { stateAt, type NodeState } from './network.ts'
import { applyPayloadFault } from './payload-faults.ts'
import type { Authenticate } from './profile-check.ts'
import { problemAnswer, type Answer } from './problem.ts'
import type { SeedWords } from './random.ts'
import { recordMembers, textToProve, toJson, type Members } from './record-json.ts'
import type { FaultsOf } from './faults.ts'

export const STATUS_PATH = '/node/status'

/** A request for a node's status, as it came in. */
export type StatusRequest = {
  readonly method: string
  /** Without "?", not decoded. */
  readonly query: string
  readonly headers: Readonly<Record<string, readonly string[] | undefined>>
}

export type StatusEndpoint = (request: StatusRequest, met: readonly ActiveFault[]) => Promise<Answer>

/** A check in place of that of `bearer-v1`. */
export type OwnCheck = { readonly name: string; readonly authenticate: Authenticate }

export type NodeStates = {
  readonly directory: Directory
  readonly seed: SeedWords
}

/** `GET /node/status`: parameters, signature, rights, record; in this order. */
export const createStatusEndpoint =
  (network: NodeStates, authority: Authority, own?: OwnCheck): StatusEndpoint =>
  async (request, met) => {
    const query = readQuery(request.query)
    if (query === undefined) return problemAnswer('query-malformed')
    const asked = query.filter(({ name }) => name === 'node_id')
    if (asked.length > 1) return problemAnswer('node-id-repeated')
    if (asked.some(({ value }) => !isNodeId(value))) return problemAnswer('node-id-invalid')

    const signed = { ...request, path: STATUS_PATH, query, rawQuery: request.query }
    const entry = (own?.authenticate ?? authenticate)(signed, authority)
    if (!entry.ok) return problemAnswer(entry.error, own?.name)

    const nodeId = askedNode(asked, entry.value, network.directory)
    // A node that this key may not read and a node that is nowhere look alike.
    const index = mayRead(entry.value, nodeId) ? await network.directory.indexOf(nodeId) : undefined
    if (index === undefined) return problemAnswer('node-not-found')
    return recordAnswer(network, index, authority.nowMs(), met)
  }

const isNodeId = (text: string): boolean => /^0x[0-9a-f]{64}$/i.test(text)

const askedNode = (
  asked: readonly QueryPair[],
  entry: Pick<KeyEntry, 'nodes'>,
  directory: Directory,
): string => asked[0]?.value.toLowerCase() ?? firstNode(entry, directory)

/** The node that is reported when none is asked for. */
export const firstNode = ({ nodes }: Pick<KeyEntry, 'nodes'>, directory: Directory): string =>
  nodes === '*' ? directory.idOf(0) : (nodes[0] ?? directory.idOf(0))

const mayRead = ({ nodes }: Pick<KeyEntry, 'nodes'>, nodeId: string): boolean =>
  nodes === '*' || nodes.includes(nodeId)

function recordAnswer(
  { directory, seed }: NodeStates,
  index: number,
  nowMs: number,
  met: readonly ActiveFault[],
): Answer {
  const at = (ms: number): NodeState => stateAt(seed, index, ms)
  const state = ofGroup(met, 'record').reduce((truth, fault) => applyRecordFault(fault, truth, at), at(nowMs))
  const vouched = recordMembers(directory.idOf(index), state)
  const { signer, proven } = ofGroup(met, 'proof').reduce(
    (right, fault) => applyProofFault(fault, right, { count: directory.count, index, atMs: nowMs, at }),
    { signer: index, proven: state },
  )
  const text = textToProve(recordMembers(directory.idOf(index), proven))
  const proof = Buffer.from(directory.sign(signer, Buffer.from(text))).toString('hex')
  const signed: Members = [...vouched, ['cryptographic_proof', JSON.stringify(`0x${proof}`)]]
  const json = toJson(
    ofGroup(met, 'members').reduce((members, fault) => applyMemberFault(fault, members), signed),
  )
  const answer = { status: 200, headers: { 'Content-Type': 'application/json' }, body: Buffer.from(json) }
  return ofGroup(met, 'payload').reduce<Answer>(
    (sent, fault) => applyPayloadFault(fault, sent, json, nowMs),
    answer,
  )
}

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
function applyProofFault(
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

type RecordFault = ActiveFault<FaultsOf<'record'>>

/** Another truth about a node. `at` tells the undisturbed state at another moment. */
function applyRecordFault(fault: RecordFault, state: NodeState, at: (ms: number) => NodeState): NodeState {
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

import { type Members, recordMembers, textToProve, toJson } from './record-json.ts'
import { readQuery } from './strict-verify.ts'
import { isNodeId, type Directory } from './directory.ts'
import { acting, type ActiveFault } from './faults.ts'
import type { KeyEntry } from './keys-file.ts'
import { stateAt, type NodeState } from './demo-network.ts'
import type { Authenticate, Authority, SignedRequest } from './profile-check.ts'
import { problemAnswer, type Answer } from './problem.ts'
import type { SeedWords } from './random.ts'

export const STATUS_PATH = '/node/status'

type StatusRequest = Pick<SignedRequest, 'method' | 'headers'> & {
  /** Without "?", not decoded. */
  readonly query: string
}

export type StatusEndpoint = (request: StatusRequest, met: readonly ActiveFault[]) => Promise<Answer>

type Check = { readonly name: string; readonly authenticate: Authenticate }

type NodeStates = {
  readonly directory: Directory
  readonly seed: SeedWords
  readonly nowMs: () => number
}

/** `GET /node/status`: checks parameters, signature and permission, then returns the record. */
export const createStatusEndpoint =
  (network: NodeStates, authority: Authority, check: Check): StatusEndpoint =>
  async (request, met) => {
    const query = readQuery(request.query)
    if (query === undefined) return problemAnswer('query-malformed')
    const named = query.filter(({ name }) => name === 'node_id')
    if (named.length > 1) return problemAnswer('node-id-repeated')
    if (named.some(({ value }) => !isNodeId(value))) return problemAnswer('node-id-invalid')

    const signed = { ...request, path: STATUS_PATH, query, rawQuery: request.query }
    const entry = check.authenticate(signed, authority)
    if (!entry.ok) return problemAnswer(entry.error, check.name)

    const nodeId = named[0]?.value.toLowerCase() ?? firstNode(entry.value, network.directory)
    // A node that this key may not read and an unknown node get the same answer.
    const index = mayRead(entry.value, nodeId) ? await network.directory.indexOf(nodeId) : undefined
    if (index === undefined) return problemAnswer('node-not-found')
    return recordAnswer(network, index, authority.nowMs(), met)
  }

export const firstNode = ({ nodes }: Pick<KeyEntry, 'nodes'>, directory: Directory): string =>
  nodes === '*' ? directory.idOf(0) : (nodes[0] ?? directory.idOf(0))

const mayRead = ({ nodes }: Pick<KeyEntry, 'nodes'>, nodeId: string): boolean =>
  nodes === '*' || nodes.includes(nodeId)

function recordAnswer(
  { directory, seed, nowMs: networkNowMs }: NodeStates,
  index: number,
  nowMs: number,
  met: readonly ActiveFault[],
): Answer {
  const networkMs = networkNowMs()
  // Nodes report times by the service's clock.
  const aheadS = Math.floor(networkMs / 1_000) - Math.floor(nowMs / 1_000)
  const at = (ms: number): NodeState => {
    const state = stateAt(seed, index, ms)
    return { ...state, lastHeartbeat: state.lastHeartbeat - aheadS }
  }
  const state = acting(met, 'record').reduce((truth, { use, act }) => act(truth, use, at), at(networkMs))
  const vouched = recordMembers(directory.idOf(index), state)
  const { count } = directory
  const { signer, proven } = acting(met, 'proof').reduce(
    (right, { use, act }) => act(right, use, { count, index, atMs: networkMs, at }),
    { signer: index, proven: state },
  )
  const text = textToProve(recordMembers(directory.idOf(index), proven))
  const proof = Buffer.from(directory.sign(signer, Buffer.from(text))).toString('hex')
  const signed: Members = [...vouched, ['cryptographic_proof', JSON.stringify(`0x${proof}`)]]
  const json = toJson(acting(met, 'members').reduce((members, { use, act }) => act(members, use), signed))
  const answer = { status: 200, headers: { 'Content-Type': 'application/json' }, body: Buffer.from(json) }
  return acting(met, 'payload').reduce<Answer>((sent, { use, act }) => {
    const changed = act({ json, use, nowMs })
    return { ...sent, ...changed, headers: { ...sent.headers, ...changed.headers } }
  }, answer)
}

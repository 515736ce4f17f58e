import { ANSWER_FAULTS } from './answer-faults.ts'
import { DELIVERY_FAULTS } from './deliver.ts'
import { DAY_MS, fault, numberValue, type FaultValue, type ValueForm } from './fault.ts'
import { MEMBER_FAULTS } from './member-faults.ts'
import { PAYLOAD_FAULTS } from './payload-faults.ts'
import { PROOF_FAULTS, RECORD_FAULTS } from './record-faults.ts'

/**
 * Where a fault acts. `service`: on the whole service. `request`: on what arrives of a request. `cors`: on what pages may see.
 * `answer`: another answer in place of the real one, before any check of the signature.
 * `record`: another truth, reported and signed by the node in the right way. `proof`: a good
 * signature, over something else or by somebody else. `members`:
 * the record's JSON members, after the node signed them. `payload`: the body's bytes and
 * how they are declared. `delivery`: the way to the client. `switch`: picks other faults.
 * Code, help, documentation and tests read these tables: a fault is one entry in one of them.
 */
const GROUPS = {
  service: {
    refused: fault('stops listening: connections are refused (for all nodes only)'),
    'clock-offset': fault(
      "sets the service's clock off by this much (for all nodes only)",
      undefined,
      numberValue('ms', 60_000, -10 * 365 * DAY_MS, 10 * 365 * DAY_MS),
    ),
  },
  request: {
    'strip-authorization': fault('drops the Authorization header of requests, as some proxies do'),
  },
  switch: {
    flap: fault(
      'answers and resets by turns, this many requests each',
      undefined,
      numberValue('requests', 1, 1, 1e6),
    ),
    chaos: fault(
      'a random common fault for this share of requests',
      undefined,
      numberValue('rate', 0.1, 0, 1),
    ),
  },
  delivery: DELIVERY_FAULTS,
  cors: {
    'no-cors': fault('leaves out every CORS header'),
    'wrong-origin': fault('allows another page only'),
    'any-origin': fault('allows every page with "*"'),
    'preflight-401': fault('answers preflight requests with 401'),
    'preflight-hang': fault('never answers preflight requests'),
    'preflight-each': fault('lets no preflight be kept: each request has its own'),
  },
  answer: ANSWER_FAULTS,
  payload: PAYLOAD_FAULTS,
  record: RECORD_FAULTS,
  proof: PROOF_FAULTS,
  members: MEMBER_FAULTS,
}

export type FaultGroup = keyof typeof GROUPS

export type { FaultValue } from './fault.ts'

/** The names of one group. */
export type FaultsOf<G extends FaultGroup> = { [Group in G]: keyof (typeof GROUPS)[Group] }[G]

export type FaultName = FaultsOf<FaultGroup>

type FaultForm = { readonly about: string; readonly value?: ValueForm }

type FaultSpec = FaultForm & { readonly group: FaultGroup }

const keysOf = <T extends object>(table: T): readonly Extract<keyof T, string>[] => {
  const names: Extract<keyof T, string>[] = []
  for (const name in table) names.push(name)
  return names
}

const SPECS: ReadonlyMap<string, FaultSpec> = new Map(
  keysOf(GROUPS).flatMap((group) =>
    Object.entries<FaultForm>(GROUPS[group]).map(([name, form]) => [name, { group, ...form }] as const),
  ),
)

export const isFaultName = (name: string): name is FaultName => SPECS.has(name)

export const FAULT_NAMES: readonly FaultName[] = Array.from(SPECS.keys()).filter(isFaultName)

export function specOf(name: FaultName): FaultSpec {
  const spec = SPECS.get(name)
  if (spec === undefined) throw new Error(`no fault ${name}`)
  return spec
}

export const groupOf = (name: FaultName): FaultGroup => specOf(name).group

/** A fault on one node or, with "*", on all. */
export type FaultOrder = {
  readonly node: string
  readonly name: FaultName
  readonly value: FaultValue | undefined
}

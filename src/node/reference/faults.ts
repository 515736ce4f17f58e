import { DAY_MS, MINUTE_MS } from '#base/time.ts'
import { err, ok, type Result } from '#base/result.ts'
import type { NodeState } from './demo-network.ts'
import { isNodeId } from './directory.ts'
import { send, type Answer, type Delivery } from './problem.ts'
import { draw, type SeedWords } from './random.ts'
import type { Members } from './record-json.ts'

export type FaultValue = number | string

export type ValueForm =
  | { readonly unit: string; readonly default: number; readonly min: number; readonly max: number }
  | { readonly unit: 'text'; readonly default: string }

/** The settings of an active fault, and its state between requests. */
export type FaultUse = {
  readonly value: FaultValue | undefined
  /** When it was set, by the service's clock. */
  readonly setAtMs: number
  /** Requests that it affected, including this one. */
  hits: number
  /** Data that the first request left for later ones. */
  kept: string | undefined
}

type Headers = Readonly<Record<string, string>>
type StateAt = (ms: number) => NodeState
/** The node that signs a proof, and the state that it signs. */
type Proving = { readonly signer: number; readonly proven: NodeState }

/** A fault's description, its value, and its effects on a request. */
export type Fault = {
  readonly about: string
  /** Absent: it takes none. */
  readonly value?: ValueForm
  readonly isOfService?: boolean
  readonly request?: (headers: SentHeaders) => SentHeaders
  /** Undefined: the preflight is never answered. */
  readonly preflight?: (answer: Answer) => Answer | undefined
  readonly cors?: (headers: Headers) => Headers
  /** Replaces the real answer, before the signature is checked. */
  readonly instead?: (given: {
    readonly value: number
    readonly text: string
    readonly url: string
    readonly nowMs: number
  }) => Answer
  readonly page?: { readonly path: string; readonly answer: () => Answer }
  readonly record?: (state: NodeState, use: FaultUse, at: StateAt) => NodeState
  readonly proof?: (
    proving: Proving,
    use: FaultUse,
    network: {
      readonly count: number
      readonly index: number
      readonly atMs: number
      readonly at: StateAt
    },
  ) => Proving
  readonly members?: (members: Members, use: FaultUse) => Members
  readonly payload?: (given: {
    readonly json: string
    readonly use: FaultUse
    readonly nowMs: number
  }) => Partial<Answer>
  readonly deliver?: (delivery: Delivery, value: number) => void
}

export type SentHeaders = Readonly<Record<string, readonly string[] | undefined>>

/** `chaos`: the faults that the fault `chaos` draws from. */
export type FaultTable = {
  readonly faults: Readonly<Record<string, Fault>>
  readonly chaos: readonly (readonly [name: string, value: FaultValue | undefined])[]
}

export const numberValue = (unit: string, fallback: number, min: number, max: number): ValueForm => ({
  unit,
  default: fallback,
  min,
  max,
})

export const emptyAnswer = (status: number): Answer => ({ status, headers: {}, body: new Uint8Array() })

/** 204 and 304 have no body. */
export const problemOf = (status: number, headers: Headers = {}): Answer =>
  status === 204 || status === 304
    ? emptyAnswer(status)
    : {
        status,
        headers: { 'Content-Type': 'application/problem+json', ...headers },
        body: Buffer.from(
          JSON.stringify({ type: 'about:blank', title: 'Fault on demand', status, code: 'fault' }),
        ),
      }

export const PRODUCT_FAULTS = {
  faults: {
    refused: {
      about: 'stops listening, so connections are refused (not for a single node)',
      isOfService: true,
    },
    'clock-offset': {
      about: "moves the service's clock by this much (not for a single node)",
      value: numberValue('ms', MINUTE_MS, -10 * 365 * DAY_MS, 10 * 365 * DAY_MS),
      isOfService: true,
    },
    flap: {
      about: 'alternates between answers and resets, this many requests each',
      value: numberValue('requests', 1, 1, 1e6),
    },
    chaos: {
      about: 'injects a random common fault into this share of requests',
      value: numberValue('rate', 0.1, 0, 1),
    },
    status: {
      about: 'answers with this status and a problem body',
      value: numberValue('status', 500, 200, 999),
      instead: ({ value }) => problemOf(value),
    },
    late: {
      about: 'answers after this long',
      value: numberValue('ms', 2_000, 0, DAY_MS),
      deliver: (delivery, afterMs) => {
        const cancel = delivery.clock.after(afterMs, () => send(delivery))
        delivery.response.once('close', cancel)
      },
    },
    // The socket stays open until the client or the service closes it.
    hang: { about: 'accepts the request and never answers', deliver: () => undefined },
    reset: {
      about: 'resets the connection before any answer',
      deliver: ({ request }) => request.socket.resetAndDestroy(),
    },
  },
  chaos: [
    ['late', 2_000],
    ['hang', undefined],
    ['reset', undefined],
    ['status', 401],
    ['status', 429],
    ['status', 500],
    ['status', 503],
  ],
} as const satisfies FaultTable

/** A fault for one node or, with "*", for all. */
export type FaultOrder = {
  readonly node: string
  readonly name: string
  readonly value: FaultValue | undefined
}

export type ActiveFault = FaultUse & { readonly name: string; readonly fault: Fault }

/** The active faults that implement this hook. */
export const acting = <Hook extends keyof Fault>(met: readonly ActiveFault[], hook: Hook) =>
  met.flatMap((use) => {
    const act = use.fault[hook]
    return act === undefined ? [] : [{ use, act }]
  })

export type FaultState = ReturnType<typeof createFaultState>

/** Enough for a thousand nodes with several faults each. */
const FAULTS_MAX = 20_000
export const TOO_MANY_FAULTS = `more than ${FAULTS_MAX} faults at once`

export function createFaultState(table: FaultTable, seed: SeedWords) {
  const faults = new Map<string, Map<string, ActiveFault>>()
  let count = 0
  let rolls = 0

  const named = (use: ActiveFault, name: string, value?: FaultValue): readonly ActiveFault[] => {
    const fault = table.faults[name]
    return fault === undefined ? [] : [{ ...use, name, fault, value }]
  }
  /** `flap` and `chaos` resolve to other faults, or to none. */
  const resolve = (use: ActiveFault): readonly ActiveFault[] => {
    use.hits++
    if (use.name === 'flap') {
      const down = Math.floor((use.hits - 1) / Number(use.value)) % 2 === 1
      return down ? named(use, 'reset') : []
    }
    if (use.name !== 'chaos') return [use]
    const roll = rolls++
    if (draw(seed, 30, roll, 0) >= Number(use.value)) return []
    const { chaos } = table
    const [name, value] = chaos[Math.floor(draw(seed, 30, roll, 1) * chaos.length)] ?? ['reset', undefined]
    return named(use, name, value)
  }

  const isThere = ({ node, name }: FaultOrder): boolean => faults.get(node)?.has(name) === true
  const hasRoom = (order: FaultOrder): boolean => count < FAULTS_MAX || isThere(order)

  return {
    read: (node: string, name: string, value: unknown): Result<FaultOrder, string> =>
      readFaultOrder(table, node, name, value),
    /** Whether it replaces a fault or one more is allowed. */
    hasRoom,
    /** Replaces a fault of the same name on the same node. Throws if too many are set. */
    set: (order: FaultOrder, nowMs: number): void => {
      const { node, name, value } = order
      const fault = table.faults[name]
      if (fault === undefined) throw new Error(`no fault ${name}`)
      if (!hasRoom(order)) throw new Error(TOO_MANY_FAULTS)
      if (!isThere(order)) count++
      const byName = faults.get(node) ?? new Map<string, ActiveFault>()
      byName.set(name, { name, fault, value, setAtMs: nowMs, hits: 0, kept: undefined })
      faults.set(node, byName)
    },
    /** Without arguments: all faults. */
    clear: (node?: string, name?: string): void => {
      for (const [at, byName] of faults) {
        if (node !== undefined && at !== node.toLowerCase()) continue
        for (const each of byName.keys())
          if ((name === undefined || name === each) && byName.delete(each)) count--
        if (byName.size === 0) faults.delete(at)
      }
    },
    list: (): readonly FaultOrder[] =>
      Array.from(faults, ([node, byName]) =>
        Array.from(byName.values(), ({ name, value }) => ({ node, name, value })),
      ).flat(),
    /** The faults for this request's node, then those for all nodes. Counts as a hit. */
    meet: (node: string | undefined): readonly ActiveFault[] => {
      const own = node === undefined ? undefined : faults.get(node)
      const met = [...(own?.values() ?? []), ...(faults.get('*')?.values() ?? [])]
      return met.flatMap(resolve)
    },
    pageAt: (path: string): Answer | undefined => {
      const all = Array.from(faults.values(), (byName) => [...byName.values()]).flat()
      return all.find(({ fault }) => fault.page?.path === path)?.fault.page?.answer()
    },
    /** The value of a service-wide fault, or true if it has none; undefined if it is off. */
    valueOf: (name: 'refused' | 'clock-offset'): FaultValue | true | undefined => {
      const use = faults.get('*')?.get(name)
      return use && (use.value ?? true)
    },
  }
}

const TEXT_CHARS_MAX = 200

/** Fills in the default value. */
export function readFaultOrder(
  { faults }: FaultTable,
  node: string,
  name: string,
  value: unknown,
): Result<FaultOrder, string> {
  if (node !== '*' && !isNodeId(node)) return err('node must be "*" or 0x and 64 hex digits')
  const fault = Object.hasOwn(faults, name) ? faults[name] : undefined
  if (fault === undefined) return err('unknown fault')
  if (fault.isOfService === true && node !== '*')
    return err(`"${name}" applies to all nodes: use "*" or omit the node`)
  const given = { node: node.toLowerCase(), name }
  const form = fault.value
  if (form === undefined)
    return value === undefined ? ok({ ...given, value: undefined }) : err(`"${name}" takes no value`)
  if (value === undefined) return ok({ ...given, value: form.default })
  if (typeof value !== 'string' && typeof value !== 'number')
    return err(`"${name}" takes a number or a string`)
  if (form.unit === 'text') return ok({ ...given, value: String(value).slice(0, TEXT_CHARS_MAX) })
  const read = String(value).trim() === '' ? Number.NaN : Number(value)
  return 'min' in form && read >= form.min && read <= form.max
    ? ok({ ...given, value: read })
    : err(`"${name}" takes ${'min' in form ? `${form.min} to ${form.max}` : 'a number'} (${form.unit})`)
}

/** Reads `name[=value][@node]`, as on the command line. */
export function parseFaultFlag(table: FaultTable, flag: string): Result<FaultOrder, string> {
  const match = /^([a-z0-9-]+)(?:=(.*?))?(?:@(\*|0x[0-9a-fA-F]+))?$/.exec(flag)
  return match === null
    ? err('must have the form name[=value][@node]')
    : readFaultOrder(table, match[3] ?? '*', match[1] ?? '', match[2])
}

/** One line per fault: name, default value, description. */
export const describeFaults = ({ faults }: FaultTable): readonly string[] =>
  Object.entries(faults).map(([name, { about, value }]) => {
    const usage = value === undefined ? name : `${name}[=${value.default}]`
    return `${usage.padEnd(36)} ${about}`
  })

import type { FaultUse, FaultValue } from './fault.ts'
import {
  groupOf,
  type FaultGroup,
  type FaultName,
  type FaultOrder,
  type FaultsOf,
  FAULT_NAMES,
  isFaultName,
  specOf,
} from './faults.ts'
import { draw, type SeedWords } from './random.ts'
import { err, ok, type Result } from '#base/result.ts'

/** A fault that is on. */
export type ActiveFault = FaultUse & { readonly name: FaultName }

type ActiveIn<G extends FaultGroup> = ActiveFault & { readonly name: FaultsOf<G> }

export type FaultState = {
  /** Whether it replaces one, or there may be one more. */
  readonly hasRoom: (order: FaultOrder) => boolean
  /** A fault of the same name on the same node is replaced. Throws where there is no room. */
  readonly set: (order: FaultOrder, nowMs: number) => void
  /** Without arguments: all of them. */
  readonly clear: (node?: string, name?: string) => void
  readonly list: () => readonly FaultOrder[]
  /** The faults that one request meets: those of its node, then those of all. Counts as a hit. */
  readonly meet: (node: string | undefined) => readonly ActiveFault[]
  readonly isOn: (name: FaultName) => boolean
  /** The value of a service-wide fault that is on. */
  readonly valueOf: (name: FaultsOf<'service'>) => FaultValue | undefined
}

/** A thousand nodes with some faults each. */
const FAULTS_MAX = 20_000
export const TOO_MANY_FAULTS = `more than ${FAULTS_MAX} faults at once`

/** What chaos throws in: everything that real networks and gateways do now and then. */
const CHAOS: readonly (readonly [FaultName, FaultValue | undefined])[] = [
  ['late', 2_000],
  ['hang', undefined],
  ['headers-then-hang', undefined],
  ['reset', undefined],
  ['reset-in-body', undefined],
  ['truncated', undefined],
  ['status-429', 5],
  ['status-500', undefined],
  ['status-502', undefined],
  ['status-503', 5],
  ['status-401', undefined],
  ['html', undefined],
  ['truncated-json', undefined],
  ['missing', 'network_participation'],
]

export function createFaultState(seed: SeedWords): FaultState {
  const faults = new Map<string, Map<FaultName, ActiveFault>>()
  let count = 0
  let rolls = 0

  /** Flapping and chaos stand for other faults, or for none. */
  const resolve = (fault: ActiveFault): readonly ActiveFault[] => {
    fault.hits++
    if (fault.name === 'flap') {
      const down = Math.floor((fault.hits - 1) / Number(fault.value)) % 2 === 1
      return down ? [{ ...fault, name: 'reset', value: undefined }] : []
    }
    if (fault.name !== 'chaos') return [fault]
    const roll = rolls++
    if (draw(seed, 30, roll, 0) >= Number(fault.value)) return []
    const [name, value] = CHAOS[Math.floor(draw(seed, 30, roll, 1) * CHAOS.length)] ?? ['reset', undefined]
    return [{ ...fault, name, value }]
  }

  const isThere = ({ node, name }: FaultOrder): boolean => faults.get(node)?.has(name) === true
  const hasRoom = (order: FaultOrder): boolean => count < FAULTS_MAX || isThere(order)

  return {
    hasRoom,
    set: (order, nowMs) => {
      if (!hasRoom(order)) throw new Error(TOO_MANY_FAULTS)
      if (!isThere(order)) count++
      const { node, name, value } = order
      const byName = faults.get(node) ?? new Map<FaultName, ActiveFault>()
      byName.set(name, { name, value, setAtMs: nowMs, hits: 0, kept: undefined })
      faults.set(node, byName)
    },
    clear: (node, name) => {
      for (const [at, byName] of faults) {
        if (node !== undefined && at !== node.toLowerCase()) continue
        for (const each of byName.keys())
          if ((name === undefined || name === each) && byName.delete(each)) count--
        if (byName.size === 0) faults.delete(at)
      }
    },
    list: () =>
      Array.from(faults, ([node, byName]) =>
        Array.from(byName.values(), ({ name, value }) => ({ node, name, value })),
      ).flat(),
    meet: (node) => {
      const own = node === undefined ? undefined : faults.get(node)
      const met = [...(own?.values() ?? []), ...(faults.get('*')?.values() ?? [])]
      return met.flatMap(resolve)
    },
    isOn: (name) => Array.from(faults.values()).some((byName) => byName.has(name)),
    valueOf: (name) => faults.get('*')?.get(name)?.value,
  }
}

/** The faults of one group among those that a request met. */
export const ofGroup = <G extends FaultGroup>(
  met: readonly ActiveFault[],
  group: G,
): readonly ActiveIn<G>[] => met.filter((fault): fault is ActiveIn<G> => groupOf(fault.name) === group)

const TEXT_CHARS_MAX = 200

/** Checks an order as it came in, and fills in the default value. */
export function readFaultOrder(node: string, name: string, value: unknown): Result<FaultOrder, string> {
  if (node !== '*' && !/^0x[0-9a-f]{64}$/i.test(node)) return err('node must be "*" or 0x and 64 hex digits')
  if (!isFaultName(name)) return err('there is no fault of this name')
  const spec = specOf(name)
  if (spec.group === 'service' && node !== '*') return err(`"${name}" is for all nodes: give "*" or no node`)
  const given = { node: node.toLowerCase(), name }
  if (spec.value === undefined) {
    return value === undefined ? ok({ ...given, value: undefined }) : err(`"${name}" takes no value`)
  }
  if (value === undefined) return ok({ ...given, value: spec.value.default })
  if (typeof value !== 'string' && typeof value !== 'number') return err(`"${name}" wants a number or a text`)
  if (spec.value.unit === 'text') return ok({ ...given, value: String(value).slice(0, TEXT_CHARS_MAX) })
  const read = String(value).trim() === '' ? Number.NaN : Number(value)
  if (!('min' in spec.value) || !(read >= spec.value.min && read <= spec.value.max)) {
    return err(`"${name}" wants a number within its bounds (${spec.value.unit})`)
  }
  return ok({ ...given, value: read })
}

/** `name[=value][@node]`, as on the command line. */
export function parseFaultFlag(flag: string): Result<FaultOrder, string> {
  const match = /^([a-z0-9-]+)(?:=(.*?))?(?:@(\*|0x[0-9a-fA-F]+))?$/.exec(flag)
  return match === null
    ? err('wants the form name[=value][@node]')
    : readFaultOrder(match[3] ?? '*', match[1] ?? '', match[2])
}

/** One line for each fault: name, default of its value, what it does. */
export const describeFaults = (): readonly string[] =>
  FAULT_NAMES.map((name) => {
    const { about, value } = specOf(name)
    const usage = value === undefined ? name : `${name}[=${value.default}]`
    return `${usage.padEnd(36)} ${about}`
  })

import { err, ok, type Result } from '#base/result.ts'
import { FAULT_NAMES, isFaultName, specOf, type FaultOrder } from './faults.ts'

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

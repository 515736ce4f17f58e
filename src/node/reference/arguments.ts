import { parseArgs, type ParseArgsConfig } from 'node:util'
import { err, ok, type Result } from '#base/result.ts'
import { isOriginPattern } from './cors.ts'
import { parseFaultFlag, readFaultOrder } from './fault-state.ts'
import type { FaultOrder } from './faults.ts'
import type { KeysAddArguments } from './key-file.ts'
import { NODES_MAX } from './network.ts'
import type { ReferenceOptions } from './options.ts'
import { readProfile } from './profile-file.ts'
import { readTokenFile } from './token-check.ts'

/** What `reference` was called for. */
export type ReferenceCommand =
  | { readonly kind: 'help' }
  | { readonly kind: 'run'; readonly options: ReferenceOptions }
  | { readonly kind: 'keys-add'; readonly add: KeysAddArguments }

export const REFERENCE_PORT = 7421
/** Where keys are kept when no file is named: beside the person who runs the service. */
export const KEYS_FILE = 'reference-keys.txt'

const RUN_FLAGS = {
  host: { type: 'string' },
  port: { type: 'string' },
  'control-port': { type: 'string' },
  'control-token': { type: 'string' },
  nodes: { type: 'string' },
  seed: { type: 'string' },
  keys: { type: 'string' },
  profile: { type: 'string' },
  'token-file': { type: 'string' },
  enroll: { type: 'boolean' },
  'allow-origin': { type: 'string', multiple: true },
  origin: { type: 'string', multiple: true },
  fault: { type: 'string', multiple: true },
  chaos: { type: 'string' },
  'clock-offset': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies ParseArgsConfig['options']

const KEYS_FLAGS = {
  keys: { type: 'string' },
  nodes: { type: 'string' },
  'not-after': { type: 'string' },
  note: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies ParseArgsConfig['options']

/** Reads the words after `reference`; the error is one line that says what to change. */
export function parseReferenceCommand(argv: readonly string[]): Result<ReferenceCommand, string> {
  return argv[0] === 'keys' ? keysCommand(argv.slice(1)) : runCommand(argv)
}

function runCommand(argv: readonly string[]): Result<ReferenceCommand, string> {
  const parsed = parseFlags(() => parseArgs({ args: [...argv], options: RUN_FLAGS, strict: true }).values)
  if (!parsed.ok) return parsed
  const flags = parsed.value
  if (flags.help === true) return ok({ kind: 'help' })
  const numbers = readNumbers(flags)
  if (!numbers.ok) return numbers
  const access = readAccess(flags)
  if (!access.ok) return access
  const faults = faultOrders(flags.fault ?? [], flags.chaos, flags['clock-offset'])
  if (!faults.ok) return faults
  return ok({
    kind: 'run',
    options: {
      host: (flags.host ?? '127.0.0.1').replace(/^\[(.*)\]$/, '$1'),
      ...numbers.value,
      keysFile: flags.keys ?? KEYS_FILE,
      enroll: flags.enroll === true,
      ...access.value,
      faults: faults.value,
      ...(flags.seed !== undefined && { seed: flags.seed }),
    },
  })
}

type RunFlags = ReturnType<typeof parseArgs<{ options: typeof RUN_FLAGS }>>['values']

function readNumbers(
  flags: RunFlags,
): Result<Pick<ReferenceOptions, 'port' | 'controlPort' | 'nodes'>, string> {
  const port = wholeNumber('--port', flags.port ?? String(REFERENCE_PORT), 0, 65_535)
  if (!port.ok) return port
  const controlPort = wholeNumber('--control-port', flags['control-port'] ?? '0', 0, 65_535)
  if (!controlPort.ok) return controlPort
  const nodes = wholeNumber('--nodes', flags.nodes ?? '12', 1, NODES_MAX)
  return nodes.ok ? ok({ port: port.value, controlPort: controlPort.value, nodes: nodes.value }) : nodes
}

/** Who may ask, from where, and how it is signed. */
function readAccess(
  flags: RunFlags,
): Result<Pick<ReferenceOptions, 'allowOrigins' | 'origins' | 'profile' | 'token' | 'controlToken'>, string> {
  const allowOrigins = originPatterns(flags['allow-origin'])
  if (!allowOrigins.ok) return allowOrigins
  const origins = ownOrigins(flags.origin ?? [])
  if (!origins.ok) return origins
  const profile = flags.profile === undefined ? ok(undefined) : readProfile(flags.profile)
  if (!profile.ok) return profile
  const tokenFile = flags['token-file']
  const token = tokenFile === undefined ? ok(undefined) : readTokenFile(tokenFile)
  if (!token.ok) return token
  const controlToken = flags['control-token']
  return ok({
    origins: origins.value,
    ...(allowOrigins.value !== undefined && { allowOrigins: allowOrigins.value }),
    ...(profile.value !== undefined && { profile: profile.value }),
    ...(token.value !== undefined && { token: token.value }),
    ...(controlToken !== undefined && { controlToken }),
  })
}

function keysCommand(argv: readonly string[]): Result<ReferenceCommand, string> {
  const parsed = parseFlags(() =>
    parseArgs({ args: [...argv], options: KEYS_FLAGS, strict: true, allowPositionals: true }),
  )
  if (!parsed.ok) return parsed
  const { values, positionals } = parsed.value
  if (values.help === true) return ok({ kind: 'help' })
  const [action, key, ...more] = positionals
  if (action !== 'add' || key === undefined || more.length > 0) {
    return err('Wants: keys add PUBLIC-KEY [--nodes IDS] [--not-after 90d] [--note TEXT] [--keys FILE].')
  }
  const { nodes, note } = values
  return ok({
    kind: 'keys-add',
    add: { file: values.keys ?? KEYS_FILE, key, nodes, notAfter: values['not-after'], note },
  })
}

function originPatterns(
  patterns: readonly string[] | undefined,
): Result<readonly string[] | undefined, string> {
  return patterns === undefined || patterns.every(isOriginPattern)
    ? ok(patterns)
    : err(
        '--allow-origin takes scheme://host[:port] in lower case, such as http://localhost:* or https://wall.example.',
      )
}

function ownOrigins(origins: readonly string[]): Result<readonly string[], string> {
  return origins.every((origin) => isOriginPattern(origin) && !origin.endsWith('*'))
    ? ok(origins)
    : err('--origin takes scheme://host[:port] in lower case, such as https://nodes.example.')
}

function faultOrders(
  flags: readonly string[],
  chaos: string | undefined,
  clockOffset: string | undefined,
): Result<readonly FaultOrder[], string> {
  const orders = flags.map((flag) => ({ flag: `--fault ${flag}`, read: parseFaultFlag(flag) }))
  if (chaos !== undefined) orders.push({ flag: '--chaos', read: readFaultOrder('*', 'chaos', chaos) })
  if (clockOffset !== undefined) {
    orders.push({ flag: '--clock-offset', read: readFaultOrder('*', 'clock-offset', clockOffset) })
  }
  const faults: FaultOrder[] = []
  for (const { flag, read } of orders) {
    if (!read.ok) return err(`${flag}: ${read.error}. See --help.`)
    faults.push(read.value)
  }
  return ok(faults)
}

function wholeNumber(flag: string, text: string, min: number, max: number): Result<number, string> {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  return value >= min && value <= max ? ok(value) : err(`${flag} takes a whole number from ${min} to ${max}.`)
}

/** Node reports a wrong flag by throwing; its first sentence is the part that helps. */
function parseFlags<T>(parse: () => T): Result<T, string> {
  try {
    return ok(parse())
  } catch (error) {
    const sentence = error instanceof Error ? error.message.split(/\.[ \n]|\n/)[0] : 'Unreadable flags'
    return err(`${sentence}. See --help.`)
  }
}

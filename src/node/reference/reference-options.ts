import { jsonIn } from '#base/stored.ts'
import { readTextFile } from '#node/files.ts'
import { PROFILES } from '#signing/presets.ts'
import { parseProfile } from '#settings/documents.ts'
import { host, many, one, port, text, toggle, whole, withDefault, type Command } from '#node/command-line.ts'
import { err, ok, type Result } from '#base/result.ts'
import { isOriginPattern } from './cors.ts'
import { describeFaults, parseFaultFlag, readFaultOrder, type FaultOrder, type FaultTable } from './faults.ts'
import type { KeysAddArguments } from './keys-file.ts'
import { DEFAULT_SEED, NODES_MAX } from './demo-network.ts'
import type { NamedProfile, ReferenceOptions } from './options.ts'
import { readTokenFile } from './token-check.ts'

const originPattern = (given: string): Result<string, string> =>
  isOriginPattern(given)
    ? ok(given)
    : err('takes scheme://host[:port] in lower case, such as http://localhost:* or https://wall.example.')

const origin = (given: string): Result<string, string> =>
  isOriginPattern(given) && !given.endsWith('*')
    ? ok(given)
    : err('takes scheme://host[:port] in lower case, such as https://nodes.example.')

const fault =
  (table: FaultTable) =>
  (given: string): Result<FaultOrder, string> => {
    const read = parseFaultFlag(table, given)
    return read.ok ? read : err(`${given}: ${read.error}.`)
  }

const faultOf =
  (table: FaultTable, name: string) =>
  (given: string): Result<FaultOrder, string> => {
    const read = readFaultOrder(table, '*', name, given)
    return read.ok ? read : err(`${read.error}.`.replace(`"${name}" `, ''))
  }

/** Default: a file in the current folder. */
const keysFile = withDefault(
  one('FILE', 'registered keys, one per line; reloaded when it changes', text),
  'reference-keys.txt',
)

const SERVICE = {
  port: port('the service', 7_421),
  host,
  nodes: withDefault(one('N', `nodes in the network, 1 to ${NODES_MAX}`, whole(1, NODES_MAX)), 12),
  seed: one('TEXT', `seed of the network's keys and values (${DEFAULT_SEED})`, ok<string>),
  keys: keysFile,
  profile: one('P', 'signing profile: the id of a preset, or a file (bearer-v1)', readProfile),
  tokenFile: one('FILE', 'token that clients must send, for a profile with {token}', readTokenFile),
  enroll: toggle('register each new key that signs a request correctly, at most 32; on loopback only'),
  origin: many('ORIGIN', 'another address at which clients reach the service', origin),
  allowOrigin: many(
    'ORIGIN',
    'origin of a page that may read the service (http://127.0.0.1:*, http://localhost:*, http://[::1]:*)',
    originPattern,
  ),
}

const CONTROL = {
  controlPort: port('the control address', 0),
  controlToken: one('T', 'token of the control address (random, printed)', ok<string>),
}

const faultOptions = (table: FaultTable) => ({
  fault: many('NAME[=VALUE][@NODE-ID]', 'fault to set at start', fault(table)),
  chaos: one('RATE', 'share of requests with a random fault, 0 to 1', faultOf(table, 'chaos')),
  clockOffset: one('MS', "offset of the service's clock", faultOf(table, 'clock-offset')),
})

type AllOptions = typeof SERVICE & typeof CONTROL & ReturnType<typeof faultOptions>

export const REFERENCE_SUMMARY = 'run a demo service that verifies signatures and can inject faults'

export const referenceCommand = (table: FaultTable): Command<AllOptions, ReferenceOptions> => ({
  name: 'reference',
  summary: REFERENCE_SUMMARY,
  usage: [
    'reference [OPTIONS]',
    'reference keys add PUBLIC-KEY [--nodes IDS] [--not-after TIME] [--note TEXT] [--keys FILE]',
  ],
  groups: { Options: SERVICE, 'Control, on 127.0.0.1 only': CONTROL, Faults: faultOptions(table) },
  options: { ...SERVICE, ...CONTROL, ...faultOptions(table) },
  notes: `Faults, with their default values\n  ${describeFaults(table).join('\n  ')}`,
  read: ({ keys, tokenFile, origin: origins, allowOrigin, fault: set, chaos, clockOffset, ...given }) =>
    ok({
      ...given,
      keysFile: keys,
      token: tokenFile,
      origins,
      allowOrigins: allowOrigin.length > 0 ? allowOrigin : undefined,
      faultTable: table,
      faults: [...set, chaos, clockOffset].filter((each) => each !== undefined),
    }),
})

const KEYS_OPTIONS = {
  keys: keysFile,
  nodes: one('IDS', 'node ids, comma-separated, or "*" (*)', ok<string>),
  notAfter: one('TIME', 'expiry: 90d, 12h, or a time like 2027-01-01T00:00:00Z (never)', ok<string>),
  note: one('TEXT', 'purpose of the key', ok<string>),
}

export const KEYS_COMMAND: Command<typeof KEYS_OPTIONS, KeysAddArguments> = {
  name: 'reference keys',
  summary: 'register a public key of 64 hex digits',
  usage: ['reference keys add PUBLIC-KEY [OPTIONS]'],
  options: KEYS_OPTIONS,
  takesWords: true,
  read: ({ keys, ...given }, [action, key, ...more]) =>
    action === 'add' && key !== undefined && more.length === 0
      ? ok({ file: keys, key, ...given })
      : err(
          'Usage: reference keys add PUBLIC-KEY [--nodes IDS] [--not-after 90d] [--note TEXT] [--keys FILE].',
        ),
}

const FILE_BYTES_MAX = 64 * 1024

/** Reads a preset by its id, or a profile document from a file. The error is one line that says what to change. */
export function readProfile(nameOrFile: string): Result<NamedProfile, string> {
  const preset = Object.hasOwn(PROFILES, nameOrFile) ? PROFILES[nameOrFile] : undefined
  if (preset !== undefined) return ok({ name: nameOrFile, profile: preset })
  const read = readTextFile(nameOrFile, FILE_BYTES_MAX)
  const document = read.ok ? jsonIn(read.value) : undefined
  if (document === undefined)
    return err(`takes one of ${Object.keys(PROFILES).join(', ')}, or a file with a profile as JSON.`)
  const profile = parseProfile(document)
  if (profile.ok) return ok({ name: 'custom', profile: profile.value })
  const [first] = profile.error
  return err(`${nameOrFile}: ${first?.path === '' ? '' : `${first?.path}: `}${first?.message}.`)
}

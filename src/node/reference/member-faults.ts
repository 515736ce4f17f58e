import { fault, faultTable, numberValue, textValue, type FaultUse } from './fault.ts'
import type { Members } from './record-json.ts'

type Change = (members: Members, use: FaultUse) => Members

/** Rewrites the JSON text of members that are there; the others stay. */
const change =
  (changes: Readonly<Record<string, (json: string) => string>>): Change =>
  (members) =>
    members.map(([name, json]) => [name, changes[name]?.(json) ?? json])

const write = (name: string, json: string): Change => change({ [name]: () => json })

const quoted = (json: string): string => JSON.stringify(json)
const minus = (json: string): string => `-${json}`
const NUMBERS = ['stake_deployed', 'network_participation', 'threat_responses_executed', 'last_heartbeat']

/** Digits of a hex text in quotes, changed. */
const digits =
  (next: (digits: string) => string) =>
  (json: string): string =>
    JSON.stringify(`0x${next(json.slice(3, -1))}`)

const rotated = (hex: string): string => hex.slice(1) + hex.slice(0, 1)

const otherDigit = (hex: string): string => (hex.startsWith('0') ? '1' : '0') + hex.slice(1)

const MARKUP = '<img src=x onerror="window.__xss=1"><script>window.__xss=1</script>{{7*7}}${7*7}'

export const MEMBER_FAULTS = faultTable<Change>()({
  missing: fault(
    'leaves out this field',
    (members, { value }) => members.filter(([name]) => name !== value),
    textValue('stake_deployed'),
  ),
  'wrong-types': fault(
    'gives every field a wrong type',
    change({
      node_id: () => '17',
      status: () => '{"code":1}',
      stake_deployed: () => '[1]',
      network_participation: () => 'true',
      threat_responses_executed: () => '"many"',
      last_heartbeat: () => 'null',
      cryptographic_proof: () => '{}',
    }),
  ),
  'numbers-as-text': fault(
    'writes numbers as strings',
    change(Object.fromEntries(NUMBERS.map((name) => [name, quoted]))),
  ),
  negative: fault(
    'makes stake, participation and counter negative',
    change(Object.fromEntries(NUMBERS.slice(0, 3).map((name) => [name, minus]))),
  ),
  percent: fault(
    'writes participation as a percentage',
    change({ network_participation: (json) => (Number(json) * 100).toFixed(2) }),
  ),
  infinity: fault('writes stake as 1e400', write('stake_deployed', '1e400')),
  'negative-infinity': fault('writes stake as -1e400', write('stake_deployed', '-1e400')),
  big: fault(
    'writes a stake that a double rounds: 9007199254740993',
    write('stake_deployed', '9007199254740993'),
  ),
  tiny: fault('writes participation as 1e-400', write('network_participation', '1e-400')),
  denormal: fault(
    'writes participation as 5e-324, the smallest double',
    write('network_participation', '5e-324'),
  ),
  'negative-zero': fault('writes stake as -0', write('stake_deployed', '-0')),
  'nan-text': fault('writes participation as "NaN"', write('network_participation', '"NaN"')),
  'heartbeat-ms': fault(
    'writes the heartbeat in milliseconds',
    change({ last_heartbeat: (json) => `${json}000` }),
  ),
  'heartbeat-zero': fault('writes the heartbeat as 0', write('last_heartbeat', '0')),
  'heartbeat-negative': fault('writes a heartbeat before 1970', write('last_heartbeat', '-86400')),
  'heartbeat-fraction': fault(
    'writes the heartbeat with decimals',
    change({ last_heartbeat: (json) => `${json}.25` }),
  ),
  'heartbeat-text': fault(
    'writes the heartbeat as an ISO time',
    change({
      last_heartbeat: (json) => quoted(new Date(Number(json) * 1_000).toISOString()),
    }),
  ),
  'other-node': fault('reports another node than the one asked for', change({ node_id: digits(rotated) })),
  'id-upper-case': fault(
    'writes the node id in upper case',
    change({ node_id: digits((hex) => hex.toUpperCase()) }),
  ),
  'id-bare': fault('writes the node id without 0x', change({ node_id: (json) => json.replace('0x', '') })),
  'proof-short': fault(
    'cuts the proof to 8 digits',
    change({ cryptographic_proof: digits((hex) => hex.slice(0, 8)) }),
  ),
  'proof-wrong': fault('changes one digit of the proof', change({ cryptographic_proof: digits(otherDigit) })),
  'look-alike': fault('writes ACTIVE with a Cyrillic I', write('status', String.raw`"ACT\u0406VE"`)),
  'padded-status': fault('writes the status as " active "', write('status', '" active "')),
  bidi: fault(
    'puts direction marks, zero-width characters and NUL into the status',
    write('status', String.raw`"\u202eEVITCA\u202c\u200b\u2066\u0000\ufeff"`),
  ),
  surrogate: fault(
    'puts half of a surrogate pair into the status',
    write('status', String.raw`"ACTIVE\ud800"`),
  ),
  xss: fault(
    'puts markup and script into status and proof',
    change({ status: () => quoted(MARKUP), cryptographic_proof: () => quoted(MARKUP) }),
  ),
  'long-status': fault(
    'writes a status of this many characters',
    (members, use) => write('status', quoted('A'.repeat(Number(use.value))))(members, use),
    numberValue('chars', 1_000_000, 1, 1e8),
  ),
  'extra-fields': fault('adds fields that the interface does not describe', (members) => [
    ...members,
    ['software_version', '"2.4.1"'],
    ['peers', '{"connected":17,"known":31}'],
  ]),
  'duplicate-keys': fault('writes status twice, ACTIVE and then INACTIVE', (members) => [
    ...members,
    ['status', '"ACTIVE"'],
    ['status', '"INACTIVE"'],
  ]),
  proto: fault('adds a member named __proto__', (members) => [
    ['__proto__', '{"isAdmin":true,"status":"ACTIVE"}'],
    ...members,
  ]),
})

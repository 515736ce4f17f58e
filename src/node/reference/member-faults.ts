import type { ActiveFault } from './fault-state.ts'
import type { FaultsOf } from './faults.ts'
import type { Members } from './record-json.ts'

type MemberFault = FaultsOf<'members'>
type Change = (members: Members, fault: ActiveFault) => Members

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

const CHANGES: Readonly<Record<MemberFault, Change>> = {
  missing: (members, { value }) => members.filter(([name]) => name !== value),
  'wrong-types': change({
    node_id: () => '17',
    status: () => '{"code":1}',
    stake_deployed: () => '[1]',
    network_participation: () => 'true',
    threat_responses_executed: () => '"many"',
    last_heartbeat: () => 'null',
    cryptographic_proof: () => '{}',
  }),
  'numbers-as-text': change(Object.fromEntries(NUMBERS.map((name) => [name, quoted]))),
  negative: change(Object.fromEntries(NUMBERS.slice(0, 3).map((name) => [name, minus]))),
  percent: change({ network_participation: (json) => (Number(json) * 100).toFixed(2) }),
  infinity: write('stake_deployed', '1e400'),
  'negative-infinity': write('stake_deployed', '-1e400'),
  big: write('stake_deployed', '9007199254740993'),
  tiny: write('network_participation', '1e-400'),
  denormal: write('network_participation', '5e-324'),
  'negative-zero': write('stake_deployed', '-0'),
  'nan-text': write('network_participation', '"NaN"'),
  'heartbeat-ms': change({ last_heartbeat: (json) => `${json}000` }),
  'heartbeat-zero': write('last_heartbeat', '0'),
  'heartbeat-negative': write('last_heartbeat', '-86400'),
  'heartbeat-fraction': change({ last_heartbeat: (json) => `${json}.25` }),
  'heartbeat-text': change({
    last_heartbeat: (json) => quoted(new Date(Number(json) * 1_000).toISOString()),
  }),
  'other-node': change({ node_id: digits(rotated) }),
  'id-upper-case': change({ node_id: digits((hex) => hex.toUpperCase()) }),
  'id-bare': change({ node_id: (json) => json.replace('0x', '') }),
  'proof-short': change({ cryptographic_proof: digits((hex) => hex.slice(0, 8)) }),
  'proof-wrong': change({ cryptographic_proof: digits(otherDigit) }),
  'look-alike': write('status', String.raw`"ACT\u0406VE"`),
  'padded-status': write('status', '" active "'),
  bidi: write('status', String.raw`"\u202eEVITCA\u202c\u200b\u2066\u0000\ufeff"`),
  surrogate: write('status', String.raw`"ACTIVE\ud800"`),
  xss: change({ status: () => quoted(MARKUP), cryptographic_proof: () => quoted(MARKUP) }),
  'long-status': (members, fault) => write('status', quoted('A'.repeat(Number(fault.value))))(members, fault),
  'extra-fields': (members) => [
    ...members,
    ['software_version', '"2.4.1"'],
    ['peers', '{"connected":17,"known":31}'],
  ],
  'duplicate-keys': (members) => [...members, ['status', '"ACTIVE"'], ['status', '"INACTIVE"']],
  proto: (members) => [['__proto__', '{"isAdmin":true,"status":"ACTIVE"}'], ...members],
}

export const applyMemberFault = (fault: ActiveFault<MemberFault>, members: Members): Members =>
  CHANGES[fault.name](members, fault)

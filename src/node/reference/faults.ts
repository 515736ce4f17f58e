/**
 * Where a fault acts. `service`: on the whole service. `request`: on what arrives of a request. `cors`: on what pages may see.
 * `answer`: another answer in place of the real one, before any check of the signature.
 * `record`: another truth, reported and signed by the node in the right way. `proof`: a good
 * signature, over something else or by somebody else. `members`:
 * the record's JSON members, after the node signed them. `payload`: the body's bytes and
 * how they are declared. `delivery`: the way to the client. `switch`: picks other faults.
 */
export type FaultGroup =
  | 'service'
  | 'request'
  | 'cors'
  | 'answer'
  | 'record'
  | 'proof'
  | 'members'
  | 'payload'
  | 'delivery'
  | 'switch'

export type FaultValue = number | string

type FaultSpec = {
  readonly group: FaultGroup
  readonly about: string
  /** Absent: the fault takes no value. A number must lie between `min` and `max`. */
  readonly value?:
    | { readonly unit: string; readonly default: number; readonly min: number; readonly max: number }
    | { readonly unit: 'text'; readonly default: string }
}

const DAY_MS = 86_400_000
const number = (unit: string, fallback: number, min: number, max: number) => ({
  unit,
  default: fallback,
  min,
  max,
})
const text = (fallback: string) => ({ unit: 'text', default: fallback }) as const
const delayMs = (fallback: number) => number('ms', fallback, 0, DAY_MS)

/** Every fault that can be had, by name. Code, help, documentation and tests read this table. */
export const FAULTS = {
  refused: { group: 'service', about: 'stops listening: connections are refused (for all nodes only)' },
  'clock-offset': {
    group: 'service',
    about: "sets the service's clock off by this much (for all nodes only)",
    value: number('ms', 60_000, -10 * 365 * DAY_MS, 10 * 365 * DAY_MS),
  },

  'strip-authorization': {
    group: 'request',
    about: 'drops the Authorization header of requests, as some proxies do',
  },

  flap: {
    group: 'switch',
    about: 'answers and resets by turns, this many requests each',
    value: number('requests', 1, 1, 1e6),
  },
  chaos: {
    group: 'switch',
    about: 'a random common fault for this share of requests',
    value: number('rate', 0.1, 0, 1),
  },

  late: { group: 'delivery', about: 'answers after this long', value: delayMs(2_000) },
  hang: { group: 'delivery', about: 'accepts the request and never answers' },
  'headers-then-hang': { group: 'delivery', about: 'sends headers, then nothing' },
  drip: { group: 'delivery', about: 'sends the body byte by byte, one each so often', value: delayMs(1_000) },
  reset: { group: 'delivery', about: 'resets the connection before any answer' },
  'reset-in-body': { group: 'delivery', about: 'resets the connection in the middle of the body' },
  truncated: { group: 'delivery', about: 'ends in the middle of the body: Content-Length says more' },
  'bad-chunk': { group: 'delivery', about: 'breaks the chunked encoding' },
  'not-http': { group: 'delivery', about: 'answers with something that is not HTTP' },
  'early-hints': { group: 'delivery', about: 'sends an informational 103 before the answer' },

  'no-cors': { group: 'cors', about: 'leaves out every CORS header' },
  'wrong-origin': { group: 'cors', about: 'allows another page only' },
  'any-origin': { group: 'cors', about: 'allows every page with "*"' },
  'preflight-401': { group: 'cors', about: 'answers preflight requests with 401' },
  'preflight-hang': { group: 'cors', about: 'never answers preflight requests' },

  status: {
    group: 'answer',
    about: 'answers with this status and a problem body',
    value: number('status', 500, 200, 999),
  },
  'status-400': { group: 'answer', about: 'answers 400' },
  'status-401': { group: 'answer', about: 'answers 401' },
  'status-403': { group: 'answer', about: 'answers 403' },
  'status-403-html': { group: 'answer', about: "answers 403 with a firewall's web page" },
  'status-404': { group: 'answer', about: 'answers 404' },
  'status-429': {
    group: 'answer',
    about: 'answers 429; Retry-After in seconds',
    value: number('s', 30, 0, 1e12),
  },
  'status-429-bare': { group: 'answer', about: 'answers 429 without Retry-After' },
  'status-429-date': {
    group: 'answer',
    about: 'answers 429; Retry-After as a date, this far ahead',
    value: number('s', 30, -1e6, 1e10),
  },
  'status-429-bad': {
    group: 'answer',
    about: 'answers 429 with an unreadable Retry-After',
    value: text('soon'),
  },
  'status-500': { group: 'answer', about: 'answers 500' },
  'status-502': { group: 'answer', about: "answers 502 with a gateway's web page" },
  'status-502-no-cors': {
    group: 'answer',
    about: "answers 502 with a gateway's web page that no other page may read",
  },
  'status-503': {
    group: 'answer',
    about: 'answers 503; Retry-After in seconds',
    value: number('s', 5, 0, 1e12),
  },
  'status-504': { group: 'answer', about: "answers 504 with a gateway's web page" },
  'status-599': { group: 'answer', about: 'answers 599' },
  'status-204': { group: 'answer', about: 'answers 204, no content' },
  'status-206': { group: 'payload', about: 'answers 206 with the record' },
  'status-304': { group: 'answer', about: 'answers 304, not modified' },
  'error-hostile': { group: 'answer', about: 'answers 500 with a huge page full of scripts' },
  'redirect-other': {
    group: 'answer',
    about: 'redirects to another address',
    value: text('http://127.0.0.1:9/'),
  },
  'redirect-loop': { group: 'answer', about: 'redirects to itself' },
  'redirect-login': { group: 'answer', about: 'redirects to a login page' },
  html: { group: 'answer', about: 'answers 200 with a login page, as a captive portal does' },
  empty: { group: 'answer', about: 'answers 200 with an empty body' },

  'counter-restart': {
    group: 'record',
    about: 'threat responses count from 0 again, from the moment this is set',
  },
  'counter-jump': {
    group: 'record',
    about: 'adds this to threat responses',
    value: number('count', 1e12, 0, 1e17),
  },
  'silent-heartbeat': {
    group: 'record',
    about: 'the heartbeat stands still since this long before the fault was set',
    value: number('s', 0, 0, 1e9),
  },
  'heartbeat-backwards': {
    group: 'record',
    about: 'each answer reports a heartbeat this much older',
    value: number('s', 60, 1, 1e6),
  },
  'heartbeat-future': {
    group: 'record',
    about: 'the heartbeat lies this far ahead',
    value: number('s', 3_600, 0, 1e9),
  },
  'status-word': { group: 'record', about: 'reports this status', value: text('DRAINING') },
  stake: {
    group: 'record',
    about: 'reports this stake',
    value: number('units', 0, 0, Number.MAX_SAFE_INTEGER),
  },
  participation: {
    group: 'record',
    about: 'reports this participation',
    value: number('ratio', 0.5, 0, 1e6),
  },

  'proof-of-other-data': {
    group: 'proof',
    about: 'proves, by a good signature, the record as it was this long ago in place of this one',
    value: number('s', 86_400, 1, 1e9),
  },
  'proof-by-other-node': { group: 'proof', about: 'has another node sign the proof of this record' },

  missing: { group: 'members', about: 'leaves out this field', value: text('stake_deployed') },
  'wrong-types': { group: 'members', about: 'gives every field a wrong type' },
  'numbers-as-text': { group: 'members', about: 'writes numbers as strings' },
  negative: { group: 'members', about: 'makes stake, participation and counter negative' },
  percent: { group: 'members', about: 'writes participation as a percentage' },
  infinity: { group: 'members', about: 'writes stake as 1e400' },
  'negative-infinity': { group: 'members', about: 'writes stake as -1e400' },
  big: { group: 'members', about: 'writes a stake that a double rounds: 9007199254740993' },
  tiny: { group: 'members', about: 'writes participation as 1e-400' },
  denormal: { group: 'members', about: 'writes participation as 5e-324, the smallest double' },
  'negative-zero': { group: 'members', about: 'writes stake as -0' },
  'nan-text': { group: 'members', about: 'writes participation as "NaN"' },
  'heartbeat-ms': { group: 'members', about: 'writes the heartbeat in milliseconds' },
  'heartbeat-zero': { group: 'members', about: 'writes the heartbeat as 0' },
  'heartbeat-negative': { group: 'members', about: 'writes a heartbeat before 1970' },
  'heartbeat-fraction': { group: 'members', about: 'writes the heartbeat with decimals' },
  'heartbeat-text': { group: 'members', about: 'writes the heartbeat as an ISO time' },
  'other-node': { group: 'members', about: 'reports another node than the one asked for' },
  'id-upper-case': { group: 'members', about: 'writes the node id in upper case' },
  'id-bare': { group: 'members', about: 'writes the node id without 0x' },
  'proof-short': { group: 'members', about: 'cuts the proof to 8 digits' },
  'proof-wrong': { group: 'members', about: 'changes one digit of the proof' },
  'look-alike': { group: 'members', about: 'writes ACTIVE with a Cyrillic I' },
  'padded-status': { group: 'members', about: 'writes the status as " active "' },
  bidi: { group: 'members', about: 'puts direction marks, zero-width characters and NUL into the status' },
  surrogate: { group: 'members', about: 'puts half of a surrogate pair into the status' },
  xss: { group: 'members', about: 'puts markup and script into status and proof' },
  'long-status': {
    group: 'members',
    about: 'writes a status of this many characters',
    value: number('chars', 1_000_000, 1, 1e8),
  },
  'extra-fields': { group: 'members', about: 'adds fields that the interface does not describe' },
  'duplicate-keys': { group: 'members', about: 'writes status twice, ACTIVE and then INACTIVE' },
  proto: { group: 'members', about: 'adds a member named __proto__' },
  'proto-only': { group: 'payload', about: 'answers with a member named __proto__ alone' },

  nan: { group: 'payload', about: 'writes NaN without quotes' },
  'truncated-json': { group: 'payload', about: 'ends the JSON in the middle, but the body properly' },
  'trailing-bytes': { group: 'payload', about: 'adds text after the JSON' },
  'utf-16': { group: 'payload', about: 'writes the JSON in UTF-16' },
  bom: { group: 'payload', about: 'puts a byte order mark in front' },
  null: { group: 'payload', about: 'answers null' },
  array: { group: 'payload', about: 'answers []' },
  string: { group: 'payload', about: 'answers "ACTIVE"' },
  deep: {
    group: 'payload',
    about: 'answers arrays nested this deep',
    value: number('levels', 200_000, 1, 1e7),
  },
  padding: {
    group: 'payload',
    about: 'puts this many spaces in front of the record',
    value: number('bytes', 5_000_000, 0, 1e9),
  },
  'big-body': {
    group: 'payload',
    about: 'answers with a body of this size that never becomes a record',
    value: number('bytes', 100_000_000, 1, 1e10),
  },
  'gzip-bomb': {
    group: 'payload',
    about: 'unpacks to this many bytes',
    value: number('bytes', 2 ** 30, 2 ** 20, 2 ** 32 - 2 ** 21),
  },
  'bad-gzip': { group: 'payload', about: 'declares gzip, sends something else' },
  'wrong-encoding': { group: 'payload', about: 'declares zstd, sends plain JSON' },
  cached: { group: 'payload', about: 'answers with the same old body for ever, with its Age' },
  fuzz: {
    group: 'payload',
    about: 'damages the body at random, differently each time; seed',
    value: number('seed', 1, 0, 2 ** 31),
  },
} as const satisfies Record<string, FaultSpec>

export type FaultName = keyof typeof FAULTS

/** The names of one group, so that the compiler misses none where a group is carried out. */
export type FaultsOf<G extends FaultGroup> = {
  [Name in FaultName]: (typeof FAULTS)[Name]['group'] extends G ? Name : never
}[FaultName]

export const FAULT_NAMES: readonly FaultName[] = Object.keys(FAULTS).filter(isFaultName)

export function isFaultName(name: string): name is FaultName {
  return Object.hasOwn(FAULTS, name)
}

export const specOf = (name: FaultName): FaultSpec => FAULTS[name]

export const groupOf = (name: FaultName): FaultGroup => specOf(name).group

/** A fault on one node or, with "*", on all. */
export type FaultOrder = {
  readonly node: string
  readonly name: FaultName
  readonly value: FaultValue | undefined
}

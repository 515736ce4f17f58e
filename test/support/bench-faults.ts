import { DAY_MS } from '#base/time.ts'
import { constants, deflateRawSync } from 'node:zlib'
import type { Members } from '#reference/record-json.ts'
import {
  emptyAnswer,
  numberValue,
  problemOf,
  PRODUCT_FAULTS,
  type Fault,
  type FaultTable,
  type FaultUse,
  type ValueForm,
} from '#reference/faults.ts'
import { problemAnswer, send, withLength, type Answer, type Delivery } from '#reference/problem.ts'
import { draw, seedWords } from '#reference/random.ts'

/*
 * The faults of the test bench, one entry each: description, effect and value. The help, the control address and the
 * tests read this table. A checkout's command line includes it; the published package does not.
 */

type Act = Omit<Fault, 'about' | 'value'>

const textValue = (fallback: string): ValueForm => ({ unit: 'text', default: fallback })

const of =
  <Hook extends keyof Act>(hook: Hook) =>
  (about: string, act: NonNullable<Act[Hook]>, value?: ValueForm): Fault => ({
    about,
    [hook]: act,
    ...(value !== undefined && { value }),
  })

const [
  insteadFault,
  recordFault,
  proofFault,
  membersFault,
  payloadFault,
  deliverFault,
  corsFault,
  preflightFault,
  requestFault,
] = [
  of('instead'),
  of('record'),
  of('proof'),
  of('members'),
  of('payload'),
  of('deliver'),
  of('cors'),
  of('preflight'),
  of('request'),
]

const utf8 = (json: string): Uint8Array => Buffer.from(json)

const page = (status: number, title: string, text: string): Answer => ({
  status,
  headers: { 'Content-Type': 'text/html; charset=utf-8' },
  body: utf8(
    `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1>${text}</body></html>`,
  ),
})

const redirect = (location: string): Answer => ({ ...emptyAnswer(302), headers: { Location: location } })

const gateway = (status: number, title: string): Answer => page(status, `${status} ${title}`, '<hr>gateway')

const loginPage = (): Answer =>
  page(
    200,
    'Sign in',
    '<form action="/login"><input name="user"><input name="password" type="password"></form>',
  )

const HOSTILE = '<script>window.__xss=1</script><img src=x onerror="window.__xss=1">\u202e'

type Change = (members: Members, use: FaultUse) => Members

/** Rewrites the JSON text of the named members; the others keep theirs. */
const change =
  (changes: Readonly<Record<string, (json: string) => string>>): Change =>
  (members) =>
    members.map(([name, json]) => [name, changes[name]?.(json) ?? json])

const write = (name: string, json: string): Change => change({ [name]: () => json })

const quoted = (json: string): string => JSON.stringify(json)
const minus = (json: string): string => `-${json}`
const NUMBERS = ['stake_deployed', 'network_participation', 'threat_responses_executed', 'last_heartbeat']

/** Changes digits of a quoted hex string. */
const digits =
  (next: (digits: string) => string) =>
  (json: string): string =>
    JSON.stringify(`0x${next(json.slice(3, -1))}`)

const rotated = (hex: string): string => hex.slice(1) + hex.slice(0, 1)

const otherDigit = (hex: string): string => (hex.startsWith('0') ? '1' : '0') + hex.slice(1)

const MARKUP = '<img src=x onerror="window.__xss=1"><script>window.__xss=1</script>{{7*7}}${7*7}'

const ofText = (text: string): Partial<Answer> => ({ body: utf8(text) })
const spaces = (json: string, count: number): Partial<Answer> => ({ body: repeated(' ', count, json) })

const CHUNK_BYTES = 65_536

function* repeated(fill: string, count: number, end: string): Generator<Uint8Array> {
  const chunk = utf8(fill.repeat(CHUNK_BYTES))
  for (let left = count; left > 0; left -= CHUNK_BYTES) yield chunk.subarray(0, Math.min(left, CHUNK_BYTES))
  yield utf8(end)
}

const FAULTS = {
  ...PRODUCT_FAULTS.faults,
  'strip-authorization': requestFault(
    'drops the Authorization header of requests, as some proxies do',
    (headers) => ({ ...headers, authorization: undefined }),
  ),
  'no-cors': corsFault('leaves out every CORS header', () => ({})),
  'wrong-origin': corsFault('allows only another page', (headers) => ({
    ...headers,
    'Access-Control-Allow-Origin': 'https://other.example',
  })),
  'any-origin': corsFault('allows every page with "*"', (headers) => ({
    ...headers,
    'Access-Control-Allow-Origin': '*',
  })),
  'preflight-401': preflightFault('answers preflight requests with 401', () =>
    problemAnswer('credentials-missing'),
  ),
  'preflight-hang': preflightFault('never answers preflight requests', () => undefined),
  'preflight-each': preflightFault(
    'makes preflights uncacheable, so that each request needs its own',
    (answer) => ({
      ...answer,
      headers: {
        ...answer.headers,
        ...('Access-Control-Max-Age' in answer.headers && { 'Access-Control-Max-Age': '0' }),
      },
    }),
  ),
  // Faults that replace the answer before the service checks the signature.
  'status-400': insteadFault('answers 400', () => problemOf(400)),
  'status-401': insteadFault('answers 401', () =>
    problemOf(401, { 'WWW-Authenticate': 'Bearer realm="immune-node", error="invalid_token"' }),
  ),
  'status-403': insteadFault('answers 403', () => problemOf(403)),
  'status-403-html': insteadFault("answers 403 with a firewall's web page", () =>
    page(403, 'Access denied', 'Your request was blocked. Incident 17.'),
  ),
  'status-404': insteadFault('answers 404', () => problemOf(404)),
  'status-429': insteadFault(
    'answers 429; Retry-After in seconds',
    ({ value }) => problemOf(429, { 'Retry-After': String(value) }),
    numberValue('s', 30, 0, 1e12),
  ),
  'status-429-bare': insteadFault('answers 429 without Retry-After', () => problemOf(429)),
  'status-429-date': insteadFault(
    'answers 429; Retry-After as a date, this far ahead',
    ({ value, nowMs }) => problemOf(429, { 'Retry-After': new Date(nowMs + value * 1_000).toUTCString() }),
    numberValue('s', 30, -1e6, 1e10),
  ),
  'status-429-bad': insteadFault(
    'answers 429 with an unreadable Retry-After',
    ({ text }) => problemOf(429, { 'Retry-After': text.replace(/[^\x20-\x7e]/g, '?') }),
    textValue('soon'),
  ),
  'status-500': insteadFault('answers 500', () => problemOf(500)),
  'status-502': insteadFault("answers 502 with a gateway's web page", () => gateway(502, 'Bad Gateway')),
  'status-502-no-cors': {
    ...insteadFault("answers 502 with a gateway's web page that no other page may read", () =>
      gateway(502, 'Bad Gateway'),
    ),
    cors: () => ({}),
  },
  'status-503': insteadFault(
    'answers 503; Retry-After in seconds',
    ({ value }) => problemOf(503, { 'Retry-After': String(value) }),
    numberValue('s', 5, 0, 1e12),
  ),
  'status-504': insteadFault("answers 504 with a gateway's web page", () => gateway(504, 'Gateway Timeout')),
  'status-599': insteadFault('answers 599', () => problemOf(599)),
  'status-204': insteadFault('answers 204, no content', () => emptyAnswer(204)),
  'status-304': insteadFault('answers 304, not modified', () => emptyAnswer(304)),
  'error-hostile': insteadFault('answers 500 with a huge page full of scripts', () =>
    page(500, HOSTILE, HOSTILE.repeat(10_000)),
  ),
  'redirect-other': insteadFault(
    'redirects to another address',
    ({ text }) => redirect(encodeURI(text)),
    textValue('http://127.0.0.1:9/'),
  ),
  'redirect-loop': insteadFault('redirects to itself', ({ url }) => redirect(url)),
  'redirect-login': {
    ...insteadFault('redirects to a login page', () => redirect('/login')),
    page: { path: '/login', answer: loginPage },
  },
  html: insteadFault('answers 200 with a login page, as a captive portal does', loginPage),
  empty: insteadFault('answers 200 with an empty body', () => ({
    ...emptyAnswer(200),
    headers: { 'Content-Type': 'application/json' },
  })),
  // Faults in how the answer travels to the client.
  'headers-then-hang': deliverFault('sends headers, then nothing', ({ response, answer }) => {
    response.writeHead(answer.status, withLength(answer, bytesOf(answer).length))
    response.flushHeaders()
  }),
  drip: deliverFault(
    'sends the body one byte at a time, this long apart',
    (delivery, everyMs) => {
      const { response, answer } = delivery
      const bytes = bytesOf(answer)
      response.writeHead(answer.status, withLength(answer, bytes.length))
      response.flushHeaders()
      dripFrom(delivery, bytes, 0, everyMs)
    },
    numberValue('ms', 1_000, 0, DAY_MS),
  ),
  'reset-in-body': deliverFault(
    'resets the connection in the middle of the body',
    ({ request, response, answer }) => {
      const bytes = bytesOf(answer)
      response.writeHead(answer.status, withLength(answer, bytes.length))
      response.write(half(bytes), () => request.socket.resetAndDestroy())
    },
  ),
  truncated: deliverFault(
    'ends in the middle of the body: Content-Length says more',
    ({ request, response, answer }) => {
      const bytes = bytesOf(answer)
      response.writeHead(answer.status, withLength(answer, bytes.length))
      response.write(half(bytes), () => request.socket.end())
    },
  ),
  'bad-chunk': deliverFault('breaks the chunked encoding', ({ request, answer }) => {
    const head = { ...answer.headers, 'Transfer-Encoding': 'chunked' }
    request.socket.end(`${rawHead(answer.status, head)}10\r\n{"node_id":"0x12\r\nnot a size\r\n`)
  }),
  'not-http': deliverFault('answers with something that is not HTTP', ({ request }) =>
    request.socket.end('SSH-2.0-OpenSSH_9.2\r\n'),
  ),
  'early-hints': deliverFault('sends an informational 103 before the answer', (delivery) => {
    delivery.response.writeEarlyHints({ link: '</openapi.json>; rel=preload; as=fetch' }, () =>
      send(delivery),
    )
  }),
  // Faults in a node's own data, which the node signs correctly.
  'counter-restart': recordFault(
    'threat responses count from 0 again once this is set',
    (state, use, at) => ({
      ...state,
      threatResponses: Math.max(0, state.threatResponses - at(use.setAtMs).threatResponses),
    }),
  ),
  'counter-jump': recordFault(
    'adds this to threat responses',
    (state, { value }) => ({ ...state, threatResponses: state.threatResponses + Number(value) }),
    numberValue('count', 1e12, 0, 1e17),
  ),
  'silent-heartbeat': recordFault(
    'the heartbeat stopped this long before the fault was set',
    (state, { value, setAtMs }, at) => ({
      ...state,
      lastHeartbeat: at(setAtMs).lastHeartbeat - Number(value),
    }),
    numberValue('s', 0, 0, 1e9),
  ),
  'heartbeat-backwards': recordFault(
    'each answer reports a heartbeat this much older',
    (state, { value, setAtMs, hits }, at) => ({
      ...state,
      lastHeartbeat: at(setAtMs).lastHeartbeat - Number(value) * hits,
    }),
    numberValue('s', 60, 1, 1e6),
  ),
  'heartbeat-future': recordFault(
    'the heartbeat is this far in the future',
    (state, { value }) => ({ ...state, lastHeartbeat: state.lastHeartbeat + Number(value) }),
    numberValue('s', 3_600, 0, 1e9),
  ),
  'status-word': recordFault(
    'reports this status',
    (state, { value }) => ({ ...state, status: String(value) }),
    textValue('DRAINING'),
  ),
  stake: recordFault(
    'reports this stake',
    (state, { value }) => ({ ...state, stake: Number(value) }),
    numberValue('units', 0, 0, Number.MAX_SAFE_INTEGER),
  ),
  participation: recordFault(
    'reports this participation',
    (state, { value }) => ({ ...state, participation: Number(value) }),
    numberValue('ratio', 0.5, 0, 1e6),
  ),
  // Valid signatures of other data, or by another node.
  'proof-of-other-data': proofFault(
    'signs the record from this long ago instead of the current one',
    (proving, { value }, { at, atMs }) => ({ ...proving, proven: at(atMs - Number(value) * 1_000) }),
    numberValue('s', 86_400, 1, 1e9),
  ),
  'proof-by-other-node': proofFault(
    'has another node sign the proof of this record',
    (proving, _use, { count, index }) => ({
      ...proving,
      // Also works with a single node, because the directory derives a key for any index.
      signer: count === 1 ? 1 : (index + 1) % count,
    }),
  ),
  // Faults in the record's JSON members, introduced after signing.
  missing: membersFault(
    'leaves out this field',
    (members, { value }) => members.filter(([name]) => name !== value),
    textValue('stake_deployed'),
  ),
  'wrong-types': membersFault(
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
  'numbers-as-text': membersFault(
    'writes numbers as strings',
    change(Object.fromEntries(NUMBERS.map((name) => [name, quoted]))),
  ),
  negative: membersFault(
    'makes stake, participation and counter negative',
    change(Object.fromEntries(NUMBERS.slice(0, 3).map((name) => [name, minus]))),
  ),
  percent: membersFault(
    'writes participation as a percentage',
    change({ network_participation: (json) => (Number(json) * 100).toFixed(2) }),
  ),
  infinity: membersFault('writes stake as 1e400', write('stake_deployed', '1e400')),
  'negative-infinity': membersFault('writes stake as -1e400', write('stake_deployed', '-1e400')),
  big: membersFault(
    'writes a stake that a double rounds: 9007199254740993',
    write('stake_deployed', '9007199254740993'),
  ),
  tiny: membersFault('writes participation as 1e-400', write('network_participation', '1e-400')),
  denormal: membersFault(
    'writes participation as 5e-324, the smallest double',
    write('network_participation', '5e-324'),
  ),
  'negative-zero': membersFault('writes stake as -0', write('stake_deployed', '-0')),
  'nan-text': membersFault('writes participation as "NaN"', write('network_participation', '"NaN"')),
  'heartbeat-ms': membersFault(
    'writes the heartbeat in milliseconds',
    change({ last_heartbeat: (json) => `${json}000` }),
  ),
  'heartbeat-zero': membersFault('writes the heartbeat as 0', write('last_heartbeat', '0')),
  'heartbeat-negative': membersFault('writes a heartbeat before 1970', write('last_heartbeat', '-86400')),
  'heartbeat-fraction': membersFault(
    'writes the heartbeat with decimals',
    change({ last_heartbeat: (json) => `${json}.25` }),
  ),
  'heartbeat-text': membersFault(
    'writes the heartbeat as an ISO time',
    change({
      last_heartbeat: (json) => quoted(new Date(Number(json) * 1_000).toISOString()),
    }),
  ),
  'other-node': membersFault(
    'reports a node other than the requested one',
    change({ node_id: digits(rotated) }),
  ),
  'id-upper-case': membersFault(
    'writes the node id in upper case',
    change({ node_id: digits((hex) => hex.toUpperCase()) }),
  ),
  'id-bare': membersFault(
    'writes the node id without 0x',
    change({ node_id: (json) => json.replace('0x', '') }),
  ),
  'proof-short': membersFault(
    'cuts the proof to 8 digits',
    change({ cryptographic_proof: digits((hex) => hex.slice(0, 8)) }),
  ),
  'proof-wrong': membersFault(
    'changes one digit of the proof',
    change({ cryptographic_proof: digits(otherDigit) }),
  ),
  'look-alike': membersFault('writes ACTIVE with a Cyrillic I', write('status', String.raw`"ACT\u0406VE"`)),
  'padded-status': membersFault('writes the status as " active "', write('status', '" active "')),
  bidi: membersFault(
    'puts direction marks, zero-width characters and NUL into the status',
    write('status', String.raw`"\u202eEVITCA\u202c\u200b\u2066\u0000\ufeff"`),
  ),
  surrogate: membersFault(
    'puts half of a surrogate pair into the status',
    write('status', String.raw`"ACTIVE\ud800"`),
  ),
  xss: membersFault(
    'puts markup and script into status and proof',
    change({ status: () => quoted(MARKUP), cryptographic_proof: () => quoted(MARKUP) }),
  ),
  'long-status': membersFault(
    'writes a status of this many characters',
    (members, use) => write('status', quoted('A'.repeat(Number(use.value))))(members, use),
    numberValue('chars', 1_000_000, 1, 1e8),
  ),
  'extra-fields': membersFault('adds fields that the interface does not describe', (members) => [
    ...members,
    ['software_version', '"2.4.1"'],
    ['peers', '{"connected":17,"known":31}'],
  ]),
  'duplicate-keys': membersFault('writes status twice, ACTIVE and then INACTIVE', (members) => [
    ...members,
    ['status', '"ACTIVE"'],
    ['status', '"INACTIVE"'],
  ]),
  proto: membersFault('adds a member named __proto__', (members) => [
    ['__proto__', '{"isAdmin":true,"status":"ACTIVE"}'],
    ...members,
  ]),
  // Faults in the body's bytes and the headers that describe them.
  'status-206': payloadFault('answers 206 with the record', () => ({
    status: 206,
    headers: { 'Content-Range': 'bytes 0-99/200' },
  })),
  'proto-only': payloadFault('answers with a member named __proto__ alone', () =>
    ofText('{"__proto__":{"isAdmin":true,"status":"ACTIVE"}}'),
  ),
  nan: payloadFault('writes NaN without quotes', ({ json }) =>
    ofText(json.replace(/"network_participation":[^,}]+/, '"network_participation":NaN')),
  ),
  'truncated-json': payloadFault('cuts the JSON off in the middle, but completes the HTTP body', ({ json }) =>
    ofText(json.slice(0, Math.floor(json.length / 2))),
  ),
  'trailing-bytes': payloadFault('adds text after the JSON', ({ json }) => ofText(`${json}\n{"more":true}`)),
  'utf-16': payloadFault('writes the JSON in UTF-16', ({ json }) => ({
    body: Buffer.from(`\ufeff${json}`, 'utf16le'),
  })),
  bom: payloadFault('puts a byte order mark in front', ({ json }) => ofText(`\ufeff${json}`)),
  null: payloadFault('answers null', () => ofText('null')),
  array: payloadFault('answers []', () => ofText('[]')),
  string: payloadFault('answers "ACTIVE"', () => ofText('"ACTIVE"')),
  deep: payloadFault(
    'answers arrays nested this deep',
    ({ use }) => ofText('['.repeat(Number(use.value)) + ']'.repeat(Number(use.value))),
    numberValue('levels', 200_000, 1, 1e7),
  ),
  padding: payloadFault(
    'puts this many spaces in front of the record',
    ({ json, use }) => spaces(json, Number(use.value)),
    numberValue('bytes', 5_000_000, 0, 1e9),
  ),
  'big-body': payloadFault(
    'answers with a body of this size that never becomes a record',
    ({ use }) => ({ body: repeated('[', Number(use.value), '') }),
    numberValue('bytes', 100_000_000, 1, 1e10),
  ),
  'gzip-bomb': payloadFault(
    'sends a gzip body that expands to this many bytes',
    ({ use }) => ({
      headers: { 'Content-Encoding': 'gzip' },
      body: gzipBomb(Number(use.value)),
    }),
    numberValue('bytes', 2 ** 30, 2 ** 20, 2 ** 32 - 2 ** 21),
  ),
  'bad-gzip': payloadFault('declares gzip, sends something else', ({ json }) => ({
    headers: { 'Content-Encoding': 'gzip' },
    body: utf8(json),
  })),
  'wrong-encoding': payloadFault('declares zstd, sends plain JSON', ({ json }) => ({
    headers: { 'Content-Encoding': 'zstd' },
    body: utf8(json),
  })),
  cached: payloadFault('answers with the same old body forever, with its Age', ({ json, use, nowMs }) => {
    use.kept ??= JSON.stringify([nowMs, json])
    const [sinceMs, kept]: [number, string] = JSON.parse(use.kept)
    return { headers: { Age: String(Math.floor((nowMs - sinceMs) / 1_000)) }, body: utf8(kept) }
  }),
  fuzz: payloadFault(
    'damages the body at random, differently each time, from this seed',
    ({ json, use }) => ofText(damaged(json, Number(use.value), use.hits)),
    numberValue('seed', 1, 0, 2 ** 31),
  ),
}

export type FaultName = keyof typeof FAULTS

const isFaultName = (name: string): name is FaultName => Object.hasOwn(FAULTS, name)

export const FAULT_NAMES: readonly FaultName[] = Object.keys(FAULTS).filter(isFaultName)

/** Every fault. `chaos` lists those that real networks and gateways show now and then. */
export const BENCH_FAULTS: FaultTable = {
  faults: FAULTS,
  chaos: [
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
  ],
}

const SNIPPETS = '" { } , : null - 1e999 \\u0000 \u202e [ 0 true \\'.split(' ')

/** One to four random corruptions, reproducible from seed and turn. */
export function damaged(json: string, seed: number, turn: number): string {
  const words = seedWords(`fuzz ${seed}`)
  const damages = 1 + Math.floor(draw(words, turn, 0) * 4)
  let text = json
  for (let i = 1; i <= damages; i++) {
    const at = Math.floor(draw(words, turn, i, 0) * text.length)
    const length = Math.floor(draw(words, turn, i, 1) * 12)
    const kind = draw(words, turn, i, 2)
    const snippet = SNIPPETS[Math.floor(draw(words, turn, i, 3) * SNIPPETS.length)] ?? ''
    if (kind < 0.35) text = text.slice(0, at) + text.slice(at + length)
    else if (kind < 0.7) text = text.slice(0, at) + snippet + text.slice(at)
    else text = text.slice(0, at) + text.slice(at, at + length).repeat(3) + text.slice(at)
  }
  return text
}

const BLOCK_BYTES = 2 ** 20
const GZIP_HEADER = Uint8Array.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])

/**
 * A gzip body that expands to this many bytes, rounded up to whole MiB. It repeats one block, which a full flush makes
 * independent of the blocks before it. The checksum at the end is missing, so a client that reads everything only then
 * learns that the body was cut off; by that time the damage under test is done.
 */
function* gzipBomb(bytes: number): Generator<Uint8Array> {
  yield GZIP_HEADER
  const block = deflateRawSync(' '.repeat(BLOCK_BYTES), { level: 9, finishFlush: constants.Z_FULL_FLUSH })
  for (let sent = 0; sent < bytes; sent += BLOCK_BYTES) yield block
}

function dripFrom(delivery: Delivery, bytes: Uint8Array, at: number, everyMs: number): void {
  const { response, clock } = delivery
  if (at >= bytes.length) {
    response.end()
    return
  }
  const cancel = clock.after(everyMs, () => {
    response.removeListener('close', cancel)
    response.write(bytes.subarray(at, at + 1))
    dripFrom(delivery, bytes, at + 1, everyMs)
  })
  response.once('close', cancel)
}

const rawHead = (status: number, headers: Readonly<Record<string, string>>): string =>
  [
    `HTTP/1.1 ${status} On Demand`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n')

const half = (bytes: Uint8Array): Uint8Array => bytes.subarray(0, Math.ceil(bytes.length / 2))

/** Cuts a streamed body to its first chunks, because these deliveries never finish it. */
function bytesOf({ body }: Answer): Uint8Array {
  if (body instanceof Uint8Array) return body
  const first = Array.from(take(body, 4))
  return Buffer.concat(first)
}

function* take<T>(items: Iterable<T>, count: number): Generator<T> {
  let taken = 0
  for (const item of items) {
    if (taken++ >= count) return
    yield item
  }
}

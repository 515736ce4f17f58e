import { DAY_MS } from '#base/time.ts'
import { randomBytes } from 'node:crypto'
import type { Clock } from '#base/clock.ts'
import { bytesToHex } from '#base/bytes.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { orUndefined, type Result } from '#base/result.ts'
import { signRequest } from '#keys/create-signer.ts'
import type { UsableKey } from '#keys/signing-key.ts'
import type { HttpAnswer, HttpFailure, HttpRequest } from '#node/http-client.ts'
import type { Profile } from '#signing/profile.ts'
import { NONCE_BYTES, statusUrl } from '#signing/signing-values.ts'
import type { SignedHeaders } from '#signing/signer.ts'
import { profileOf } from '#signing/presets.ts'
import { offsetFromDate, offsetMs } from '#record/clock-offset.ts'
import type { ProbeOptions } from './probe-options.ts'

/** `warning`: works, but weakens a guarantee or makes faults harder to find. */
export type CheckState = 'ok' | 'warning' | 'failed' | 'skipped'

export type Check = {
  readonly id: string
  readonly state: CheckState
  readonly title: string
  /** The result, and the expected one if they differ. */
  readonly said: string
}

type Reply = Result<HttpAnswer, HttpFailure>

type ConformancePorts = Pick<ProbeOptions, 'service' | 'origin' | 'burst'> & {
  readonly clock: Clock
  readonly send: (request: HttpRequest) => Promise<Reply>
  readonly nodeId: string
  /** A key that is registered with the service. */
  readonly key: UsableKey
}

/** Sends requests that a correct client never sends, one after the other except for the burst. */
export async function checkConformance(ports: ConformancePorts): Promise<readonly Check[]> {
  const profile = profileOf(ports.service)
  if (profile === undefined || profile.message.kind === 'none') return []
  const { nodeId } = ports
  const ask = createAsk(ports, profile)
  const good = await ask({ nodeId })
  return [
    date(good, ports.clock.wallMs()),
    size(good),
    expectStatus('unsigned', 'A request without a signature', 401, await ask({ nodeId, signature: 'none' })),
    expectStatus(
      'wrong-signature',
      'A request with a wrong signature',
      401,
      await ask({ nodeId, signature: 'wrong' }),
    ),
    expectStatus('bad-id', 'An invalid node id', 400, await ask({ nodeId: '0xzz' })),
    expectStatus('unknown-node', 'An unknown node id', 404, await ask({ nodeId: unknownLike(nodeId) })),
    await replayed(ask, nodeId, profile),
    await outdated(ask, nodeId, profile, ports.clock.wallMs() - OUTDATED_MS),
    ...(await crossOrigin(ports, ask, profile)),
    await limited(ports, ask),
  ]
}

type Wanted = {
  readonly nodeId: string
  readonly signature?: 'right' | 'wrong' | 'none'
  /** Sends these headers again instead. */
  readonly signed?: SignedHeaders
  readonly atMs?: number
  readonly more?: Readonly<Record<string, string>>
}

function createAsk({ clock, send, service, key }: ConformancePorts, profile: Profile) {
  return async ({ nodeId, signature = 'right', signed: given, atMs = clock.wallMs(), more = {} }: Wanted) => {
    const signed =
      given ??
      (await signRequest(
        profile,
        {
          baseUrl: service.baseUrl,
          nodeId,
          publicKey: key.publicKey,
          nowMs: atMs,
          nonce: new Uint8Array(randomBytes(NONCE_BYTES)),
        },
        signature === 'wrong' ? { sign: async () => new Uint8Array(randomBytes(64)) } : key,
      ).then(orUndefined))
    const reply = await send({
      method: 'GET',
      url: new URL(statusUrl(service.baseUrl, signed?.query ?? `node_id=${encodeURIComponent(nodeId)}`)),
      headers: { ...(signature === 'none' ? {} : signed?.headers), ...more },
      timeoutMs: service.timeoutMs,
      bodyMaxBytes: DEFAULTS.bodyMaxBytes,
    })
    return { reply, signed }
  }
}

type Ask = ReturnType<typeof createAsk>
type Exchange = Awaited<ReturnType<Ask>>
type Evaluation = readonly [state: CheckState, said: string]

/** Judges an answer; no answer is a failure of the service. */
function evaluate(
  id: string,
  title: string,
  reply: Reply,
  evaluationOf: (answer: HttpAnswer) => Evaluation,
): Check {
  const [state, said] = reply.ok
    ? evaluationOf(reply.value)
    : ['failed' as const, `no answer (${reply.error})`]
  return { id, state, title, said }
}

const skipped = (id: string, title: string, said: string): Check => ({ id, state: 'skipped', title, said })

/** Clients understand other refusals too; an answer with a record is a failure. */
const otherRefusal = (status: number): CheckState => (status >= 400 && status <= 499 ? 'warning' : 'failed')

const expectStatus = (
  id: string,
  title: string,
  wanted: number,
  { reply }: Exchange,
  otherwise: (status: number) => CheckState = otherRefusal,
  why = '',
): Check =>
  evaluate(id, title, reply, ({ status }) =>
    status === wanted ? ['ok', `${status}`] : [otherwise(status), `${status}; expected ${wanted}${why}`],
  )

const date = ({ reply }: Exchange, nowMs: number): Check =>
  evaluate('date', 'The time of the answer', reply, ({ headers }) => {
    const offset = offsetFromDate(headers['date'], nowMs - 1_000, nowMs)
    return offset === undefined
      ? ['warning', 'no Date header, so heartbeat ages can’t be corrected for clock skew']
      : ['ok', `Date differs from this computer’s clock by ${Math.round(offsetMs(offset) / 1_000)} s`]
  })

const size = ({ reply }: Exchange): Check =>
  evaluate('size', 'The size of the answer', reply, ({ headers, body }) => {
    const type = headers['content-type'] ?? ''
    return /\bjson\b/.test(type)
      ? ['ok', `${body.length} bytes of at most ${DEFAULTS.bodyMaxBytes}`]
      : ['warning', `${body.length} bytes as "${type}"; expected application/json`]
  })

/** A random id of the same length, almost certainly unused. */
const unknownLike = (nodeId: string): string => {
  const digits = Math.max(2, nodeId.length - 2)
  return `0x${bytesToHex(randomBytes(Math.ceil(digits / 2))).slice(0, digits)}`
}

const namesOf = (profile: Profile): string => JSON.stringify(profile)

async function replayed(ask: Ask, nodeId: string, profile: Profile): Promise<Check> {
  const [id, title] = ['replay', 'A repeated signature'] as const
  if (!namesOf(profile).includes('{nonce')) return skipped(id, title, 'the profile has no nonce')
  const { signed } = await ask({ nodeId })
  if (signed === undefined) return skipped(id, title, 'nothing was signed')
  const again = await ask({ nodeId, signed })
  return expectStatus(id, title, 401, again, () => 'warning', ', so that nobody can replay a request')
}

/** More than a clock is ever wrong by. */
const OUTDATED_MS = DAY_MS

async function outdated(ask: Ask, nodeId: string, profile: Profile, atMs: number): Promise<Check> {
  const [id, title] = ['outdated', 'A signature from yesterday'] as const
  if (!/\{(ts|exp)\.|created|expires/.test(namesOf(profile)))
    return skipped(id, title, 'the profile signs no time')
  const old = await ask({ nodeId, atMs })
  return expectStatus(id, title, 401, old, () => 'failed', ', so that an old signature is not valid')
}

async function crossOrigin(
  { send, service, nodeId, origin }: ConformancePorts,
  ask: Ask,
  profile: Profile,
): Promise<readonly Check[]> {
  const title = 'A page of another origin'
  if (origin === undefined) return [skipped('cors', title, 'no --origin was given')]
  const names = Object.keys(profile.headers).map((name) => name.toLowerCase())
  const preflight = await send({
    method: 'OPTIONS',
    url: new URL(statusUrl(service.baseUrl, `node_id=${encodeURIComponent(nodeId)}`)),
    headers: {
      Origin: origin,
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Headers': names.toSorted().join(','),
    },
    timeoutMs: service.timeoutMs,
    bodyMaxBytes: DEFAULTS.bodyMaxBytes,
  })
  const { reply } = await ask({ nodeId, more: { Origin: origin } })
  return [preflightCheck(preflight, origin, names), readCheck(reply, origin)]
}

const isAllowed = ({ headers }: HttpAnswer, origin: string): boolean =>
  [origin, '*'].includes(headers['access-control-allow-origin'] ?? '')

const preflightCheck = (reply: Reply, origin: string, names: readonly string[]): Check =>
  evaluate('cors-preflight', `A preflight from ${origin}`, reply, (answer) => {
    const { status, headers } = answer
    if (status < 200 || status > 299) return ['failed', `${status}; expected 2xx`]
    if (!isAllowed(answer, origin)) return ['failed', `expected Access-Control-Allow-Origin: ${origin}`]
    const allowed = (headers['access-control-allow-headers'] ?? '')
      .toLowerCase()
      .split(',')
      .map((name) => name.trim())
    // A wildcard does not include Authorization.
    const missing = names.filter(
      (name) => !allowed.includes(name) && (name === 'authorization' || !allowed.includes('*')),
    )
    return missing.length === 0
      ? ['ok', `${status}`]
      : ['failed', `expected Access-Control-Allow-Headers: ${missing.join(', ')}`]
  })

const readCheck = (reply: Reply, origin: string): Check =>
  evaluate('cors-read', `An answer to a page of ${origin}`, reply, (answer) => {
    if (!isAllowed(answer, origin)) return ['failed', `expected Access-Control-Allow-Origin: ${origin}`]
    const exposed = (answer.headers['access-control-expose-headers'] ?? '').toLowerCase()
    return exposed.includes('date')
      ? ['ok', 'readable, including Date']
      : [
          'warning',
          'readable, but its Date is not; expected Access-Control-Expose-Headers: Date, Retry-After',
        ]
  })

async function limited({ burst, nodeId }: ConformancePorts, ask: Ask): Promise<Check> {
  if (burst === 0) return skipped('limits', 'Many requests at once', 'no --burst was given')
  const base = { id: 'limits', title: `${burst === 1 ? '1 request' : `${burst} requests`} at once` } as const
  const replies = await Promise.all(Array.from({ length: burst }, () => ask({ nodeId })))
  const answers = replies.flatMap(({ reply }) => (reply.ok ? [reply.value] : []))
  const refused = answers.filter(({ status }) => status === 429)
  const good = answers.filter(({ status }) => status === 200).length
  const said = `${good} answered, ${refused.length} limited, ${burst - good - refused.length} other`
  if (good + refused.length < burst)
    return { ...base, state: 'failed', said: `${said}; expected 429 beyond the limit` }
  return refused.some(({ headers }) => headers['retry-after'] === undefined)
    ? { ...base, state: 'warning', said: `${said}; expected Retry-After with 429` }
    : { ...base, state: 'ok', said }
}

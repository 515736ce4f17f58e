import { createServer, STATUS_CODES, type IncomingHttpHeaders } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import * as v from 'valibot'
import { portOf } from './free-port.ts'

type Reply = {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

type Call = {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** A message that the service has accepted. Replies to any other message are refused. */
type Accepted = { readonly url: URL; readonly body: Body; readonly reference: string }
type Body = Readonly<Record<string, unknown>>

type Provider = {
  /** Configuration members that make the product send to the stand-in at this address. */
  readonly config: (address: string) => Body
  /** Wrong configuration members, and the status that they cause. */
  readonly wrong: { readonly config: (address: string) => Body; readonly status: number }
  readonly method: 'POST' | 'PUT'
  readonly path: RegExp
  readonly type: RegExp
  readonly body: v.GenericSchema<unknown, Body>
  /** Refuses a call before the body is read, for example because of a wrong secret. */
  readonly refuseCall?: (call: Call, accepted: readonly Accepted[]) => Reply | undefined
  /** Refuses a well-formed body: a reason for status 400, or a complete reply. */
  readonly refuseBody?: (body: Body, accepted: readonly Accepted[]) => string | Reply | undefined
  readonly accept: (body: Body, reference: string) => Reply
  /** The service's own error document. */
  readonly error: (status: number, why: string) => unknown
  readonly limited: Reply
  /** How long `limited` asks the sender to wait; undefined if the service gives no time. */
  readonly limitedMs: number | undefined
}

const JSON_TYPE = /^application\/json(;|$)/
const FORM_TYPE = /^application\/x-www-form-urlencoded(;|$)/

const words = (max: number) =>
  v.pipe(v.string(), v.nonEmpty(), v.maxLength(max), v.check(isWellFormed, 'is not valid Unicode'))
const webUrl = v.pipe(v.string(), v.url(), v.regex(/^https?:/), v.maxLength(2_048))
const timestamp = v.pipe(v.string(), v.isoTimestamp())

/** UTF-8 cannot encode half of a surrogate pair. */
const isWellFormed = (text: string): boolean => !/\p{Cs}/u.test(text)

/** Why this is not HTML with only these tags, all closed, and only the entities that both Telegram and Matrix read. */
function markupProblem(html: string, tags: readonly string[]): string | undefined {
  const open: string[] = []
  for (const [found, tag, entity] of html.matchAll(/<(\/?[^>]*)>?|&([^;\s]*;?)/g)) {
    if (entity !== undefined) {
      if (!/^(lt|gt|amp|quot|#39);$/.test(entity)) return `unknown entity ${found}`
      continue
    }
    const [, slash, name = ''] = /^(\/?)([a-z0-9]+)( href="https?:[^"<>]*")?$/.exec(tag ?? '') ?? []
    if (!found.endsWith('>') || !tags.includes(name)) return `unsupported start tag ${found}`
    if (name === 'br') continue
    if (slash !== '/') open.push(name)
    else if (open.pop() !== name) return `unmatched end tag ${found}`
  }
  return open.length > 0 ? `can't find end tag for ${open.join()}` : undefined
}

const plainOf = (html: string): string => html.replace(/<[^>]*>/g, '').replace(/&[^;]*;/g, '?')

type Embed = {
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly fields?: readonly { readonly name: string; readonly value: string }[] | undefined
}
const charsOf = ({ title = '', description = '', fields = [] }: Embed): number =>
  fields.reduce((sum, { name, value }) => sum + name.length + value.length, title.length + description.length)

const within = (bytes: number) => (body: Body) =>
  Buffer.byteLength(JSON.stringify(body)) > bytes ? `is longer than ${bytes} bytes` : undefined

const SlackAttachments = v.pipe(
  v.array(
    v.strictObject({
      color: v.pipe(v.string(), v.hexColor()),
      fallback: words(40_000),
      text: v.string(),
      title: v.optional(v.string()),
      title_link: v.optional(webUrl),
    }),
  ),
  v.maxLength(100),
)

const ROUTING_KEY = '0123456789abcdef0123456789abcdef'
const PUSHOVER_KEY = 'aZ09'.repeat(7) + 'aZ'

/** Each stand-in is as strict as the service's documentation, and stricter about unknown members. */
export const PROVIDERS = {
  apprise: {
    config: (url) => ({ url, key: 'ops' }),
    // The service answers 204 for an unknown key.
    wrong: { config: (url) => ({ url, key: 'unknown' }), status: 204 },
    method: 'POST',
    path: /^\/notify\/[\w-]{1,64}$/,
    type: JSON_TYPE,
    body: v.strictObject({
      body: words(32_768),
      title: v.optional(words(250)),
      type: v.optional(v.picklist(['info', 'success', 'warning', 'failure'])),
      format: v.optional(v.picklist(['text', 'markdown', 'html'])),
      tag: v.optional(words(200)),
    }),
    refuseCall: ({ url }) => (url.pathname.endsWith('/ops') ? undefined : { status: 204 }),
    accept: () => ({ status: 200, body: { error: '', details: [] } }),
    error: (_, error) => ({ error }),
    limited: { status: 429, headers: { 'retry-after': '7' } },
    limitedMs: 7_000,
  },
  discord: {
    config: (url) => ({ url: `${url}/api/webhooks/123456789012345678/discord-secret` }),
    wrong: { config: (url) => ({ url: `${url}/api/webhooks/123456789012345678/other` }), status: 401 },
    method: 'POST',
    path: /^\/api\/v10\/webhooks\/\d{17,20}\/[\w-]+$/,
    type: JSON_TYPE,
    body: v.strictObject({
      content: words(2_000),
      username: v.optional(words(80)),
      allowed_mentions: v.strictObject({ parse: v.pipe(v.array(v.string()), v.maxLength(0)) }),
      embeds: v.optional(
        v.pipe(
          v.array(
            v.strictObject({
              title: v.optional(words(256)),
              description: v.optional(words(4_096)),
              url: v.optional(webUrl),
              color: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(0xffffff))),
              timestamp: v.optional(timestamp),
              fields: v.optional(
                v.pipe(
                  v.array(
                    v.strictObject({
                      name: words(256),
                      value: words(1_024),
                      inline: v.optional(v.boolean()),
                    }),
                  ),
                  v.maxLength(25),
                ),
              ),
            }),
          ),
          v.maxLength(10),
          v.check(
            (embeds) => embeds.reduce((sum, embed) => sum + charsOf(embed), 0) <= 6_000,
            'Embed size exceeds maximum size of 6000',
          ),
        ),
      ),
    }),
    refuseCall: ({ url }) =>
      url.pathname.endsWith('/discord-secret') && url.search === '?wait=true'
        ? undefined
        : { status: 401, body: { message: 'Invalid Webhook Token', code: 50027 } },
    accept: (body, id) => ({ status: 200, body: { id, type: 0, channel_id: '1', ...body } }),
    error: (status, message) => {
      if (status === 404) return { message: 'Unknown Webhook', code: 10_015 }
      if (status === 405) return { message: '405: Method Not Allowed', code: 0 }
      const errors = { _errors: [{ code: 'BASE_TYPE_MAX_LENGTH', message }] }
      return { message: 'Invalid Form Body', code: 50_035, errors }
    },
    limited: {
      status: 429,
      headers: { 'retry-after': '65', 'x-ratelimit-reset-after': '64.57', 'x-ratelimit-scope': 'user' },
      body: { message: 'You are being rate limited.', retry_after: 64.57, global: false },
    },
    limitedMs: 64_570,
  },
  slack: {
    config: (url) => ({ url: `${url}/services/T00000000/B00000000/slack-secret-XXXXXXXXXX` }),
    wrong: {
      config: (url) => ({ url: `${url}/services/T00000000/B00000000/other-XXXXXXXXXX` }),
      status: 404,
    },
    method: 'POST',
    path: /^\/services\/T\w+\/B\w+\/[\w-]+$/,
    type: JSON_TYPE,
    body: v.strictObject({ text: words(40_000), attachments: SlackAttachments }),
    refuseCall: ({ url }) =>
      url.pathname.endsWith('/slack-secret-XXXXXXXXXX') ? undefined : { status: 404, body: 'no_service' },
    accept: () => ({ status: 200, body: 'ok' }),
    error: (status) => (status === 404 ? 'no_service' : 'invalid_payload'),
    limited: { status: 429, headers: { 'retry-after': '30' }, body: 'rate_limited' },
    limitedMs: 30_000,
  },
  'slack-bot': {
    config: (url) => ({ token: 'xoxb-12-34-right', channel: 'C024BE91L', url }),
    wrong: { config: (url) => ({ token: 'xoxb-12-34-wrong', channel: 'C024BE91L', url }), status: 200 },
    method: 'POST',
    path: /^\/api\/chat\.postMessage$/,
    type: JSON_TYPE,
    body: v.strictObject({
      channel: v.literal('C024BE91L'),
      text: words(40_000),
      unfurl_links: v.optional(v.boolean()),
      thread_ts: v.optional(v.pipe(v.string(), v.regex(/^\d{10}\.\d{6}$/))),
      attachments: SlackAttachments,
    }),
    refuseCall: ({ headers }) =>
      headers.authorization === 'Bearer xoxb-12-34-right'
        ? undefined
        : { status: 200, body: { ok: false, error: 'invalid_auth' } },
    refuseBody: ({ thread_ts }, accepted) =>
      typeof thread_ts !== 'string' || accepted.length >= Number(thread_ts.slice(-6))
        ? undefined
        : { status: 200, body: { ok: false, error: 'thread_not_found' } },
    accept: (body, number) => ({
      status: 200,
      body: { ok: true, channel: 'C024BE91L', ts: `1503435956.${number.padStart(6, '0')}`, message: body },
    }),
    error: () => ({ ok: false, error: 'invalid_arguments' }),
    limited: { status: 429, headers: { 'retry-after': '5' }, body: { ok: false, error: 'ratelimited' } },
    limitedMs: 5_000,
  },
  telegram: {
    config: (url) => ({ token: '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw', chat: '-1001234', url }),
    wrong: { config: (url) => ({ token: '110201543:wrong', chat: '-1001234', url }), status: 401 },
    method: 'POST',
    path: /^\/bot[^/]+\/sendMessage$/,
    type: JSON_TYPE,
    body: v.strictObject({
      chat_id: v.union([v.pipe(v.number(), v.integer()), v.pipe(v.string(), v.regex(/^(-?\d+|@\w{5,32})$/))]),
      message_thread_id: v.optional(v.pipe(v.number(), v.integer())),
      text: words(20_000),
      parse_mode: v.optional(v.picklist(['HTML', 'MarkdownV2'])),
      disable_notification: v.optional(v.boolean()),
      link_preview_options: v.optional(v.strictObject({ is_disabled: v.boolean() })),
      reply_parameters: v.optional(
        v.strictObject({
          message_id: v.pipe(v.number(), v.integer()),
          allow_sending_without_reply: v.optional(v.boolean()),
        }),
      ),
    }),
    refuseCall: ({ url }) =>
      url.pathname.startsWith('/bot110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/')
        ? undefined
        : { status: 401, body: { ok: false, error_code: 401, description: 'Unauthorized' } },
    refuseBody: ({ text, reply_parameters }, accepted) => {
      const html = String(text)
      const { message_id: id, allow_sending_without_reply: isLoose } = Object(reply_parameters)
      const problem = markupProblem(html, ['b', 'i', 'u', 's', 'a', 'code', 'pre', 'blockquote'])
      if (problem !== undefined) return `can't parse entities: ${problem}`
      if (plainOf(html).length > 4_096) return 'message is too long'
      const isKnown = accepted.some(({ reference }) => reference === String(id))
      return id !== undefined && isLoose !== true && !isKnown ? 'message to be replied not found' : undefined
    },
    accept: (_, id) => ({ status: 200, body: { ok: true, result: { message_id: Number(id), date: 1 } } }),
    error: (error_code, why) => ({ ok: false, error_code, description: `Bad Request: ${why}` }),
    limited: {
      status: 429,
      body: {
        ok: false,
        error_code: 429,
        description: 'Too Many Requests: retry after 5',
        parameters: { retry_after: 5 },
      },
    },
    limitedMs: 5_000,
  },
  teams: {
    config: (url) => ({
      url: `${url}/workflows/1a/triggers/manual/paths/invoke?api-version=1&sig=teams-secret`,
    }),
    wrong: {
      config: (url) => ({ url: `${url}/workflows/1a/triggers/manual/paths/invoke?sig=other` }),
      status: 401,
    },
    method: 'POST',
    path: /^\/workflows\/\w+\/triggers\/manual\/paths\/invoke$/,
    type: JSON_TYPE,
    body: v.strictObject({
      type: v.literal('message'),
      attachments: v.strictTuple([
        v.strictObject({
          contentType: v.literal('application/vnd.microsoft.card.adaptive'),
          contentUrl: v.optional(v.null()),
          content: v.strictObject({
            $schema: v.optional(v.literal('http://adaptivecards.io/schemas/adaptive-card.json')),
            type: v.literal('AdaptiveCard'),
            version: v.picklist(['1.2', '1.3', '1.4', '1.5']),
            fallbackText: v.optional(words(1_000)),
            msteams: v.optional(v.strictObject({ width: v.literal('Full') })),
            body: v.array(
              v.strictObject({
                // A TextBlock or a FactSet would render Markdown in a node's name.
                type: v.literal('RichTextBlock'),
                inlines: v.array(
                  v.strictObject({
                    type: v.literal('TextRun'),
                    text: words(28_000),
                    weight: v.optional(v.picklist(['default', 'bolder', 'lighter'])),
                    size: v.optional(v.picklist(['small', 'default', 'medium', 'large'])),
                    color: v.optional(v.picklist(['default', 'attention', 'warning', 'good', 'accent'])),
                    isSubtle: v.optional(v.boolean()),
                  }),
                ),
              }),
            ),
            actions: v.optional(
              v.array(v.strictObject({ type: v.literal('Action.OpenUrl'), title: words(100), url: webUrl })),
            ),
          }),
        }),
      ]),
    }),
    refuseCall: ({ url, text }) =>
      url.searchParams.get('sig') !== 'teams-secret'
        ? {
            status: 401,
            body: {
              error: {
                code: 'DirectApiAuthorizationRequired',
                message: 'The request must be authenticated only by OAuth scheme.',
              },
            },
          }
        : // A workflow accepts larger bodies, but then its action that posts the card fails.
          Buffer.byteLength(text) > 28 * 1_024
          ? { status: 413 }
          : undefined,
    accept: () => ({ status: 202 }),
    error: (status, message) => ({
      error: { code: status === 404 ? 'WorkflowNotFound' : 'TriggerInputSchemaMismatch', message },
    }),
    limited: { status: 429, headers: { 'retry-after': '30' } },
    limitedMs: 30_000,
  },
  matrix: {
    config: (url) => ({ url, room: '!ops:example.org', token: 'syt_secret' }),
    wrong: { config: (url) => ({ url, room: '!ops:example.org', token: 'syt_other' }), status: 401 },
    method: 'PUT',
    path: /^\/_matrix\/client\/v3\/rooms\/!ops%3Aexample\.org\/send\/m\.room\.message\/[^/]{1,255}$/i,
    type: JSON_TYPE,
    body: v.strictObject({
      msgtype: v.picklist(['m.text', 'm.notice']),
      body: words(40_000),
      format: v.literal('org.matrix.custom.html'),
      formatted_body: words(40_000),
      // The list is empty so that a name that looks like a mention notifies no one.
      'm.mentions': v.strictObject({}),
      'm.relates_to': v.optional(
        v.strictObject({
          rel_type: v.literal('m.thread'),
          event_id: v.pipe(v.string(), v.startsWith('$')),
          is_falling_back: v.literal(true),
          'm.in_reply_to': v.strictObject({ event_id: v.pipe(v.string(), v.startsWith('$')) }),
        }),
      ),
    }),
    refuseCall: ({ headers, url }, accepted) => {
      if (headers.authorization !== 'Bearer syt_secret')
        return { status: 401, body: { errcode: 'M_UNKNOWN_TOKEN', error: 'Invalid access token passed.' } }
      // A repeated transaction returns the same event.
      const sent = accepted.find((other) => other.url.pathname === url.pathname)
      return sent && { status: 200, body: { event_id: sent.reference } }
    },
    refuseBody: (body, accepted) => {
      const { event_id: event } = Object(body['m.relates_to'])
      const tags = ['b', 'strong', 'i', 'em', 'a', 'p', 'br', 'ul', 'ol', 'li', 'code', 'pre', 'blockquote']
      // A thread must begin at an event without a relation.
      const isKnown = accepted.some((one) => one.reference === event && !('m.relates_to' in one.body))
      if (event !== undefined && !isKnown)
        return { status: 400, body: { errcode: 'M_UNKNOWN', error: 'Cannot start threads from an event' } }
      // Signatures and other members of the event use part of the 65,536 bytes.
      return within(65_000)(body) === undefined
        ? markupProblem(String(body['formatted_body']), tags)
        : { status: 413, body: { errcode: 'M_TOO_LARGE', error: 'event too large' } }
    },
    accept: (_, event_id) => ({ status: 200, body: { event_id } }),
    error: (status, error) => ({ errcode: status === 400 ? 'M_BAD_JSON' : 'M_UNRECOGNIZED', error }),
    limited: {
      status: 429,
      headers: { 'retry-after': '3' },
      body: { errcode: 'M_LIMIT_EXCEEDED', error: 'Too Many Requests', retry_after_ms: 2_500 },
    },
    limitedMs: 2_500,
  },
  ntfy: {
    config: (url) => ({ url, topic: 'ops-8f2c', token: 'tk_secret' }),
    wrong: { config: (url) => ({ url, topic: 'ops-8f2c', token: 'tk_other' }), status: 401 },
    method: 'POST',
    path: /^\/$/,
    type: /./,
    body: v.strictObject({
      topic: v.pipe(v.string(), v.regex(/^[-\w]{1,64}$/)),
      message: v.pipe(words(4_096), v.maxBytes(4_096)),
      title: v.optional(words(250)),
      tags: v.optional(v.array(v.pipe(v.string(), v.regex(/^[\w+]{1,32}$/)))),
      priority: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(5))),
      click: v.optional(webUrl),
    }),
    refuseCall: ({ headers }) =>
      headers.authorization === 'Bearer tk_secret'
        ? undefined
        : {
            status: 401,
            body: {
              code: 40_101,
              http: 401,
              error: 'unauthorized',
              link: 'https://ntfy.sh/docs/publish/#authentication',
            },
          },
    accept: ({ topic, message }, id) => ({
      status: 200,
      body: { id, time: 1, event: 'message', topic, message },
    }),
    error: (http) =>
      http === 404
        ? { code: 40_401, http, error: 'page not found' }
        : { code: 40_017, http, error: 'invalid request: request body must be message JSON' },
    limited: {
      status: 429,
      body: { code: 42_901, http: 429, error: 'limit reached: too many requests' },
    },
    limitedMs: undefined,
  },
  gotify: {
    config: (url) => ({ url, token: 'AQzecretzecret1' }),
    wrong: { config: (url) => ({ url, token: 'other' }), status: 401 },
    method: 'POST',
    path: /^\/message$/,
    type: JSON_TYPE,
    body: v.strictObject({
      message: words(32_768),
      title: v.optional(words(250)),
      priority: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(10))),
      extras: v.optional(
        v.strictObject({
          // A client that renders Markdown would load images that a node's name contains.
          'client::display': v.strictObject({ contentType: v.literal('text/plain') }),
          'client::notification': v.optional(v.strictObject({ click: v.strictObject({ url: webUrl }) })),
        }),
      ),
    }),
    refuseCall: ({ headers }) =>
      headers['x-gotify-key'] === 'AQzecretzecret1'
        ? undefined
        : {
            status: 401,
            body: {
              error: 'Unauthorized',
              errorCode: 401,
              errorDescription:
                'you need to provide a valid access token or user credentials to access this api',
            },
          },
    accept: ({ message, title }, id) => ({ status: 200, body: { id: Number(id), appid: 1, message, title } }),
    error: (errorCode, errorDescription) => ({
      error: STATUS_CODES[errorCode],
      errorCode,
      errorDescription,
    }),
    limited: { status: 429, headers: { 'retry-after': '9' } },
    limitedMs: 9_000,
  },
  pushover: {
    config: (url) => ({ token: PUSHOVER_KEY, user: `u${PUSHOVER_KEY.slice(1)}`, url }),
    wrong: {
      config: (url) => ({ token: PUSHOVER_KEY, user: `x${PUSHOVER_KEY.slice(1)}`, url }),
      status: 400,
    },
    method: 'POST',
    path: /^\/1\/messages\.json$/,
    type: FORM_TYPE,
    body: v.strictObject({
      token: v.literal(PUSHOVER_KEY),
      user: v.pipe(v.string(), v.regex(/^[ug][A-Za-z0-9]{29}$/, 'user identifier is invalid')),
      message: words(1_024),
      title: v.optional(words(250)),
      url: v.optional(v.pipe(webUrl, v.maxLength(512))),
      url_title: v.optional(words(100)),
      priority: v.optional(v.picklist(['-2', '-1', '0', '1'])),
      timestamp: v.optional(v.pipe(v.string(), v.regex(/^\d{10}$/))),
    }),
    accept: (_, request) => ({ status: 200, body: { status: 1, request } }),
    error: (_, why) => ({
      status: 0,
      request: 'a',
      errors: [why],
      ...(why.startsWith('user') && { user: 'invalid' }),
    }),
    limited: {
      status: 429,
      headers: { 'x-limit-app-remaining': '0', 'x-limit-app-reset': '1393653600' },
      body: { status: 0, errors: ['application message limit reached'] },
    },
    // The limit lasts until the end of the month, so the dashboard retries once an hour.
    limitedMs: 3_600_000,
  },
  pagerduty: {
    config: (url) => ({ key: ROUTING_KEY, url }),
    wrong: {
      config: (url) => ({ key: ROUTING_KEY.replace('0', 'f'), url }),
      status: 400,
    },
    method: 'POST',
    path: /^\/v2\/enqueue$/,
    type: JSON_TYPE,
    body: v.variant('event_action', [
      v.strictObject({
        event_action: v.literal('trigger'),
        routing_key: v.literal(ROUTING_KEY),
        dedup_key: words(255),
        client: v.optional(words(100)),
        client_url: v.optional(webUrl),
        links: v.optional(v.array(v.strictObject({ href: webUrl, text: v.optional(words(100)) }))),
        payload: v.strictObject({
          summary: words(1_024),
          source: words(255),
          severity: v.picklist(['critical', 'error', 'warning', 'info']),
          timestamp: v.optional(timestamp),
          component: v.optional(words(255)),
          group: v.optional(words(255)),
          class: v.optional(words(255)),
          custom_details: v.optional(v.record(v.string(), v.unknown())),
        }),
      }),
      v.strictObject({
        event_action: v.picklist(['acknowledge', 'resolve']),
        routing_key: v.literal(ROUTING_KEY),
        dedup_key: words(255),
      }),
    ]),
    refuseBody: within(512 * 1_024),
    accept: ({ dedup_key }) => ({
      status: 202,
      body: { status: 'success', message: 'Event processed', dedup_key },
    }),
    error: (_, why) => ({ status: 'invalid event', message: 'Event object is invalid', errors: [why] }),
    limited: { status: 429 },
    limitedMs: undefined,
  },
} as const satisfies Readonly<Record<string, Provider>>

export type ProviderKind = keyof typeof PROVIDERS

function answerTo(provider: Provider, call: Call, accepted: Accepted[]): Reply {
  const refuse = (status: number, why: string): Reply => ({ status, body: provider.error(status, why) })
  const { headers, url, text } = call
  if (!provider.path.test(url.pathname)) return refuse(404, 'not found')
  if (call.method !== provider.method) return refuse(405, 'method not allowed')
  const early = provider.refuseCall?.(call, accepted)
  if (early !== undefined) return early
  if (!provider.type.test(headers['content-type'] ?? '')) return refuse(400, 'wrong content type')
  const sent = provider.type === FORM_TYPE ? Object.fromEntries(new URLSearchParams(text)) : jsonOf(text)
  const parsed = v.safeParse(provider.body, sent)
  if (!parsed.success)
    return refuse(400, parsed.issues.map((issue) => `${v.getDotPath(issue)}: ${issue.message}`).join('; '))
  const why = provider.refuseBody?.(parsed.output, accepted)
  if (why !== undefined) return typeof why === 'string' ? refuse(400, why) : why
  const number = accepted.length + 1
  const reference = provider.method === 'PUT' ? `$event${number}` : String(number)
  accepted.push({ url, body: parsed.output, reference })
  return provider.accept(parsed.output, reference)
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The service on this computer. It answers as documented unless the test sets the next answer. */
export async function startProvider(kind: ProviderKind) {
  const provider: Provider = PROVIDERS[kind]
  const accepted: Accepted[] = []
  const replies: Reply[] = []
  let forced: Reply | 'never' | undefined
  const server = createServer((request, response) => {
    const { method = '', url = '/', headers } = request
    void readText(request).then((text) => {
      if (forced === 'never') return undefined
      const call = { method, headers, text, url: new URL(url, 'http://stand-in.invalid') }
      const reply = forced ?? answerTo(provider, call, accepted)
      replies.push(reply)
      const isText = typeof reply.body === 'string'
      response.writeHead(reply.status, {
        'content-type': isText ? 'text/plain' : 'application/json',
        ...reply.headers,
      })
      return response.end(isText ? reply.body : JSON.stringify(reply.body))
    })
  })
  const origin = `http://127.0.0.1:${await portOf(server.unref())}`
  return {
    provider,
    origin,
    accepted,
    /** Every reply, including refusals. */
    replies,
    /** Sets the next reply; undefined restores the documented behaviour. */
    answer: (next: Reply | 'never' | undefined): void => {
      forced = next
    },
    close: (): void => {
      server.closeAllConnections()
      server.close()
    },
  }
}

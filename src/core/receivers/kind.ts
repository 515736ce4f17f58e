import * as v from 'valibot'
import { parseUrl } from '#base/parse-url.ts'
import { err, ok, type Result } from '#base/result.ts'
import { HOUR_MS } from '#base/time.ts'
import { shownText, type Message, type ThreadOf } from './message.ts'
import { answerOf } from './rendering.ts'

/** Requests for one message, such as one for each of its alarms. */
const REQUESTS_MAX = 50

export type ReceiverRequest = ReceiverHttpRequest | { readonly mail: Mail }

/** The answer's status is the SMTP reply code, and its header `message-id` is the e-mail's own. */
export type Mail = {
  readonly host: string
  readonly port: number
  /** `tls` from the first byte; `starttls` sends nothing without TLS. */
  readonly security: 'starttls' | 'tls' | 'none'
  readonly login: { readonly user: string; readonly password: string } | undefined
  readonly from: string
  readonly to: readonly string[]
  readonly isUrgent: boolean
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly messageId: string
  /** The id of the e-mail that this one answers. */
  readonly inReplyTo: string | undefined
}

type ReceiverHttpRequest = {
  readonly method?: 'POST' | 'PUT'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export const jsonRequest = (
  url: string,
  document: object,
  headers: Readonly<Record<string, string>> = {},
): ReceiverHttpRequest => ({
  url,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(document),
})

/** A provider's answer: status, headers with names in lower case, and the beginning of its text. */
export type ReceiverAnswer = {
  readonly status: number
  readonly headers: Readonly<Partial<Record<string, string>>>
  readonly body: string
}

/** `refused`: the receiver will never accept this message. `failed`: it may later, or once its settings are corrected. */
export type Reading =
  /** `thread`: an id of at most 200 characters by which later messages about the same alarms join this one. */
  | { readonly kind: 'accepted'; readonly thread?: string | undefined }
  | { readonly kind: 'refused' }
  | { readonly kind: 'failed'; readonly retryAfterMs?: number }

/** How the form shows a member and who may read it. */
type FieldTraits = {
  /** Absent: one line of text. A choice's options come from its schema. */
  readonly input?: 'url' | 'number' | 'choice' | 'multiline'
  /**
   * Never leaves the server; may be `env:NAME`, `file:PATH` or `credential:NAME`. `token`: long and issued by the provider.
   * `password`: chosen by a person, so no fingerprint of it is published.
   */
  readonly secret?: 'token' | 'password'
  readonly label: string
  readonly hint?: string
}

/** The definition of one kind. `entries` are the members other than kind and name, in the form's order. */
type ReceiverFormat<E extends v.ObjectEntries> = {
  readonly name: string
  /** Description of its messages, for the form. */
  readonly text: string
  /** The provider's documentation that this kind follows. */
  readonly docs: string
  readonly entries: E
  readonly fields: { readonly [Name in keyof E]: FieldTraits }
  /** The member that shows people where messages go. Absent: `url`, of which only the host is shown. */
  readonly where?: keyof E & string
  /** At most `REQUESTS_MAX`, sent one after the other. */
  readonly requests: (fields: FieldsOf<E>, message: Message, threadOf: ThreadOf) => readonly ReceiverRequest[]
  /** Absent: by the status alone. */
  readonly read?: (answer: ReceiverAnswer) => Reading
  /** A preview as lines of plain text. Absent: title, facts and the link's label. */
  readonly preview?: (message: Message) => string
}

type FieldsOf<E extends v.ObjectEntries> = v.InferOutput<v.ObjectSchema<E, undefined>>

/** A kind whose members are not known by type. */
export type AnyFormat = ReturnType<typeof receiverFormat>

export type Members = Readonly<Record<string, unknown>>

export type Field = FieldTraits & {
  /** As the configuration has it. */
  readonly schema: Entry
  readonly isOptional: boolean
  /** The values of a choice. */
  readonly options: readonly string[]
  /** The default; '' if there is none. */
  readonly initial: string
}

type Entry = v.GenericSchema<unknown, string | number | undefined>

/** The source of a secret, which the server reads at each use. */
export const SECRET_SOURCE = /^(env|file|credential):(.+)$/s

const SecretSource = v.pipe(v.string(), v.maxLength(1_000), v.regex(SECRET_SOURCE))

/* @__NO_SIDE_EFFECTS__ */
export function receiverFormat<const E extends Readonly<Record<string, Entry>>>(format: ReceiverFormat<E>) {
  const { read = readStatus, preview = shownText, entries, fields, where, requests } = format
  const schema = v.object(entries)
  return {
    name: format.name,
    text: format.text,
    docs: format.docs,
    fields: Object.fromEntries(
      Object.entries(entries).map(([name, entry]) => [name, fieldOf(entry, fields[name] ?? { label: name })]),
    ),
    /** The host or the recipient; '' if only the server knows. */
    where: (members: Members): string => {
      const name = where ?? 'url'
      const value = members[name]
      if (typeof value !== 'string') return ''
      if (fields[name]?.secret !== undefined && SECRET_SOURCE.test(value)) return ''
      return where === undefined ? hostOf(value) : value
    },
    /** The error names the member and the problem. */
    requests: (
      members: Members,
      message: Message,
      threadOf: ThreadOf,
    ): Result<readonly ReceiverRequest[], string> => {
      const parsed = v.safeParse(schema, members)
      if (parsed.success) return ok(requests(parsed.output, message, threadOf).slice(0, REQUESTS_MAX))
      const [issue] = parsed.issues
      const name = v.getDotPath(issue) ?? ''
      // A message may quote the value.
      return err(fields[name]?.secret === undefined ? `${name} ${issue.message}` : `${name} is not valid`)
    },
    read,
    preview: (message: Message): string => preview(message),
  }
}

function fieldOf(entry: Entry, traits: FieldTraits): Field {
  const { type, wrapped = entry }: { readonly type: string; readonly wrapped?: object } = entry
  const { options }: { readonly options?: unknown } = wrapped
  const isOptional = type === 'optional'
  const { default: initial }: { readonly default?: unknown } = Object(entry)
  const either = v.union([entry, SecretSource])
  return {
    ...traits,
    schema: traits.secret === undefined ? entry : isOptional ? v.optional(either) : either,
    isOptional,
    options: Array.isArray(options) ? options.map(String) : [],
    initial: typeof initial === 'string' || typeof initial === 'number' ? String(initial) : '',
  }
}

/** Statuses that mean that the receiver, not the message, is wrong or busy. */
const OF_RECEIVER: ReadonlySet<number> = new Set([401, 402, 403, 404, 405, 407, 408, 409, 410, 425, 429])

/** 2xx: accepted. A status that blames the message: refused. All others may pass. */
export function readStatus({ status, headers }: Pick<ReceiverAnswer, 'status' | 'headers'>): Reading {
  if (status >= 200 && status < 300) return { kind: 'accepted' }
  if (status >= 400 && status < 500 && !OF_RECEIVER.has(status)) return { kind: 'refused' }
  const seconds = Number(headers['retry-after'] ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0
    ? { kind: 'failed', retryAfterMs: Math.min(seconds * 1_000, HOUR_MS) }
    : { kind: 'failed' }
}

/** Decides by status, unless the answer's members show that a refusal blames the receiver. */
export function readRefusal(answer: ReceiverAnswer, isOfReceiver: (said: Members) => boolean): Reading {
  const reading = readStatus(answer)
  return reading.kind === 'refused' && isOfReceiver(answerOf(answer.body)) ? { kind: 'failed' } : reading
}

// --- schemas that members share

/** One line without control characters. */
export const lineOf = (charsMax: number) =>
  v.pipe(
    v.string(),
    v.trim(),
    v.minLength(1, 'is empty'),
    v.maxLength(charsMax),
    v.regex(/^\P{Cc}*$/u, 'is more than one line'),
  )

/** An http(s) URL without a user name or password. */
export const HttpUrl = v.pipe(
  v.string(),
  v.trim(),
  v.maxLength(2_000),
  v.check(
    (text) => hostOf(text) !== '',
    'is not a URL: use http(s)://host[:port]/path, without a user name or password',
  ),
)

/** An http(s) URL without a user name or password; undefined if the text is not one. */
export function plainUrl(text: string): URL | undefined {
  const url = parseUrl(text)
  return url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
    ? url
    : undefined
}

const hostOf = (text: string): string => plainUrl(text)?.host ?? ''

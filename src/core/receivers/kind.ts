import * as v from 'valibot'
import { err, ok, type Result } from '#base/result.ts'
import { HOUR_MS } from '#base/time.ts'
import { shownText, type Message } from './message.ts'
import { answerOf } from './rendering.ts'

/** Requests for one message, such as one for each of its alarms. */
export const REQUESTS_MAX = 50

export type ReceiverRequest = ReceiverHttpRequest | { readonly mail: Mail }

/** Its answer's status is the reply code of SMTP, and its header `message-id` the mail's own. */
export type Mail = {
  readonly host: string
  readonly port: number
  /** `tls` from the first byte; `starttls` refuses to send without. */
  readonly security: 'starttls' | 'tls' | 'none'
  readonly login: { readonly user: string; readonly password: string } | undefined
  readonly from: string
  readonly to: readonly string[]
  readonly isUrgent: boolean
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly messageId: string
  /** The id of the mail that this one belongs to. */
  readonly inReplyTo: string | undefined
}

type ReceiverHttpRequest = {
  readonly method?: 'POST' | 'PUT'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A provider's answer: its status, its headers by their names in lower case, and how its text begins. */
export type ReceiverAnswer = {
  readonly status: number
  readonly headers: Readonly<Partial<Record<string, string>>>
  readonly body: string
}

/** `refused`: this message never will be accepted. `failed`: it may be later, or once the receiver is corrected. */
export type Reading =
  /** `thread`: by which later messages about the same alarms are attached to this one; at most 200 characters. */
  | { readonly kind: 'accepted'; readonly thread?: string }
  | { readonly kind: 'refused' }
  | { readonly kind: 'failed'; readonly retryAfterMs?: number }

/** How the form shows a member and who may read it. */
export type FieldTraits = {
  /** Absent: one line of text. A choice's options come from its schema. */
  readonly input?: 'url' | 'number' | 'choice' | 'multiline'
  /**
   * It never leaves the server and may be `env:NAME`, `file:PATH` or `credential:NAME`. `token`: long and issued by
   * the provider; `password`: chosen by a person, so no fingerprint of it is published.
   */
  readonly secret?: 'token' | 'password'
}

/** What a kind's file says. `entries` are the members beside kind and name, in the form's order. */
export type ReceiverFormat<E extends v.ObjectEntries> = {
  /** The provider's page that it was written from. */
  readonly docs: string
  readonly entries: E
  readonly fields: { readonly [Name in keyof E]: FieldTraits }
  /** The host or the recipient, for people; '' if it is not known. A secret URL may give its host and nothing else. */
  readonly where: (memberOf: (name: keyof E & string) => string | undefined) => string
  /** At most `REQUESTS_MAX`, sent one after the other. */
  readonly requests: (
    fields: FieldsOf<E>,
    message: Message,
    /** What `read` returned as `thread` for the problem of an alarm. */
    threadOf: (alarmId: string) => string | undefined,
  ) => readonly ReceiverRequest[]
  /** Absent: by the status alone. */
  readonly read?: (answer: ReceiverAnswer) => Reading
  /** What a person will see, as lines of plain text. Absent: title, facts and the link's words. */
  readonly preview?: (message: Message) => string
}

type FieldsOf<E extends v.ObjectEntries> = v.InferOutput<v.ObjectSchema<E, undefined>>

/** A kind whose members are not known by type. */
export type AnyFormat = {
  readonly docs: string
  readonly fields: Readonly<Record<string, Field>>
  /** The members may be sources of secrets. */
  readonly where: (members: Members) => string
  /** The error says what is wrong with which member. */
  readonly requests: (
    members: Members,
    message: Message,
    threadOf: (alarmId: string) => string | undefined,
  ) => Result<readonly ReceiverRequest[], string>
  readonly read: (answer: ReceiverAnswer) => Reading
  readonly preview: (message: Message) => string
}

export type Members = Readonly<Record<string, unknown>>

export type Field = FieldTraits & {
  /** As the configuration has it. */
  readonly schema: Entry
  readonly isOptional: boolean
  /** Of a choice. */
  readonly options: readonly string[]
  /** What counts if it is left out; '' for nothing. */
  readonly initial: string
}

type Entry = v.GenericSchema<unknown, string | number | undefined>

/** Where the server reads a secret from, each time that it is used. */
export const SECRET_SOURCE = /^(env|file|credential):(.+)$/s

const SecretSource = v.pipe(v.string(), v.maxLength(1_000), v.regex(SECRET_SOURCE))

/* @__NO_SIDE_EFFECTS__ */
export function receiverFormat<const E extends Readonly<Record<string, Entry>>>(
  format: ReceiverFormat<E>,
): AnyFormat {
  const { docs, read = readStatus, preview = shownText, entries, fields, where, requests } = format
  const schema = v.object(entries)
  return {
    docs,
    fields: Object.fromEntries(
      Object.entries(entries).map(([name, entry]) => [name, fieldOf(entry, fields[name] ?? {})]),
    ),
    where: (members) =>
      where((name) => {
        const value = members[name]
        if (typeof value === 'number') return String(value)
        const isShown = typeof value === 'string' && !(fields[name].secret && SECRET_SOURCE.test(value))
        return isShown ? value : undefined
      }),
    requests: (members, message, threadOf) => {
      const parsed = v.safeParse(schema, members)
      if (parsed.success) return ok(requests(parsed.output, message, threadOf).slice(0, REQUESTS_MAX))
      const [issue] = parsed.issues
      const name = v.getDotPath(issue) ?? ''
      // A message may quote the value.
      return err(fields[name]?.secret === undefined ? `${name} ${issue.message}` : `${name} is not valid`)
    },
    read,
    preview: (message) => preview(message),
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

/** The receiver itself is wrong or busy, and not this message. */
const OF_RECEIVER: ReadonlySet<number> = new Set([401, 402, 403, 404, 405, 407, 408, 409, 410, 425, 429])

/** 2xx is accepted; a status that blames the message refuses it; all others may pass. */
export function readStatus({ status, headers }: Pick<ReceiverAnswer, 'status' | 'headers'>): Reading {
  if (status >= 200 && status < 300) return { kind: 'accepted' }
  if (status >= 400 && status < 500 && !OF_RECEIVER.has(status)) return { kind: 'refused' }
  const seconds = Number(headers['retry-after'] ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0
    ? { kind: 'failed', retryAfterMs: Math.min(seconds * 1_000, HOUR_MS) }
    : { kind: 'failed' }
}

/** As by its status, unless the answer's members say that a refusal is for the receiver and not for the message. */
export function readRefusal(answer: ReceiverAnswer, isOfReceiver: (said: Members) => boolean): Reading {
  const reading = readStatus(answer)
  return reading.kind === 'refused' && isOfReceiver(answerOf(answer.body)) ? { kind: 'failed' } : reading
}

// --- what members are made of

/** One line without controls. */
export const lineOf = (charsMax: number) =>
  v.pipe(
    v.string(),
    v.trim(),
    v.minLength(1, 'is empty'),
    v.maxLength(charsMax),
    v.regex(/^\P{Cc}*$/u, 'is more than one line'),
  )

/** An http(s) URL without a user. */
export const HttpUrl = v.pipe(
  v.string(),
  v.trim(),
  v.maxLength(2_000),
  v.check((text) => hostOf(text) !== '', 'is not a URL: use http(s)://host[:port]/path, without user'),
)

/** Host and port of a URL; '' if it is not one that a receiver may have. */
export function hostOf(text: string | undefined): string {
  try {
    const { protocol, username, password, host } = new URL(text ?? '')
    return /^https?:$/.test(protocol) && username === '' && password === '' ? host : ''
  } catch {
    return '' // not a URL
  }
}

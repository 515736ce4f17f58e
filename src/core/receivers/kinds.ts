import * as v from 'valibot'
import { Label } from '#base/schemas.ts'
import { textFingerprint } from '#base/fingerprint.ts'
import { SECRET_SOURCE, type AnyFormat, type Field, type Members } from './kind.ts'
import { APPRISE } from './apprise.ts'
import { DISCORD } from './discord.ts'
import { EMAIL } from './email.ts'
import { GOTIFY } from './gotify.ts'
import { MATRIX } from './matrix.ts'
import { NTFY } from './ntfy.ts'
import { PAGERDUTY } from './pagerduty.ts'
import { PUSHOVER } from './pushover.ts'
import { TEAMS } from './teams.ts'
import { TELEGRAM } from './telegram.ts'
import { SENDING } from './sending.ts'
import { SLACK } from './slack.ts'
import { SLACK_BOT } from './slack-bot.ts'
import { WEBHOOK_FIELDS } from './webhook-members.ts'

/** Kinds of receivers that the server renders messages for. Each has its file here. */
export const RECEIVER_FORMATS = {
  slack: SLACK,
  'slack-bot': SLACK_BOT,
  apprise: APPRISE,
  discord: DISCORD,
  email: EMAIL,
  gotify: GOTIFY,
  matrix: MATRIX,
  ntfy: NTFY,
  pagerduty: PAGERDUTY,
  pushover: PUSHOVER,
  teams: TEAMS,
  telegram: TELEGRAM,
} satisfies Readonly<Record<string, AnyFormat>>
export type MessageKind = keyof typeof RECEIVER_FORMATS

const isKind = (text: string): text is MessageKind => Object.hasOwn(RECEIVER_FORMATS, text)
const kindsOf = (): readonly MessageKind[] => Object.keys(RECEIVER_FORMATS).filter(isKind)
export const MESSAGE_KINDS = /* @__PURE__ */ kindsOf()

const schemaOf = (kind: MessageKind) =>
  v.strictObject({
    kind: v.literal(kind),
    name: v.optional(Label),
    via: v.optional(v.literal('relay'), 'relay'),
    ...SENDING,
    ...Object.fromEntries(
      Object.entries(RECEIVER_FORMATS[kind].fields).map(([name, { schema }]) => [name, schema]),
    ),
  })

/**
 * A receiver that the server renders messages for, with the members of its kind. The mark lets a bundler leave all
 * kinds out of Workers, which read settings.
 */
export const MessageReceiverSchema = v.variant('kind', /* @__PURE__ */ MESSAGE_KINDS.map(schemaOf))
export type MessageReceiver = v.InferOutput<typeof MessageReceiverSchema>

/** From the members that stay when a password changes; a fingerprint of a password could be guessed. */
export function messageReceiverId(receiver: MessageReceiver): string {
  const members: Members = { ...receiver }
  const { fields } = RECEIVER_FORMATS[receiver.kind]
  const shown = Object.keys(fields).filter((name) => fields[name]?.secret !== 'password')
  return textFingerprint(JSON.stringify([receiver.kind, ...shown.map((name) => members[name])]))
}

export const whereMessagesGo = (receiver: MessageReceiver): string =>
  RECEIVER_FORMATS[receiver.kind].where({ ...receiver })

type Fields = Readonly<Record<string, Omit<Field, 'schema'>>>

/** The members of a kind that a form shows in addition to name and address. */
export function fieldsOf(kind: string): Fields {
  const formats: Readonly<Partial<Record<string, { readonly fields: Fields }>>> = RECEIVER_FORMATS
  return kind === 'webhook' ? WEBHOOK_FIELDS : (formats[kind]?.fields ?? {})
}

type Kind = { readonly kind: string }

const secretsOf = (kind: string): readonly string[] =>
  Object.entries(fieldsOf(kind)).flatMap(([name, { secret }]) => (secret === undefined ? [] : [name]))

/** The members without secrets. */
export function shownMembers(receiver: Kind): Members {
  const members: Members = { ...receiver }
  const secrets = secretsOf(receiver.kind)
  return Object.fromEntries(
    Object.keys(fieldsOf(receiver.kind)).flatMap((name) =>
      secrets.includes(name) || members[name] === undefined ? [] : [[name, members[name]]],
    ),
  )
}

/** Members that decide where a secret is sent. */
const isAddress = (kind: string, name: string): boolean =>
  fieldsOf(kind)[name]?.input === 'url' || name === 'host' || (kind === 'webhook' && name === 'url')

/**
 * An edited receiver, completed with the secrets that it leaves out, unless these would go to another server: the person who
 * edits may not know them.
 */
export function withKeptSecrets(edited: Members, before: Kind): Members {
  const old: Members = { ...before }
  const { kind } = before
  const secrets = secretsOf(kind)
  const isElsewhere = [...Object.keys(fieldsOf(kind)), 'url'].some(
    (name) => isAddress(kind, name) && !secrets.includes(name) && edited[name] !== old[name],
  )
  const isSame = edited['kind'] === kind && !isElsewhere
  const kept = isSame ? secrets.filter((name) => name in old).map((name) => [name, old[name]]) : []
  // A secret that is null is removed.
  return Object.fromEntries(
    Object.entries({ ...Object.fromEntries(kept), ...edited }).filter(([, value]) => value !== null),
  )
}

/** The first secret that names a source on the server. */
export function sourceIn(receiver: Kind): string | undefined {
  const members: Members = { ...receiver }
  return secretsOf(receiver.kind).find((name) => SECRET_SOURCE.test(String(members[name])))
}

import { useState } from 'react'
import { ALARM_SEVERITIES, type AlarmSeverity } from '#alarms/alarm.ts'
import { PING_EVERY_DEFAULT_MS, type ChannelReceiver } from '#alarms/channels.ts'
import { MINUTE_MS } from '#base/time.ts'
import { toVisibleText } from '#base/visible-text.ts'
import { fieldsOf } from '#receivers/kinds.ts'
import { parseReceiver } from '#settings/documents.ts'
import { receiverIdOf, whereOf, type OfferedReceiver, type Receiver } from '#settings/receiver.ts'
import {
  isMessageKind,
  receiverTraits,
  type RECEIVER_WAYS,
  type ReceiverKind,
} from '#settings/receiver-traits.ts'
import type { useReceivers } from '#react/use-receivers.ts'
import { channelTexts } from '#texts/en-channels.ts'
import { fieldProblemText } from '#texts/en-field-problems.ts'
import { receiverKindName } from '#texts/en-receivers.ts'

const words = channelTexts.receivers

const ANSWER_CHARS_MAX = 200

export const EVERY_MINUTES = ['1', '5', '15', '60'] as const

export type ReceiverDraft = {
  readonly kind: ReceiverKind
  readonly url: string
  /** The members of a kind whose messages the server renders; '' is left out. */
  readonly members: Readonly<Record<string, string>>
  /** Optional secrets that the server is to remove. */
  readonly removed: readonly string[]
  readonly name: string
  readonly via: (typeof RECEIVER_WAYS)[number]
  readonly from: AlarmSeverity
  readonly minutes: (typeof EVERY_MINUTES)[number]
}

const EMPTY: ReceiverDraft = {
  kind: 'webhook',
  url: '',
  members: {},
  removed: [],
  name: '',
  via: 'relay',
  from: 'warning',
  minutes: '5',
}

/** The edited receiver, as the server lists it (without secrets) and as this browser sends to it. */
export type Edited = { readonly offered: OfferedReceiver; readonly sending: ChannelReceiver }

type Ports = {
  /** Whether a dashboard server can forward messages. */
  readonly hasServer: boolean
  readonly edited?: Edited | undefined
  readonly add: ReturnType<typeof useReceivers>['add']
  readonly onAdded: (receiver: ChannelReceiver) => void
}

/** By member; '' if no field is to blame. */
type Problems = Readonly<Record<string, string>>

/** A receiver draft. It is saved on the server first, because without it nothing could be sent. */
export function useReceiverDraft({ hasServer, edited, add, onAdded }: Ports) {
  const [draft, setDraft] = useState(() => (edited === undefined ? EMPTY : draftOf(edited)))
  const [problems, setProblems] = useState<Problems>({})
  const submit = async (): Promise<void> => {
    const typed = documentOf(hasServer ? draft : { ...draft, via: 'direct' })
    const parsed = parseReceiver(edited === undefined ? typed : withUnseen(draft.kind, typed))
    if (!parsed.ok)
      return setProblems(
        Object.fromEntries(
          parsed.error.toReversed().map(({ path, problem }) => [path, problemText(path, problem, draft)]),
        ),
      )
    const receiver = parsed.value
    const added = hasServer ? await add(typed, edited?.offered.id) : undefined
    if (added?.ok === false) {
      const { kind, answer = '' } = added.error
      return setProblems({
        '': kind === 'no-answer' ? words.noServer : toVisibleText(answer, ANSWER_CHARS_MAX),
      })
    }
    const id = added?.value.id ?? receiverIdOf(receiver)
    onAdded({ ...sendingTo(draft, receiver), ...(edited && othersOf(edited)), id })
  }
  return {
    draft,
    problems,
    set: (part: Partial<ReceiverDraft>): void => {
      setDraft((before) => ({ ...before, ...part }))
      setProblems({})
    },
    submit,
  }
}

const othersOf = ({ sending: { silences, screenAlarms, routing } }: Edited) => ({
  silences,
  screenAlarms,
  ...(routing && { routing }),
})

function problemText(
  path: string,
  problem: Parameters<typeof fieldProblemText>[0],
  { kind, url, members }: ReceiverDraft,
): string {
  const typed = path === 'url' && !isMessageKind(kind) ? url : (members[path] ?? '')
  const isMissing = typed.trim() === '' && (path === 'url' || isMessageKind(kind))
  return isMissing ? words.required : (fieldProblemText(problem) ?? '')
}

export const isByServer = ({ kind, via }: Pick<ReceiverDraft, 'kind' | 'via'>): boolean =>
  isMessageKind(kind) || via === 'relay'

/** As the server's file has it. */
function documentOf({
  kind,
  url,
  name,
  via,
  members,
  removed,
}: ReceiverDraft): Readonly<Record<string, unknown>> {
  const shared = { kind, ...(name.trim() !== '' && { name }) }
  const address = isMessageKind(kind) ? {} : { url, via }
  const fields = isByServer({ kind, via }) ? fieldsOf(kind) : {}
  const typed = Object.entries(fields).flatMap(([member, { input }]) => {
    const text = members[member] ?? ''
    const isRemoved = removed.includes(member)
    const value = text.trim() === '' ? null : input === 'number' ? Number(text) : text
    return value === null && !isRemoved ? [] : [[member, value] as const]
  })
  return { ...shared, ...address, ...Object.fromEntries(typed) }
}

/** The server keeps secrets that are left empty, and validates the whole. */
function withUnseen(kind: ReceiverKind, document: Readonly<Record<string, unknown>>): object {
  const secrets = Object.entries(fieldsOf(kind)).filter(
    ([name, { secret, isOptional }]) => secret !== undefined && !isOptional && document[name] === undefined,
  )
  const given = Object.entries(document).filter(([, value]) => value !== null)
  return Object.fromEntries([...given, ...secrets.map(([name]) => [name, 'env:UNSEEN'] as const)])
}

function draftOf({ offered, sending }: Edited): ReceiverDraft {
  const minutes = EVERY_MINUTES.find((one) => Number(one) * MINUTE_MS === sending.everyMs)
  return {
    ...EMPTY,
    kind: offered.kind,
    url: offered.url ?? '',
    members: Object.fromEntries(
      Object.entries(offered.members ?? {}).map(([name, value]) => [name, String(value)]),
    ),
    name: offered.name ?? '',
    via: offered.via,
    from: ALARM_SEVERITIES.find((one) => one === sending.from) ?? EMPTY.from,
    ...(minutes !== undefined && { minutes }),
  }
}

function sendingTo({ from, minutes }: ReceiverDraft, receiver: Receiver): ChannelReceiver {
  const { kind, via, name } = receiver
  const where = whereOf(receiver)
  return {
    id: receiverIdOf(receiver),
    kind,
    via,
    name: name ?? (where === '' ? receiverKindName(kind) : where),
    // Only the server knows the relay's address, which may be a secret.
    ...(receiver.via === 'direct' && { url: receiver.url }),
    from,
    everyMs: receiverTraits(kind).hasInterval ? Number(minutes) * MINUTE_MS : PING_EVERY_DEFAULT_MS,
    silences: false,
    screenAlarms: false,
  }
}

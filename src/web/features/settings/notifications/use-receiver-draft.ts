import { MINUTE_MS } from '#base/time.ts'
import { useState } from 'react'
import type { AlarmSeverity } from '#alarms/alarm.ts'
import { PING_EVERY_DEFAULT_MS, type ChannelReceiver } from '#alarms/channels.ts'
import { toVisibleText } from '#base/visible-text.ts'
import { err, ok } from '#base/result.ts'
import { choiceField, readFields, textField, type Fields } from '#react/form-draft.ts'
import {
  parseReceiverUrl,
  receiverIdOf,
  AddressReceiverSchema,
  type AddressReceiver,
} from '#settings/receiver.ts'
import { ADDRESS_KINDS, receiverTraits, RECEIVER_WAYS } from '#settings/receiver-traits.ts'
import type { useReceivers } from '#react/use-receivers.ts'
import { channelTexts } from '#texts/en-channels.ts'
import { fieldProblemText } from '#texts/en-field-problems.ts'

const words = channelTexts.receivers

const ANSWER_CHARS_MAX = 200

export const EVERY_MINUTES = ['1', '5', '15', '60'] as const

export type ReceiverDraft = {
  readonly kind: AddressReceiver['kind']
  readonly url: string
  readonly name: string
  readonly via: AddressReceiver['via']
  readonly from: AlarmSeverity
  readonly minutes: (typeof EVERY_MINUTES)[number]
}

const EMPTY: ReceiverDraft = {
  kind: 'webhook',
  url: '',
  name: '',
  via: 'relay',
  from: 'warning',
  minutes: '5',
}

/** What of it is the server's too; the rest is this browser's own. */
const FIELDS: Fields<ReceiverDraft> = {
  kind: choiceField('kind', ADDRESS_KINDS),
  url: {
    at: 'url',
    show: () => undefined,
    read(text) {
      const parsed = parseReceiverUrl(text)
      return parsed.ok ? ok(parsed.value) : err({ kind: 'other', message: words.urlProblems[parsed.error] })
    },
  },
  name: textField('name'),
  via: choiceField('via', RECEIVER_WAYS),
}

type Ports = {
  /** Whether the dashboard has a server that passes messages on. */
  readonly hasServer: boolean
  readonly add: ReturnType<typeof useReceivers>['add']
  readonly onAdded: (receiver: ChannelReceiver) => void
}

/** A receiver as it is being typed. The server gets it first: without it nothing could be sent there. */
export function useReceiverDraft({ hasServer, add, onAdded }: Ports): {
  readonly draft: ReceiverDraft
  readonly problem: string | undefined
  readonly set: (part: Partial<ReceiverDraft>) => void
  readonly submit: () => Promise<void>
} {
  const [draft, setDraft] = useState(EMPTY)
  const [problem, setProblem] = useState<string>()
  const submit = async (): Promise<void> => {
    const read = readFields(AddressReceiverSchema, FIELDS, hasServer ? draft : { ...draft, via: 'direct' })
    if (!read.ok) {
      const { url, name } = read.error
      return setProblem(url?.kind === 'other' ? url.message : fieldProblemText(url ?? name))
    }
    const receiver = read.value
    const added = hasServer ? await add(receiver) : undefined
    if (added?.ok === false) {
      const { kind, answer = '' } = added.error
      return setProblem(kind === 'no-answer' ? words.noServer : toVisibleText(answer, ANSWER_CHARS_MAX))
    }
    onAdded(sendingTo(draft, receiver))
  }
  return {
    draft,
    problem,
    set: (part) => {
      setDraft((before) => ({ ...before, ...part }))
      setProblem(undefined)
    },
    submit,
  }
}

const sendingTo = ({ from, minutes }: ReceiverDraft, receiver: AddressReceiver): ChannelReceiver => ({
  id: receiverIdOf(receiver),
  kind: receiver.kind,
  via: receiver.via,
  name: receiver.name ?? new URL(receiver.url).host,
  // What the relay sends to is the server's to know: the address may be a secret.
  ...(receiver.via === 'direct' && { url: receiver.url }),
  from,
  everyMs: receiverTraits(receiver.kind).hasInterval ? Number(minutes) * MINUTE_MS : PING_EVERY_DEFAULT_MS,
  silences: false,
  screenAlarms: false,
})

import type { MessageKind } from '#receivers/kind-ids.ts'
import type { ReceiverKind } from '#settings/receiver-traits.ts'
import { isMessageKind } from '#settings/receiver-traits.ts'
import { channelTexts } from './en-channels.ts'

type KindTexts = {
  readonly name: string
  readonly text: string
  /** Of each member of the kind, by its name in the configuration. */
  readonly fields: Readonly<Record<string, { readonly label: string; readonly hint?: string }>>
}

/** The words of each kind whose messages the server renders. */
export const messageKindTexts: Readonly<Record<MessageKind, KindTexts>> = {
  slack: {
    name: 'Slack, Mattermost, Rocket.Chat',
    text: 'A message in a channel, by an incoming webhook.',
    fields: {
      url: { label: 'Webhook URL', hint: 'Create an incoming webhook for the channel and paste its URL.' },
      channel: { label: 'Channel', hint: 'Optional; Mattermost and Rocket.Chat only. Slack ignores it.' },
    },
  },
}

export const receiverKindName = (kind: ReceiverKind): string =>
  isMessageKind(kind) ? messageKindTexts[kind].name : channelTexts.receivers.kinds[kind]

import type { MessageKind } from '#receivers/kinds.ts'
import type { Message } from '#receivers/message.ts'
import { isAddressKind, isMessageKind, type ReceiverKind } from '#settings/receiver-traits.ts'
import { channelTexts } from './en-channels.ts'

type KindTexts = {
  readonly name: string
  readonly text: string
  /** The texts of each member, by its name in the configuration. */
  readonly fields: Readonly<Record<string, { readonly label: string; readonly hint?: string }>>
}

/** The words of each kind whose messages the server renders. */
export const messageKindTexts: Readonly<Record<MessageKind, KindTexts>> = {
  slack: {
    name: 'Slack, Mattermost, Rocket.Chat',
    text: 'A message in a channel, through an incoming webhook.',
    fields: {
      url: { label: 'Webhook URL', hint: 'Create an incoming webhook for the channel and paste its URL.' },
      channel: { label: 'Channel', hint: 'Optional; Mattermost and Rocket.Chat only. Slack ignores it.' },
    },
  },
  apprise: {
    name: 'Apprise',
    text: 'A message by SMS, Signal, WhatsApp or one of over a hundred other services, through your Apprise API server.',
    fields: {
      url: { label: 'Server', hint: 'The URL of your Apprise API, such as http://apprise:8000.' },
      key: {
        label: 'Key',
        hint: 'The configuration key under which your services are saved there, such as apprise.',
      },
      tag: { label: 'Tag', hint: 'Optional. Sends only to the services with this tag.' },
    },
  },
  discord: {
    name: 'Discord',
    text: 'A message in a channel, through a webhook.',
    fields: {
      url: {
        label: 'Webhook URL',
        hint: 'In the channel’s settings, open Integrations → Webhooks, create one and copy its URL.',
      },
    },
  },
  email: {
    name: 'E-mail',
    text: 'An e-mail, through your mail server. E-mails about one alarm form a thread.',
    fields: {
      to: { label: 'To', hint: 'One address, or several separated by commas.' },
      from: { label: 'From', hint: 'An address that the mail server accepts from this account.' },
      host: { label: 'Mail server', hint: 'Its host name, such as smtp.example.org.' },
      port: { label: 'Port', hint: '587 for STARTTLS, 465 for TLS, 25 for a server in your own network.' },
      security: {
        label: 'Security',
        hint: 'STARTTLS or TLS: nothing is sent unencrypted. “none”: the password is sent in clear text.',
      },
      user: { label: 'User', hint: 'Optional. Leave it empty if the server requires no sign-in.' },
      password: { label: 'Password', hint: 'Optional. Many providers issue app passwords for this.' },
    },
  },
  gotify: {
    name: 'Gotify',
    text: 'A notification on your phone, through your Gotify server.',
    fields: {
      url: { label: 'Server', hint: 'The URL of your Gotify server.' },
      token: { label: 'Application token', hint: 'Create an application in Gotify and copy its token.' },
    },
  },
  matrix: {
    name: 'Matrix',
    text: 'A message in a room. Messages about one alarm form a thread. The room must not be encrypted.',
    fields: {
      url: { label: 'Homeserver', hint: 'Its URL, such as https://matrix.example.org.' },
      room: {
        label: 'Room ID',
        hint: 'Begins with an exclamation mark; Element shows it in Room settings → Advanced.',
      },
      token: { label: 'Access token', hint: 'Of an account that has joined the room.' },
    },
  },
  ntfy: {
    name: 'ntfy',
    text: 'A notification on your phone, through ntfy.sh or your own ntfy server.',
    fields: {
      topic: {
        label: 'Topic',
        hint: 'Anyone who knows a topic at ntfy.sh can read it: choose one that is hard to guess.',
      },
      token: { label: 'Access token', hint: 'Required for protected topics only.' },
      url: { label: 'Server', hint: 'https://ntfy.sh, or the URL of your own server.' },
    },
  },
  pagerduty: {
    name: 'PagerDuty',
    text: 'One incident for each alarm: triggered, acknowledged and resolved with it.',
    fields: {
      key: {
        label: 'Integration key',
        hint: 'Add the integration “Events API V2” to a service and copy its key.',
      },
      url: { label: 'Server', hint: 'For accounts in the EU: https://events.eu.pagerduty.com.' },
    },
  },
  pushover: {
    name: 'Pushover',
    text: 'A notification on your phone. Critical ones ring even in quiet hours.',
    fields: {
      token: { label: 'API token', hint: 'Create an application at pushover.net and copy its token.' },
      user: { label: 'User key', hint: 'Your user key at pushover.net, or the key of a group.' },
      url: {
        label: 'Server',
        hint: 'Change it only if you use a gateway of your own.',
      },
    },
  },
  teams: {
    name: 'Microsoft Teams',
    text: 'A card in a channel or chat, posted by a workflow.',
    fields: {
      url: {
        label: 'Workflow URL',
        hint: 'In Workflows, choose “Send webhook alerts to a channel” and copy the URL.',
      },
    },
  },
  'slack-bot': {
    name: 'Slack bot',
    text: 'A message from the bot of a Slack app. Later messages about the alarm reply in its thread.',
    fields: {
      token: { label: 'Bot token', hint: 'Of an app with the scope chat:write; begins with xoxb-.' },
      channel: { label: 'Channel', hint: 'The id of a channel that the bot is in, such as C024BE91L.' },
      url: { label: 'Server', hint: 'Change it only if you use a gateway of your own.' },
    },
  },
  telegram: {
    name: 'Telegram',
    text: 'A message from a bot. The recovery message replies to the first one.',
    fields: {
      token: { label: 'Bot token', hint: 'Create a bot with @BotFather and copy its token.' },
      chat: { label: 'Chat', hint: 'The id of a chat, or the @name of a channel. Message the bot first.' },
      topic: { label: 'Topic', hint: 'Optional. The id of a topic, in a group with topics.' },
      url: { label: 'Server', hint: 'Change it only if you run your own Bot API server.' },
    },
  },
}

const WEBHOOK_FIELDS: KindTexts['fields'] = {
  secret: {
    label: 'Signing secret',
    hint: 'Optional. The receiver verifies X-Immune-Signature with it.',
  },
  template: {
    label: 'Template',
    hint: 'Optional. JSON with placeholders in its strings, such as {"text": "{{title}}"}. Empty: the dashboard’s own document.',
  },
}

export const fieldTextsOf = (kind: ReceiverKind): KindTexts['fields'] => {
  if (isMessageKind(kind)) return messageKindTexts[kind].fields
  return kind === 'webhook' ? WEBHOOK_FIELDS : {}
}

/** The kind itself if it is one of a newer version. */
export function receiverKindName(kind: string): string {
  const kinds: Readonly<Partial<Record<string, KindTexts>>> = messageKindTexts
  return isAddressKind(kind) ? channelTexts.receivers.kinds[kind] : (kinds[kind]?.name ?? kind)
}

/** For the preview of a message. */
export const sampleMessage: Message = {
  version: 1,
  id: 'sample',
  kind: 'problem',
  reason: 'raised',
  severity: 'critical',
  at: '2026-06-01T03:00:00.000Z',
  title: 'Critical: Heartbeat too old, vela-007',
  link: 'https://dashboard.example/#/alarms',
  facts: [
    { name: 'Value', text: '3 m 20 s, limit 3 m' },
    { name: 'Since', text: '2026-06-01 02:56:40 UTC, 3 m 20 s ago' },
    { name: 'What this means', text: 'The service has received no heartbeat from the node for too long.' },
    { name: 'First step', text: 'Check that the node’s process runs and that its clock is right.' },
  ],
  nodes: ['vela-007'],
  nodeCount: 1,
  missed: 0,
  alarms: [],
}

import * as v from 'valibot'
import { chatText } from './chat-text.ts'
import { HttpUrl, jsonRequest, lineOf, receiverFormat } from './kind.ts'
import { LINK_WORDS, factLines, fitting, type Message } from './message.ts'

const COLORS = { critical: '#d92d20', warning: '#dc8a00', info: '#3370d6' } as const
const GOOD = '#2e8b57'

/** Slack shows 4,000 characters of a text; Mattermost and Rocket.Chat accept more. */
const TEXT_CHARS_MAX = 3_900

/**
 * An incoming webhook. Mattermost and Rocket.Chat accept the same body with attachments; only Slack has blocks. At most one
 * message a second; a 429 says how long to wait.
 */
export const SLACK = receiverFormat({
  name: 'Slack, Mattermost, Rocket.Chat',
  text: 'A message in a channel, through an incoming webhook.',
  docs: 'https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks',
  entries: {
    url: HttpUrl,
    /** Slack ignores it; Mattermost and Rocket.Chat post there if the webhook is not locked to a channel. */
    channel: v.optional(lineOf(80)),
  },
  fields: {
    url: {
      input: 'url',
      secret: 'token',
      label: 'Webhook URL',
      hint: 'Create an incoming webhook for the channel and paste its URL.',
    },
    channel: { label: 'Channel', hint: 'Optional; Mattermost and Rocket.Chat only. Slack ignores it.' },
  },
  requests: ({ url, channel }, message) => [
    jsonRequest(url, { ...slackBody(message), ...(channel !== undefined && { channel }) }),
  ],
})

/** Text and attachment, escaped. */
export function slackBody(message: Message): object {
  const { kind, severity, title, link } = message
  const isGood = kind === 'recovery'
  return {
    text: fitting(chatText(title), TEXT_CHARS_MAX),
    attachments: [
      {
        color: isGood ? GOOD : COLORS[severity],
        fallback: fitting(chatText(title), TEXT_CHARS_MAX),
        text: fitting(factLines(message).map(chatText).join('\n'), TEXT_CHARS_MAX),
        ...(link !== undefined && { title: LINK_WORDS, title_link: link }),
      },
    ],
  }
}

import { HOUR_MS } from '#base/time.ts'
import { HttpUrl, jsonRequest, readRefusal, receiverFormat } from './kind.ts'
import { LINK_WORDS, fitting, type Message } from './message.ts'
import { answerOf } from './rendering.ts'

const COLORS = { critical: 0xd92d20, warning: 0xdc8a00, info: 0x3370d6 } as const
const GOOD = 0x2e8b57

/** Half of Discord's 2,000 characters per message and 1,024 per field, because an escape may double each. */
const TITLE_CHARS_MAX = 900
const FIELD_CHARS_MAX = 500
/** All texts of an embed together may have 6,000 characters. */
const EMBED_CHARS_MAX = 5_800

/** A URL without a version means version 6, which is deprecated and counts `retry_after` in milliseconds. */
const UNVERSIONED = /^\/api\/webhooks\//

/** A forum's channel needs a `thread_id` in the URL; only a text channel's thread can have one. */
const OF_WEBHOOK: ReadonlySet<unknown> = new Set([220_001, 220_002, 220_003])

/**
 * A channel's webhook. The title is the message itself, because a phone's notification omits embeds. Mentions notify nobody.
 * Discord allows about 30 messages a minute.
 */
export const DISCORD = receiverFormat({
  name: 'Discord',
  text: 'A message in a channel, through a webhook.',
  docs: 'https://discord.com/developers/docs/resources/webhook#execute-webhook',
  entries: { url: HttpUrl },
  fields: {
    url: {
      input: 'url',
      secret: 'token',
      label: 'Webhook URL',
      hint: 'In the channel’s settings, open Integrations → Webhooks, create one and copy its URL.',
    },
  },
  requests: ({ url }, message) => {
    const waiting = new URL(url)
    waiting.pathname = waiting.pathname.replace(UNVERSIONED, '/api/v10/webhooks/')
    // Without `wait` Discord answers before it has stored the message, and does not report a failure.
    waiting.searchParams.set('wait', 'true')
    return [jsonRequest(waiting.href, bodyOf(message))]
  },
  read: (answer) => {
    const reading = readRefusal(answer, ({ code }) => OF_WEBHOOK.has(code))
    // Discord blocks an address that keeps using a deleted webhook.
    if (answer.status === 404) return { kind: 'failed', retryAfterMs: HOUR_MS }
    const seconds = Number(answerOf(answer.body)['retry_after'] ?? Number.NaN)
    // More exact than its Retry-After.
    return reading.kind === 'failed' && seconds >= 0
      ? { kind: 'failed', retryAfterMs: Math.ceil(seconds * 1_000) }
      : reading
  },
})

function bodyOf({ kind, severity, title, link, facts, missed, at }: Message): object {
  const all = missed > 0 ? [...facts, { name: 'Earlier messages dropped', text: String(missed) }] : facts
  const fields = all.map(({ name, text }) => ({
    name: escaped(name, 100),
    value: escaped(text, FIELD_CHARS_MAX),
  }))
  while (JSON.stringify(fields).length > EMBED_CHARS_MAX) fields.pop()
  return {
    content: escaped(title, TITLE_CHARS_MAX),
    allowed_mentions: { parse: [] },
    embeds: [
      {
        color: kind === 'recovery' ? GOOD : COLORS[severity],
        timestamp: at,
        fields,
        ...(link !== undefined && { title: LINK_WORDS, url: link }),
      },
    ],
  }
}

/** Without Markdown, mentions or links: Discord shows a character after a backslash literally. */
const escaped = (text: string, charsMax: number): string =>
  fitting(text, charsMax).replace(/[\\*_~`|<>#@[\]()/]/g, '\\$&')

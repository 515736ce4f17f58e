import * as v from 'valibot'
import { HttpUrl, jsonRequest, lineOf, readStatus, receiverFormat, type Reading } from './kind.ts'
import { answerOf, endpoint, threadIn } from './rendering.ts'
import { slackBody } from './slack.ts'

/**
 * Errors that blame the message or its thread, which may be deleted or locked; all others blame the token, the channel or
 * Slack.
 */
const OF_MESSAGE: ReadonlySet<unknown> = new Set([
  'attachment_payload_limit_exceeded',
  'cannot_reply_to_message',
  'invalid_arguments',
  'invalid_attachments',
  'invalid_blocks',
  'invalid_thread_ts',
  'msg_too_long',
  'no_text',
  'restricted_action_non_threadable_channel',
  'restricted_action_thread_locked',
  'thread_not_found',
  'too_many_attachments',
])

/**
 * A Slack app's bot with the scope `chat:write`. Later messages reply in the thread of the problem. At most one message a
 * second per channel.
 */
export const SLACK_BOT = receiverFormat({
  name: 'Slack bot',
  text: 'A message from the bot of a Slack app. Later messages about the alarm reply in its thread.',
  docs: 'https://docs.slack.dev/reference/methods/chat.postMessage',
  entries: {
    token: v.pipe(lineOf(300), v.regex(/^xox[a-z]-[\w-]+$/, 'is not a bot token such as xoxb-12-34-abc')),
    channel: lineOf(80),
    url: v.optional(HttpUrl, 'https://slack.com'),
  },
  fields: {
    token: {
      secret: 'token',
      label: 'Bot token',
      hint: 'From an app with the scope chat:write; begins with xoxb-.',
    },
    channel: { label: 'Channel', hint: 'The id of a channel that the bot is in, such as C024BE91L.' },
    url: { input: 'url', label: 'Server', hint: 'Change it only if you use a gateway of your own.' },
  },
  where: 'channel',
  requests: ({ token, channel, url }, message, threadOf) => {
    const thread = threadIn(message, threadOf)
    return [
      jsonRequest(
        endpoint(url, 'api/chat.postMessage'),
        {
          ...slackBody(message),
          channel,
          unfurl_links: false,
          ...(thread !== undefined && { thread_ts: thread }),
        },
        { 'content-type': 'application/json; charset=utf-8', authorization: `Bearer ${token}` },
      ),
    ]
  },
  read: (answer): Reading => {
    const reading = readStatus(answer)
    if (reading.kind !== 'accepted') return reading
    // The answer repeats the message, so its end may not have been read.
    const [, thread] = /^\{\s*"ok":\s*true[^]*?"ts":\s*"([\d.]+)"/.exec(answer.body) ?? []
    if (thread !== undefined) return { kind: 'accepted', thread }
    return OF_MESSAGE.has(answerOf(answer.body)['error']) ? { kind: 'refused' } : { kind: 'failed' }
  },
})

import * as v from 'valibot'
import { chatText } from './chat-text.ts'
import { membersOf } from '#base/stored.ts'
import { HttpUrl, jsonRequest, lineOf, readStatus, receiverFormat } from './kind.ts'
import { LINK_WORDS, factLines, fitting, type Message } from './message.ts'
import { answerOf, endpoint, htmlText, threadIn } from './rendering.ts'

/** Together less than a message's 4,096 UTF-16 units; an entity counts as one. */
const TITLE_CHARS_MAX = 500
const FACTS_CHARS_MAX = 3_000

/** 400s that blame the receiver and not the message. */
const OF_CHAT = /chat|peer|rights|topic|thread/i

/** A bot with a token from BotFather. A recovery replies to its problem. At most one message a second per chat. */
export const TELEGRAM = receiverFormat({
  name: 'Telegram',
  text: 'A message from a bot. Later messages about the alarm reply to the first one.',
  docs: 'https://core.telegram.org/bots/api#sendmessage',
  entries: {
    token: v.pipe(lineOf(200), v.regex(/^\d+:[\w-]+$/, 'is not a bot token such as 123456:ABC-DEF')),
    chat: v.pipe(lineOf(64), v.regex(/^(-?\d+|@\w+)$/, 'is not a chat id or @name')),
    topic: v.optional(v.pipe(lineOf(20), v.regex(/^\d+$/, 'is not a topic id'))),
    url: v.optional(HttpUrl, 'https://api.telegram.org'),
  },
  fields: {
    token: { secret: 'token', label: 'Bot token', hint: 'Create a bot with @BotFather and copy its token.' },
    chat: { label: 'Chat', hint: 'The id of a chat, or the @name of a channel. Message the bot first.' },
    topic: { label: 'Topic', hint: 'Optional. The id of a topic, in a group with topics.' },
    url: { input: 'url', label: 'Server', hint: 'Change it only if you run your own Bot API server.' },
  },
  where: 'chat',
  requests: ({ token, chat, topic, url }, message, threadOf) => {
    const thread = threadIn(message, threadOf)
    return [
      jsonRequest(endpoint(url, `bot${token}/sendMessage`), {
        chat_id: chat,
        text: htmlOf(message),
        parse_mode: 'HTML',
        link_preview_options: { is_disabled: true },
        ...(topic !== undefined && { message_thread_id: Number(topic) }),
        ...(thread !== undefined && {
          reply_parameters: { message_id: Number(thread), allow_sending_without_reply: true },
        }),
      }),
    ]
  },
  read: (answer) => {
    const { status, body } = answer
    const reading = readStatus(answer)
    if (reading.kind === 'accepted') {
      // The answer repeats the message, so its end may not have been read.
      return { kind: 'accepted', thread: /"message_id":\s*(\d+)/.exec(body)?.[1] }
    }
    const { description, parameters } = answerOf(body)
    const seconds = Number(membersOf(parameters)?.['retry_after'] ?? Number.NaN)
    if (status === 429 && seconds >= 0) return { kind: 'failed', retryAfterMs: seconds * 1_000 }
    return status === 400 && OF_CHAT.test(String(description)) ? { kind: 'failed' } : reading
  },
})

const htmlOf = (message: Message): string =>
  [
    `<b>${chatText(fitting(message.title, TITLE_CHARS_MAX))}</b>`,
    ...fitting(factLines(message).join('\n'), FACTS_CHARS_MAX).split('\n').map(chatText),
    ...(message.link === undefined ? [] : [`<a href="${htmlText(message.link)}">${LINK_WORDS}</a>`]),
  ].join('\n')

import * as v from 'valibot'
import { chatText } from './chat-text.ts'
import { HttpUrl, jsonRequest, lineOf, readRefusal, receiverFormat } from './kind.ts'
import { LINK_WORDS, factLines, type Message } from './message.ts'
import { answerOf, endpoint, fittingBytes, htmlText, threadIn, unlinked } from './rendering.ts'

/** An event may have 65,536 bytes, and contains this text twice. */
const FACTS_BYTES_MAX = 20_000

/** Errors that blame the message; all others blame the token, the room or the homeserver, regardless of status. */
const OF_MESSAGE: ReadonlySet<unknown> = new Set([
  undefined,
  'M_BAD_JSON',
  'M_INVALID_PARAM',
  'M_NOT_JSON',
  'M_TOO_LARGE',
  'M_UNKNOWN',
])

/** A room that the token's account has joined. A message that is sent again has the same id and so is the same event. */
export const MATRIX = receiverFormat({
  name: 'Matrix',
  text: 'A message in a room. Messages about one alarm form a thread. The room must not be encrypted.',
  docs: 'https://spec.matrix.org/latest/client-server-api/#put_matrixclientv3roomsroomidsendeventtypetxnid',
  entries: {
    url: HttpUrl,
    room: v.pipe(lineOf(255), v.regex(/^!\S+$/, 'is not a room id such as !abc:example.org')),
    token: lineOf(1_000),
  },
  fields: {
    url: { input: 'url', label: 'Homeserver', hint: 'Its URL, such as https://matrix.example.org.' },
    room: {
      label: 'Room ID',
      hint: 'Begins with an exclamation mark; Element shows it in Room settings → Advanced.',
    },
    token: { secret: 'token', label: 'Access token', hint: 'From an account in the Matrix room.' },
  },
  where: 'room',
  requests: ({ url, room, token }, message, threadOf) => {
    const path = [room, 'send', 'm.room.message', message.id].map(encodeURIComponent).join('/')
    const event = eventOf(message, threadIn(message, threadOf))
    const headers = { authorization: `Bearer ${token}` }
    return [
      { method: 'PUT', ...jsonRequest(endpoint(url, `_matrix/client/v3/rooms/${path}`), event, headers) },
    ]
  },
  read: (answer) => {
    const reading = readRefusal(answer, ({ errcode }) => !OF_MESSAGE.has(errcode))
    const { event_id: event, retry_after_ms: ms } = answerOf(answer.body)
    if (reading.kind === 'accepted' && typeof event === 'string')
      return { kind: 'accepted', thread: event.slice(0, 200) }
    return reading.kind === 'failed' && typeof ms === 'number'
      ? { kind: 'failed', retryAfterMs: ms }
      : reading
  },
})

/** Mentions nobody, even if a name looks like a mention. */
function eventOf(message: Message, thread: string | undefined): object {
  const { title, link } = message
  const facts = fittingBytes(factLines(message).join('\n'), FACTS_BYTES_MAX)
  const html = [
    `<strong>${chatText(title)}</strong>`,
    ...facts.split('\n').filter(Boolean).map(chatText),
    ...(link === undefined ? [] : [`<a href="${htmlText(link)}">${LINK_WORDS}</a>`]),
  ]
  return {
    msgtype: 'm.text',
    body: [unlinked(`${title}\n${facts}`.trim()), link ?? ''].join('\n').trim(),
    format: 'org.matrix.custom.html',
    formatted_body: html.join('<br>'),
    'm.mentions': {},
    ...(thread !== undefined && {
      'm.relates_to': {
        rel_type: 'm.thread',
        event_id: thread,
        is_falling_back: true,
        'm.in_reply_to': { event_id: thread },
      },
    }),
  }
}

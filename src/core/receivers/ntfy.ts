import * as v from 'valibot'
import { HttpUrl, jsonRequest, lineOf, readRefusal, receiverFormat } from './kind.ts'
import { fitting, shownText } from './message.ts'
import { endpoint, fittingBytes, plainFacts, unlinked } from './rendering.ts'

/** ntfy's highest priority rings long; 3 is its default. */
const PRIORITIES = { critical: 5, warning: 4, info: 3 } as const
const ICONS = { critical: 'rotating_light', warning: 'warning', info: 'information_source' } as const

/** A longer message becomes an attachment. */
const MESSAGE_BYTES_MAX = 4_096

/** Bad requests for a topic that is invalid, or that the server reserves. */
const OF_TOPIC: ReadonlySet<unknown> = new Set([40_009, 40_010])

/** A topic on ntfy.sh or your own server. On ntfy.sh, a topic's name is its only secret. */
export const NTFY = receiverFormat({
  name: 'ntfy',
  text: 'A notification on your phone, through ntfy.sh or your own ntfy server.',
  docs: 'https://docs.ntfy.sh/publish/#publish-as-json',
  entries: {
    topic: v.pipe(lineOf(64), v.regex(/^[-\w]+$/, 'may contain only letters, digits, _ and -')),
    token: v.optional(lineOf(200)),
    url: v.optional(HttpUrl, 'https://ntfy.sh'),
  },
  fields: {
    topic: {
      secret: 'token',
      label: 'Topic',
      hint: 'Anyone who knows a topic at ntfy.sh can read it: choose one that is hard to guess.',
    },
    token: { secret: 'token', label: 'Access token', hint: 'Required for protected topics only.' },
    url: { input: 'url', label: 'Server', hint: 'https://ntfy.sh, or the URL of your own server.' },
  },
  requests: ({ topic, token, url }, message) => {
    const { kind, severity, title, link } = message
    const isGood = kind === 'recovery'
    return [
      jsonRequest(
        endpoint(url, ''),
        {
          topic,
          title: fitting(unlinked(title), 250),
          message: fittingBytes(plainFacts(message, MESSAGE_BYTES_MAX), MESSAGE_BYTES_MAX),
          priority: isGood ? 3 : PRIORITIES[severity],
          tags: [isGood ? 'white_check_mark' : ICONS[severity]],
          ...(link !== undefined && { click: link }),
        },
        token === undefined ? {} : { authorization: `Bearer ${token}` },
      ),
    ]
  },
  read: (answer) => readRefusal(answer, ({ code }) => OF_TOPIC.has(code)),
  // A tap opens the link.
  preview: (message) => shownText(message, ''),
})

import * as v from 'valibot'
import { HOUR_MS } from '#base/time.ts'
import { HttpUrl, lineOf, readStatus, receiverFormat } from './kind.ts'
import { LINK_WORDS, fitting, type Message } from './message.ts'
import { answerOf, endpoint, plainFacts, unlinked } from './rendering.ts'

/** 1 rings even during quiet hours; -1 makes no sound. */
const PRIORITIES = { critical: '1', warning: '0', info: '-1' } as const

const Key = v.pipe(lineOf(30), v.regex(/^[A-Za-z0-9]{30}$/, 'must be 30 letters and digits'))

/** An application of pushover.net, for a user or a group. */
export const PUSHOVER = receiverFormat({
  name: 'Pushover',
  text: 'A notification on your phone. Critical problems ring even during Pushover’s quiet hours.',
  docs: 'https://pushover.net/api',
  entries: { token: Key, user: Key, url: v.optional(HttpUrl, 'https://api.pushover.net') },
  fields: {
    token: {
      secret: 'token',
      label: 'API token',
      hint: 'Create an application at pushover.net and copy its token.',
    },
    user: {
      secret: 'token',
      label: 'User key',
      hint: 'Your user key at pushover.net, or the key of a group.',
    },
    url: { input: 'url', label: 'Server', hint: 'Change it only if you use a gateway of your own.' },
  },
  requests: ({ token, user, url }, message) => [
    {
      url: endpoint(url, '1/messages.json'),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ token, user, ...formOf(message) }).toString(),
    },
  ],
  read: (answer) => {
    // The application has used up its messages of this month.
    if (answer.status === 429) return { kind: 'failed', retryAfterMs: HOUR_MS }
    const { token, user } = answerOf(answer.body)
    return token === 'invalid' || user === 'invalid' ? { kind: 'failed' } : readStatus(answer)
  },
})

function formOf(message: Message): Readonly<Record<string, string>> {
  const { kind, severity, title, link = '', at } = message
  return {
    title: fitting(unlinked(title), 250),
    message: plainFacts(message, 1_024),
    priority: kind === 'recovery' ? '0' : PRIORITIES[severity],
    timestamp: String(Math.floor(Date.parse(at) / 1_000)),
    ...(link !== '' && link.length <= 512 && { url: link, url_title: LINK_WORDS }),
  }
}

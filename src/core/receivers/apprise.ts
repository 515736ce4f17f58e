import * as v from 'valibot'
import { HttpUrl, jsonRequest, lineOf, readStatus, receiverFormat } from './kind.ts'
import { fitting, shownText } from './message.ts'
import { endpoint, plainFacts, unlinked } from './rendering.ts'

const TYPES = { critical: 'failure', warning: 'warning', info: 'info' } as const

/** Apprise itself cuts a message to what each service accepts. */
const BODY_CHARS_MAX = 10_000

/** A server of the Apprise API, which sends to the services in its configuration `key`. */
export const APPRISE = receiverFormat({
  name: 'Apprise',
  text: 'A message by SMS, Signal, WhatsApp or one of over a hundred other services, through your Apprise API server.',
  docs: 'https://appriseit.com/api/usage/',
  entries: {
    url: HttpUrl,
    key: v.pipe(lineOf(64), v.regex(/^[\w-]+$/, 'may contain only letters, digits, _ and -')),
    tag: v.optional(lineOf(200)),
  },
  fields: {
    url: { input: 'url', label: 'Server', hint: 'The URL of your Apprise API, such as http://apprise:8000.' },
    key: {
      label: 'Key',
      hint: 'The configuration key under which your services are saved there, such as apprise.',
    },
    tag: { label: 'Tag', hint: 'Optional. Sends only to the services with this tag.' },
  },
  requests: ({ url, key, tag }, message) => [
    jsonRequest(
      endpoint(url, `notify/${key}`),
      {
        title: fitting(unlinked(message.title), 250),
        body: [plainFacts(message, BODY_CHARS_MAX), message.link ?? ''].join('\n').trim(),
        type: message.kind === 'recovery' ? 'success' : TYPES[message.severity],
        format: 'text',
        ...(tag !== undefined && { tag }),
      },
      { accept: 'application/json' },
    ),
  ],
  read: (answer) => {
    // 204: it has no configuration of this key.
    if (answer.status === 204) return { kind: 'failed' }
    // 424: some services did not accept it. The others would get it again with each attempt.
    return answer.status === 424 ? { kind: 'refused' } : readStatus(answer)
  },
  preview: (message) => shownText(message, message.link),
})

import { HttpUrl, jsonRequest, lineOf, readRefusal, receiverFormat } from './kind.ts'
import { fitting, shownText } from './message.ts'
import { endpoint, plainFacts, unlinked } from './rendering.ts'

/** The Android app plays a sound from 4 on, and rings from 8 on. */
const PRIORITIES = { critical: 8, warning: 5, info: 4 } as const

/** Gotify has no limit of its own. */
const MESSAGE_CHARS_MAX = 10_000

/** An application on a Gotify server. Sends plain text, because Markdown would load images. */
export const GOTIFY = receiverFormat({
  name: 'Gotify',
  text: 'A notification on your phone, through your Gotify server.',
  docs: 'https://gotify.net/docs/pushmsg',
  entries: { url: HttpUrl, token: lineOf(200) },
  fields: {
    url: { input: 'url', label: 'Server', hint: 'The URL of your Gotify server.' },
    token: {
      secret: 'token',
      label: 'Application token',
      hint: 'Create an application in Gotify and copy its token.',
    },
  },
  requests: ({ url, token }, message) => {
    const { kind, severity, title, link } = message
    return [
      jsonRequest(
        endpoint(url, 'message'),
        {
          title: fitting(unlinked(title), 250),
          message: plainFacts(message, MESSAGE_CHARS_MAX),
          priority: kind === 'recovery' ? 4 : PRIORITIES[severity],
          extras: {
            'client::display': { contentType: 'text/plain' },
            ...(link !== undefined && { 'client::notification': { click: { url: link } } }),
          },
        },
        { 'x-gotify-key': token },
      ),
    ]
  },
  // With a client's token instead of an application's, Gotify answers 400 and asks for an `appid`.
  read: (answer) =>
    readRefusal(answer, ({ errorDescription }) => String(errorDescription).startsWith('appid')),
  // A tap opens the link.
  preview: (message) => shownText(message, ''),
})

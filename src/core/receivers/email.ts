import * as v from 'valibot'
import { whole } from '#base/schemas.ts'
import { textFingerprint } from '#base/fingerprint.ts'
import { lineOf, receiverFormat } from './kind.ts'
import { LINK_WORDS, factLines, fitting, type Message } from './message.ts'
import { htmlText, threadIn, unlinked } from './rendering.ts'

const RECIPIENTS_MAX = 20

/** An address without a name. A comma, bracket, quote or line end would allow more than one. */
const ADDRESS = /^[^\s<>()[\]\\,;:"@]{1,64}@[^\s<>()[\]\\,;:"@]{1,255}$/

const addressesIn = (text: string): readonly string[] => text.split(',').map((part) => part.trim())

const Addresses = v.pipe(
  lineOf(2_000),
  v.check(
    (text) => addressesIn(text).every((one) => ADDRESS.test(one)),
    'is not a list of addresses such as ops@example.org',
  ),
  v.check((text) => addressesIn(text).length <= RECIPIENTS_MAX, `has more than ${RECIPIENTS_MAX} addresses`),
)

/** An account on a mail server. E-mails about one alarm refer to its first one, so that mail programs thread them. */
export const EMAIL = receiverFormat({
  name: 'E-mail',
  text: 'An e-mail, through your mail server. E-mails about one alarm form a thread.',
  docs: 'https://nodemailer.com/smtp/',
  entries: {
    to: Addresses,
    from: v.pipe(lineOf(320), v.regex(ADDRESS, 'is not an address such as dashboard@example.org')),
    host: v.pipe(lineOf(255), v.regex(/^[\w.:-]+$/, 'is not a host name')),
    port: v.optional(whole(1, 65_535), 587),
    security: v.optional(v.picklist(['starttls', 'tls', 'none']), 'starttls'),
    user: v.optional(lineOf(320)),
    password: v.optional(lineOf(1_000)),
  },
  fields: {
    to: { label: 'To', hint: 'One address, or several separated by commas.' },
    from: { label: 'From', hint: 'An address that the mail server accepts from this account.' },
    host: { label: 'Mail server', hint: 'Its host name, such as smtp.example.org.' },
    port: {
      input: 'number',
      label: 'Port',
      hint: '587 for STARTTLS, 465 for TLS, 25 for a server in your own network.',
    },
    security: {
      input: 'choice',
      label: 'Security',
      hint: 'STARTTLS or TLS: nothing is sent unencrypted. “none”: the password is sent in clear text.',
    },
    user: { label: 'User', hint: 'Optional. Leave it empty if the server requires no sign-in.' },
    password: {
      secret: 'password',
      label: 'Password',
      hint: 'Optional. Many providers issue app passwords for this.',
    },
  },
  where: 'to',
  requests: ({ to, from, host, port, security, user, password }, message, threadOf) => [
    {
      mail: {
        host,
        port,
        security,
        login: user === undefined ? undefined : { user, password: password ?? '' },
        from,
        to: addressesIn(to),
        isUrgent: message.severity === 'critical' && message.kind !== 'recovery',
        subject: fitting(message.title, 200),
        ...bodiesOf(message),
        messageId: `<${textFingerprint(message.id)}@${from.replace(/^.*@/, '')}>`,
        inReplyTo: threadIn(message, threadOf),
      },
    },
  ],
  read: ({ status, headers }) => {
    if (status >= 200 && status < 300) return { kind: 'accepted', thread: headers['message-id'] }
    // Too large, or refused for its contents. Every other reply blames the account or an address, or is temporary.
    return status === 552 || status === 554 ? { kind: 'refused' } : { kind: 'failed' }
  },
})

function bodiesOf(message: Message): { readonly text: string; readonly html: string } {
  const { link } = message
  const title = unlinked(message.title)
  const lines = factLines(message).map(unlinked)
  const html = [
    `<strong>${htmlText(title)}</strong>`,
    lines.map(htmlText).join('<br>\n'),
    link === undefined ? '' : `<a href="${htmlText(link)}">${LINK_WORDS}</a>`,
  ]
  return {
    text: [title, lines.join('\n'), link ?? ''].filter(Boolean).join('\n\n'),
    html: html
      .filter(Boolean)
      .map((part) => `<p>${part}</p>`)
      .join('\n'),
  }
}

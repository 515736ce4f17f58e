import { describe, expect, it, onTestFinished } from 'vitest'
import type { Mail } from '#receivers/kind.ts'
import { sendMail, type MailOptions } from '#server/send-mail.ts'
import { freePort } from '#test/support/free-port.ts'
import { startMailServer, type MailServerOptions } from '#test/support/mail-stand-in.ts'
import { certificate } from './test-server.ts'

const LOGIN = { user: 'dash', password: 'mail-secret' }

const mailTo = (changed: Partial<Mail>): Mail => ({
  host: '127.0.0.1',
  port: 25,
  security: 'none',
  login: undefined,
  from: 'dashboard@example.org',
  to: ['ops@example.org', 'lead@example.org'],
  isUrgent: true,
  subject: 'Critical: héartbeat\r\nBcc: all@example.org',
  text: 'Since 03:00\r\n.\r\nQUIT',
  html: '<p>Since 03:00</p>',
  messageId: '<2@example.org>',
  inReplyTo: '<1@example.org>',
  ...changed,
})

const send = (mail: Partial<Mail>, options: Partial<MailOptions> = {}) =>
  sendMail(mailTo(mail), {
    reach: 'anywhere',
    signal: new AbortController().signal,
    timeoutMs: 10_000,
    ...options,
  })

async function mailServer(options: MailServerOptions) {
  const server = await startMailServer(options)
  onTestFinished(server.close)
  return server
}

describe('a mail', () => {
  it('is delivered only if client and server use the same security', async () => {
    const { cert, key } = await certificate('mail')
    const securities = ['starttls', 'tls', 'none'] as const
    const outcomes: unknown[] = []
    for (const at of securities) {
      const { port, mails } = await mailServer({ security: at, certificate: { cert, key }, login: LOGIN })
      for (const security of securities) {
        const sent = await send({ port, security, login: LOGIN }, { ca: cert, timeoutMs: 1_000 })
        outcomes.push(`${security} at ${at}: ${sent.ok ? sent.value.status : sent.error}, ${mails.length}`)
      }
    }
    expect(outcomes).toEqual([
      'starttls at starttls: 250, 1',
      'tls at starttls: tls-handshake, 1',
      'none at starttls: 538, 1',
      'starttls at tls: timeout, 0',
      'tls at tls: 250, 1',
      'none at tls: timeout, 1',
      'starttls at none: tls-handshake, 0',
      'tls at none: tls-handshake, 0',
      'none at none: 250, 1',
    ])
  })

  it('returns the reply of the server, or why there is none', async () => {
    const { cert, key } = await certificate('mail')
    const { port } = await mailServer({ security: 'tls', certificate: { cert, key }, login: LOGIN })
    const open = await mailServer({ security: 'none' })
    const outcome = async (mail: Partial<Mail>, options?: Partial<MailOptions>) => {
      const sent = await send(mail, options)
      return sent.ok ? sent.value.body : sent.error
    }
    const login = { ...LOGIN, password: 'other' }
    expect(await outcome({ port, security: 'tls', login }, { ca: cert })).toMatch(/^535 /)
    expect(await outcome({ port, security: 'tls', login: LOGIN })).toBe('tls')
    expect(await outcome({ port: open.port, to: ['nobody@example.org'] })).toMatch(/^550 .*No such user/)
    expect(await outcome({ port: open.port, text: 'x'.repeat(2_000_000) })).toMatch(/^552 /)
    expect(await outcome({ port: open.port }, { reach: 'public' })).toBe('blocked')
    expect(await outcome({ port: open.port, host: 'localhost' }, { reach: 'public' })).toBe('blocked')
    expect(await outcome({ port: await freePort() })).toBe('refused')
    expect(await outcome({ port: open.port }, { signal: AbortSignal.abort() })).toBe('gone')
    expect(open.mails).toEqual([])
  })

  it('is one mail with these headers, even with hostile texts', async () => {
    const { port, mails } = await mailServer({ security: 'none' })
    expect(await send({ port })).toMatchObject({ value: { headers: { 'message-id': '<2@example.org>' } } })
    expect(mails).toHaveLength(1)
    const [head = '', ...body] = (mails[0] ?? '').split('\r\n\r\n')
    expect(head.replace(/\r\n /g, '').split('\r\n')).toEqual(
      expect.arrayContaining([
        'To: ops@example.org, lead@example.org',
        'In-Reply-To: <1@example.org>',
        'References: <1@example.org>',
        'Message-ID: <2@example.org>',
        'Auto-Submitted: auto-generated',
        'Importance: High',
      ]),
    )
    expect(head).not.toMatch(/^Bcc:/m)
    expect(body.join('\n')).toContain('Since 03:00\r\n.\r\nQUIT')
  })
})

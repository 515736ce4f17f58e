import { once } from 'node:events'
import { connect } from 'node:net'
import { createTransport } from 'nodemailer'
import { err, ok, type Result } from '#base/result.ts'
import type { Mail, ReceiverAnswer } from '#receivers/kind.ts'
import { isHostBlocked, lookupWithin, resolveByDns, type Reach } from '#node/address-guard.ts'
import { failureOfError, type HttpFailure } from '#node/http-client.ts'

export type MailOptions = {
  readonly reach: Reach
  readonly signal: AbortSignal
  /** Covers everything from the name lookup to the server's last reply. */
  readonly timeoutMs: number
  /** An authority to trust instead of the system's. */
  readonly ca?: Buffer
}

/** Delivers one e-mail over a new connection and returns the server's reply. Never throws. */
export async function sendMail(
  mail: Mail,
  { reach, signal, timeoutMs, ca }: MailOptions,
): Promise<Result<ReceiverAnswer, HttpFailure>> {
  const { host, port, security, login, from, to, messageId, inReplyTo, isUrgent, subject, text, html } = mail
  if (isHostBlocked(host, reach)) return err('blocked')
  const ended = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  const transport = createTransport({
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...(login !== undefined && { auth: { user: login.user, pass: login.password } }),
    ...(ca !== undefined && { tls: { ca } }),
    disableFileAccess: true,
    disableUrlAccess: true,
    // Like other requests, it resolves the name once and connects only to permitted addresses.
    getSocket: (_options, done) => {
      const socket = connect({ host, port, lookup: lookupWithin(reach, resolveByDns), signal: ended })
      once(socket, 'connect').then(
        () => done(null, { connection: socket }),
        (error: Error) => done(error, false),
      )
    },
  })
  try {
    const { response } = await transport.sendMail({
      from: { name: 'immune node dashboard', address: from },
      to: Array.from(to),
      subject,
      text,
      html,
      messageId,
      ...(inReplyTo !== undefined && { inReplyTo, references: inReplyTo }),
      priority: isUrgent ? 'high' : 'normal',
      // RFC 3834: no out-of-office answers.
      headers: { 'Auto-Submitted': 'auto-generated' },
      signal: ended,
    })
    return ok({ status: Number(response.slice(0, 3)), headers: { 'message-id': messageId }, body: response })
  } catch (error) {
    return ended.aborted ? err(signal.aborted ? 'gone' : 'timeout') : outcomeOf(error)
  }
}

/** A reply of the server, or why there is none. */
function outcomeOf(error: unknown): Result<ReceiverAnswer, HttpFailure> {
  const { code, originalCode, responseCode, response }: Readonly<Record<string, unknown>> = Object(error)
  // The server refused STARTTLS, or it failed.
  if (code === 'ETLS') return err('tls-handshake')
  if (typeof responseCode === 'number')
    return ok({ status: responseCode, headers: {}, body: typeof response === 'string' ? response : '' })
  return err(failureOfError(Object.assign(new Error('no reply'), { code: originalCode ?? code })))
}

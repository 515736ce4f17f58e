import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'
import { portOf } from './free-port.ts'

export type MailServerOptions = {
  readonly security: 'starttls' | 'tls' | 'none'
  readonly certificate?: { readonly key: Buffer; readonly cert: Buffer }
  /** Without a login the server accepts mail from everybody. */
  readonly login?: { readonly user: string; readonly password: string }
}

const refusal = (responseCode: number, words: string): Error =>
  Object.assign(new Error(words), { responseCode })

/** A local mail server that stores the mails that it accepts. */
export async function startMailServer({ security, certificate, login }: MailServerOptions) {
  const mails: string[] = []
  let next: readonly [code: number, words: string] | undefined
  const server = new SMTPServer({
    secure: security === 'tls',
    ...certificate,
    disabledCommands: [
      ...(security === 'starttls' ? [] : ['STARTTLS']),
      ...(login === undefined ? ['AUTH'] : []),
    ],
    allowInsecureAuth: security === 'none',
    size: 1_000_000,
    logger: false,
    onAuth: ({ username, password }, _session, done) =>
      username === login?.user && password === login?.password
        ? done(null, { user: username })
        : done(refusal(535, 'Authentication credentials invalid')),
    onRcptTo: ({ address }, _session, done) =>
      done(address.startsWith('nobody@') ? refusal(550, 'No such user here') : null),
    onData: (stream, _session, done) => {
      void text(stream).then((mail) => {
        if (next !== undefined) return done(refusal(...next))
        if (stream.sizeExceeded) return done(refusal(552, 'Message is too large'))
        mails.push(mail)
        return done(null)
      })
    },
  })
  // A client that does not trust the certificate closes the connection.
  server.on('error', () => undefined)
  return {
    port: await portOf(server.server),
    mails,
    /** Sets the next reply; without one the server accepts again. */
    answer: (code: number, words: string): void => {
      next = [code, words]
    },
    close: (): void => server.close(),
  }
}

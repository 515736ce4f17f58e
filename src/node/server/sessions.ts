import { createHash, randomBytes } from 'node:crypto'

export type Sessions = ReturnType<typeof createSessions>

export type Session = {
  readonly name: string
  /** Of the account, when it began. */
  readonly stamp: string
  /** Over https; its cookie is then never sent without. */
  readonly isSecure: boolean
  readonly endsMs: number
}

/** Of one account; a password file names at most 256. */
const SESSIONS_MAX = 64

/** Who is signed in, in memory only: a restart ends every session. */
export function createSessions(nowMs: () => number, lifeMs: number) {
  // All live equally long, so the order of insertion is the order in which they end.
  const sessions = new Map<string, Session>()
  return {
    /** The token of a new session; only its hash is kept. */
    begin: (session: Omit<Session, 'endsMs'>): string => {
      const token = randomBytes(32).toString('base64url')
      const own = [...sessions].filter(([, { name }]) => name === session.name)
      const [oldest] = own
      if (own.length >= SESSIONS_MAX && oldest !== undefined) sessions.delete(oldest[0])
      sessions.set(hashOf(token), { ...session, endsMs: nowMs() + lifeMs })
      return token
    },
    find: (token: string): Session | undefined => {
      const session = sessions.get(hashOf(token))
      if (session === undefined || session.endsMs > nowMs()) return session
      sessions.delete(hashOf(token))
      return undefined
    },
    end: (token: string): void => void sessions.delete(hashOf(token)),
  }
}

// By its hash, so that how long the comparison takes says nothing of the token.
const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64')

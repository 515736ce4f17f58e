import { createHash, randomBytes } from 'node:crypto'

export type Sessions = ReturnType<typeof createSessions>

export type Session = {
  readonly name: string
  readonly stamp: string
  /** The session began over https, so its cookie is never sent over plain http. */
  readonly isSecure: boolean
  readonly endsMs: number
}

/** Per account; a password file has at most 256 accounts. */
const SESSIONS_MAX = 64

/** Sessions are in memory only, so a restart ends them all. */
export function createSessions(nowMs: () => number, lifeMs: number) {
  // All sessions live equally long, so they end in the order of insertion.
  const sessions = new Map<string, Session>()
  return {
    /** Returns the token of a new session; only its hash is stored. */
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

// Looks up by hash, so that the time of the comparison reveals nothing about the token.
const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64')

import { createHash, randomBytes } from 'node:crypto'

/** Who is signed in, in memory only: a restart ends every session. */
export type Sessions = {
  /** The token of a new session; only its hash is kept. */
  readonly begin: (session: Omit<Session, 'endsMs'>) => string
  readonly find: (token: string) => Session | undefined
  readonly end: (token: string) => void
}

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

export function createSessions(nowMs: () => number, lifeMs: number): Sessions {
  // All live equally long, so the order of insertion is the order in which they end.
  const sessions = new Map<string, Session>()
  return {
    begin: (session) => {
      const token = randomBytes(32).toString('base64url')
      const own = [...sessions].filter(([, { name }]) => name === session.name)
      const [oldest] = own
      if (own.length >= SESSIONS_MAX && oldest !== undefined) sessions.delete(oldest[0])
      sessions.set(hashOf(token), { ...session, endsMs: nowMs() + lifeMs })
      return token
    },
    find: (token) => {
      const session = sessions.get(hashOf(token))
      if (session === undefined || session.endsMs > nowMs()) return session
      sessions.delete(hashOf(token))
      return undefined
    },
    end: (token) => void sessions.delete(hashOf(token)),
  }
}

// By its hash, so that how long the comparison takes says nothing of the token.
const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64')

/** How soon a password may be tried. Undefined: now; else how many seconds to wait. */
export type TryLimit = {
  readonly waitS: (keys: readonly string[]) => number | undefined
  readonly count: (keys: readonly string[]) => void
}

const KEYS_MAX = 1_000

/** `most` tries at once for each key, and after that one each `everyMs`. */
export function createTryLimit(nowMs: () => number, most: number, everyMs: number): TryLimit {
  /** When all of a key's tries are there again. */
  const fullMs = new Map<string, number>()
  const freeMs = (key: string): number => (fullMs.get(key) ?? 0) - (most - 1) * everyMs
  return {
    waitS: (keys) => {
      const waitMs = Math.max(...keys.map(freeMs)) - nowMs()
      return waitMs > 0 ? Math.ceil(waitMs / 1_000) : undefined
    },
    count: (keys) => {
      for (const key of keys) {
        const next = Math.max(fullMs.get(key) ?? 0, nowMs()) + everyMs
        fullMs.delete(key)
        fullMs.set(key, next)
      }
      for (const key of fullMs.keys()) {
        if (fullMs.size <= KEYS_MAX && (fullMs.get(key) ?? 0) > nowMs()) break
        fullMs.delete(key)
      }
    },
  }
}

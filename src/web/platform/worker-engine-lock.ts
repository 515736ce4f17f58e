import type { Clock } from '#base/clock.ts'
import { ownText } from '#base/own-member.ts'
import { siteName } from './site.ts'

/** Ensures that only one engine of any version runs in this browser. */
export type EngineLock = {
  readonly acquire: (events: LockEvents) => Acquiring
  readonly confirm: () => Promise<boolean>
}

export type Acquiring = {
  /** Releases the lock; no callback is called after that. */
  readonly end: () => void
  /** Takes the lock from an engine that no longer answers. */
  readonly steal: () => void
}

export type LockEvents = {
  readonly granted: () => void
  /** Another engine holds the lock; `version` is undefined if unknown. */
  readonly waits: (version: string | undefined) => void
  /** Another engine took the lock because this one did not answer. */
  readonly lost: () => void
}

const ENGINE = siteName('immune-engine')
/** Prefix of the lock that each engine holds for its lifetime, followed by its id and version. */
const ALIVE = siteName('immune-engine-of')

type Ports = {
  readonly clock: Clock
  /** Id of this engine, unique for each start. */
  readonly id: string
  readonly version: string
}

/** Uses Web Locks, or on plain http, where there are none, a BroadcastChannel. */
export const engineLock = (ports: Ports): EngineLock =>
  globalThis.isSecureContext
    ? lockOf(navigator.locks, ports)
    : lockByPresence(() => new BroadcastChannel(CHANNEL), ports)

/** The page learns after this wait that another engine holds the lock. */
const SAID_AFTER_MS = 500

export function lockOf(
  locks: Pick<LockManager, 'request' | 'query'>,
  { clock, id, version }: Ports,
): EngineLock {
  const alive = `${ALIVE} ${id} ${version}`
  void locks.request(alive, () => new Promise<never>(() => undefined))
  const holder = async (): Promise<string | undefined> => {
    const { held = [] } = await locks.query()
    const client = held.find(({ name }) => name === ENGINE)?.clientId
    return held.find(({ name, clientId }) => clientId === client && name?.startsWith(ALIVE))?.name
  }

  return {
    confirm: async () => (await holder()) === alive,
    acquire: ({ granted, waits, lost }) => {
      const waiting = new AbortController()
      let phase: 'waiting' | 'held' | 'over' = 'waiting'
      let giveBack = (): void => undefined
      const held = new Promise<void>((resolve) => {
        giveBack = resolve
      })
      const hold = async (): Promise<void> => {
        if (phase !== 'waiting') return
        phase = 'held'
        cancel()
        granted()
        await held
      }
      const say = async (): Promise<void> => {
        const name = await holder()
        if (phase === 'waiting') waits(name?.split(' ').slice(2).join(' '))
      }
      const cancel = clock.after(SAID_AFTER_MS, () => void say())
      const request = (options: LockOptions): void => {
        let isGranted = false
        const take = async (): Promise<void> => {
          isGranted = true
          await hold()
        }
        locks.request(ENGINE, options, take).catch(() => {
          // Stealing a lock rejects the request of its holder; so does aborting a wait.
          if (!isGranted || phase !== 'held') return
          phase = 'over'
          lost()
        })
      }
      request({ signal: waiting.signal })
      return {
        steal: () => {
          if (phase !== 'waiting') return
          waiting.abort()
          request({ steal: true })
        },
        end: () => {
          phase = 'over'
          cancel()
          waiting.abort()
          giveBack()
        },
      }
    },
  }
}

const CHANNEL = siteName('immune-engine')

type Channel = Pick<BroadcastChannel, 'postMessage' | 'addEventListener' | 'close'>
/** Without an answer within this time, the engine that asked takes the lock. */
const ANSWER_WITHIN_MS = 1_000
const ASK_EVERY_MS = 3_000

/**
 * The lower id wins between two engines that ask at the same moment. After a hang two engines may run briefly; the one that
 * learns of a lower id stops.
 */
export function lockByPresence(open: () => Channel, { clock, id, version }: Ports): EngineLock {
  let isHeld = false
  return {
    confirm: async () => isHeld,
    acquire: ({ granted, waits, lost }) => {
      const channel = open()
      const send = channel.postMessage.bind(channel)
      const post = (kind: 'ask' | 'here'): void => send({ kind, id, version })
      let cancel = (): void => undefined
      const ask = (): void => {
        post('ask')
        cancel = clock.after(ANSWER_WITHIN_MS, take)
      }
      const wait = (holder: string): void => {
        cancel()
        cancel = clock.after(ASK_EVERY_MS, ask)
        waits(holder)
      }
      const take = (): void => {
        isHeld = true
        granted()
        sayAgain()
      }
      const sayAgain = (): void => {
        post('here')
        cancel = clock.after(ASK_EVERY_MS, sayAgain)
      }
      const end = (): void => {
        isHeld = false
        cancel()
        channel.close()
      }
      channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
        const other = ownText(data, 'id')
        if (other === undefined) return
        if (ownText(data, 'kind') === 'ask') {
          if (isHeld) post('here')
          else if (other < id) wait(ownText(data, 'version') ?? '')
        } else if (!isHeld) wait(ownText(data, 'version') ?? '')
        else if (other < id) {
          end()
          lost()
        }
      })
      ask()
      return { end, steal: () => undefined }
    },
  }
}

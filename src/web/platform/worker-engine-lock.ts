import type { Clock } from '#base/clock.ts'
import { siteName } from './site.ts'

/** Lets one engine of this browser run at a time, of whichever version. */
export type EngineLock = {
  readonly acquire: (told: LockEvents) => Acquiring
  /** Looks whether this engine has it now. */
  readonly confirm: () => Promise<boolean>
}

export type Acquiring = {
  /** The lock is given back, and nothing is called from then on. */
  readonly end: () => void
  /** Takes it from an engine that no longer answers. */
  readonly steal: () => void
}

export type LockEvents = {
  readonly granted: () => void
  /** Another engine has it, of that version where it says so. */
  readonly waits: (version: string | undefined) => void
  /** Another engine took it, because this one did not answer. */
  readonly lost: () => void
}

const ENGINE = siteName('immune-engine')
/** Held by each engine as long as it lives; names it and its version. */
const ALIVE = siteName('immune-engine-of')

type Ports = {
  readonly clock: Clock
  /** This engine, another name each time that one starts. */
  readonly id: string
  readonly version: string
}

/** By the browser's locks; on plain http, where there are none, by what engines tell each other. */
export const engineLock = (ports: Ports): EngineLock =>
  globalThis.isSecureContext
    ? lockOf(navigator.locks, ports)
    : lockByPresence(() => new BroadcastChannel(CHANNEL), ports)

/** How long a wait for the lock may last before the page is told that another engine has it. */
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
          // Whoever steals a lock has the one that is robbed reject; a wait that was ended rejects too.
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
/** An engine that asked and heard nothing for so long runs. */
const ANSWER_WITHIN_MS = 1_000
const ASK_EVERY_MS = 3_000

/**
 * Two that ask in the same moment are told apart by their names. Two may run for a moment after one
 * of them hung: then the one that hears of another of a lower name stops.
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
        const other = textIn(data, 'id')
        if (other === undefined) return
        if (textIn(data, 'kind') === 'ask') {
          if (isHeld) post('here')
          else if (other < id) wait(textIn(data, 'version') ?? '')
        } else if (!isHeld) wait(textIn(data, 'version') ?? '')
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

const textIn = (data: unknown, name: string): string | undefined => {
  const value: unknown =
    typeof data === 'object' && data !== null ? Object.getOwnPropertyDescriptor(data, name)?.value : undefined
  return typeof value === 'string' ? value : undefined
}

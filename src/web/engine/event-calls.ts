import type { Clock } from '#base/clock.ts'
import type { EventPage } from '#history/event-log.ts'
import type { StoredHistory } from '#history/transfer/stored-history.ts'
import type { Tabs } from '#tabs/tabs.ts'
import type { EngineApi } from './bridge.ts'

/** The log of a history that has one, and how what waits is kept at once. */
export type LogKeeping = Partial<Pick<StoredHistory, 'log' | 'saved'>>

/** New entries are told this often at most. */
const TOLD_EVERY_MS = 500

const NOTHING: EventPage = { entries: [], before: undefined }

export type EventCalls = {
  /** From this tab's own log, as the tab that leads answers others. */
  readonly read: EngineApi['readEvents']
  /** Resolves to true when it is kept, or can't be just now. */
  readonly append: (...args: Parameters<EngineApi['appendEvents']>) => Promise<true>
  /** From the tab that leads, whichever it is. */
  readonly readAnywhere: EngineApi['readEvents']
  readonly appendAnywhere: EngineApi['appendEvents']
  readonly watch: EngineApi['watchEvents']
  /** The tab that leads has new entries. */
  readonly heard: () => void
  readonly end: () => void
}

/** The log among several tabs: the one that leads keeps it, and the others ask it. */
export function createEventCalls(
  clock: Clock,
  { log, saved }: LogKeeping,
  tabs: Pick<Tabs, 'ask' | 'events'>,
): EventCalls {
  let listener = (): void => undefined
  let cancel: (() => void) | undefined
  const heard = (): void => {
    cancel ??= clock.after(TOLD_EVERY_MS, () => {
      cancel = undefined
      tabs.events()
      listener()
    })
  }
  const endWatch = log?.watch(heard)
  const read: EventCalls['read'] = async (query) => log?.read(query) ?? NOTHING
  const append: EventCalls['append'] = async (entries) => {
    await log?.append(entries)
    await saved?.()
    return true
  }
  return {
    read,
    append,
    readAnywhere: async (query) => {
      const told = await tabs.ask({ what: 'events', query })
      return isPage(told) ? told : read(query)
    },
    appendAnywhere: async (entries) => {
      // Where no tab leads that answers, this one holds it until it leads itself.
      if ((await tabs.ask({ what: 'append-events', entries })) !== true) await append(entries)
    },
    watch: async (next) => {
      listener = next
    },
    heard,
    end: () => {
      endWatch?.()
      cancel?.()
    },
  }
}

// The same code answered, so one field tells an answer from none.
const isPage = (value: unknown): value is EventPage =>
  typeof value === 'object' && value !== null && 'entries' in value

import type { Clock } from '#base/clock.ts'
import { createStore, type Store } from '#base/store.ts'
import type { HistoryBatch } from '#history/history.ts'
import type { Monitor } from '#monitor/monitor.ts'
import { ALL_TABS, channelOf, type OpenTabChannel } from './channel.ts'
import { electByLock, type LeaderLock } from './elect-by-lock.ts'
import { electByMessage } from './elect-by-message.ts'
import type { Election, TabRole } from './election.ts'
import { createShareIn } from './share-in.ts'
import {
  isToTabs,
  otherBuildIn,
  type TabCall,
  type TabCommand,
  type TabWord,
  type ToFollower,
  type ToTabs,
} from './share-message.ts'
import { createShareOut, type ShareOut } from './share-out.ts'
import { readTabMessage } from './tab-message.ts'

export type TabState = TabRole & {
  /** The tab that asks runs another version of this product, so that what it tells can't be shown here. */
  readonly otherBuild: boolean
  /** This tab leads, and followed another one before. */
  readonly tookOver: boolean
}

export type TabsPorts = {
  readonly clock: Clock
  readonly id: string
  readonly build: string
  readonly random: () => number
  /** See `ElectionPorts`. */
  readonly hesitates?: boolean
  /** Undefined where the page has no locks, which is plain http. */
  readonly lock: LeaderLock | undefined
  readonly openChannel: OpenTabChannel
  readonly monitor: Monitor
  /** What another tab wants to know of this one while it leads. */
  readonly answer: (call: TabCall) => Promise<unknown>
  readonly takeSamples: (batch: HistoryBatch) => void
  /** The tab that leads has new entries in the log. */
  readonly hearEvents: () => void
  readonly hearWord: (word: TabWord) => void
}

/** One tab of several that show the same: one asks, and the others show what it tells. */
export type Tabs = Pick<Election, 'maySend' | 'confirm' | 'takeOver' | 'rest' | 'wake' | 'end'> & {
  readonly state: Store<TabState>
  /** Samples that were taken here, for the tabs that follow. */
  readonly samples: (batch: HistoryBatch) => void
  /** There are new entries in the log here, for the tabs that follow. */
  readonly events: () => void
  /** To be called when what this tab watches has changed. */
  readonly configured: () => void
  /** Done by whoever leads. */
  readonly command: (command: TabCommand) => void
  /** Undefined when this tab leads itself, or no answer came. */
  readonly ask: (call: TabCall) => Promise<unknown>
  readonly say: (word: TabWord) => void
}

export function createTabs(ports: TabsPorts): Tabs {
  const { clock, id, build, monitor } = ports
  let shareOut: ShareOut | undefined
  const asked = lastAsked(ports)

  const hear = (data: unknown): void => {
    const message = readTabMessage(data)
    if (message !== undefined) {
      if (message.kind === 'beat') asked.known(message.wallMs)
      election.hear(message)
      return
    }
    const other = otherBuildIn(data, build)
    if (other !== undefined && shareOut !== undefined) tellBuild(ports, other)
    if (isToTabs(data, build)) takeShared(ports, shareOut, data)
  }
  const { post, close } = ports.openChannel(ALL_TABS, hear)
  const election = elect(ports, post)
  const { state, publish, setOtherBuild } = createTabState(election.role)
  const shareIn = createShareIn({
    ...ports,
    post,
    nowMs: monitor.nowMs,
    take: monitor.hear,
    otherBuild: setOtherBuild,
  })
  monitor.subscribe((update) => shareOut?.update(update))

  const takeRole = (): void => {
    const { role, leader, term } = election.role.get()
    const leads = role === 'leading'
    shareIn.listenTo(leads ? undefined : leader)
    publish()
    if (leads === (shareOut !== undefined)) return
    shareOut?.end()
    shareOut = leads
      ? createShareOut({ ...ports, snapshot: monitor.snapshot, gridMs: monitor.gridMs }, term)
      : undefined
    if (leads) monitor.lead(asked.atMs())
    else {
      asked.known(clock.wallMs())
      monitor.follow()
    }
  }
  election.role.subscribe(takeRole)

  return {
    ...election,
    state,
    samples: (batch) => shareOut?.samples(batch),
    events: () => shareOut?.events(),
    command: (command) => {
      if (shareOut === undefined) post({ kind: 'do', from: id, build, command } satisfies ToTabs)
      else perform(monitor, command)
    },
    configured: shareIn.again,
    ask: shareIn.ask,
    end: () => {
      election.end()
      shareIn.end()
      close()
    },
    say: (word) => post({ kind: 'word', from: id, build, word } satisfies ToTabs),
  }
}

/** The role, and what else there is to say of this tab. */
function createTabState({ get }: Election['role']) {
  let otherBuild = false
  let hasFollowed = false
  const now = (): TabState => {
    const role = get()
    hasFollowed ||= role.role === 'following' && role.leader !== undefined
    return { ...role, otherBuild, tookOver: role.role === 'leading' && hasFollowed }
  }
  const state = createStore(now())
  const publish = (): void => state.publish(now())
  return {
    state,
    publish,
    setOtherBuild: (isOther: boolean): void => {
      if (otherBuild === isOther) return
      otherBuild = isOther
      publish()
    },
  }
}

const elect = (ports: TabsPorts, post: (message: unknown) => void): Election =>
  ports.lock === undefined
    ? electByMessage({ ...ports, post })
    : electByLock({ ...ports, lock: ports.lock, post })

/** `shareOut`: while this tab leads. */
function takeShared({ monitor, hearWord }: TabsPorts, shareOut: ShareOut | undefined, message: ToTabs): void {
  if (message.kind === 'word') hearWord(message.word)
  else if (message.kind !== 'do') shareOut?.hear(message)
  else if (shareOut !== undefined) perform(monitor, message.command)
}

/** A tab of another version gets an answer that it can't read, by which it knows. */
function tellBuild({ id, build, openChannel }: TabsPorts, tab: string): void {
  const { post, close } = openChannel(channelOf(tab), () => undefined)
  post({ kind: 'answer', from: id, build, id: 0, value: undefined } satisfies ToFollower)
  close()
}

/** When somebody was last known to ask, by this tab's steady clock; undefined: never. */
function lastAsked({ clock, monitor }: TabsPorts) {
  let lastMs: number | undefined
  return {
    atMs: (): number | undefined => lastMs,
    /** Said at `wallMs`; what waited for a while is that much older. */
    known: (wallMs: number): void => {
      const atMs = monitor.nowMs() - Math.max(0, clock.wallMs() - wallMs)
      lastMs = Math.max(lastMs ?? atMs, atMs)
    },
  }
}

function perform(monitor: Monitor, command: TabCommand): void {
  switch (command.what) {
    case 'poll':
      monitor.pollNow(command.node)
      break
    case 'look':
      monitor.lookAt(command.node)
      break
    case 'key-changed':
      monitor.keyChanged()
      break
  }
}

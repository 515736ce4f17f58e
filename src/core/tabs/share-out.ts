import type { Clock } from '#base/clock.ts'
import type { HistoryBatch } from '#history/history.ts'
import type { FleetSnapshot, FleetUpdate } from '#fleet/live.ts'
import { wholeFleet } from '#monitor/publish.ts'
import { channelOf, type OpenTabChannel, type TabChannel } from './channel.ts'
import type { TabCall, ToFollower, ToTabs } from './share-message.ts'

/** A follower that was not heard for so long is frozen or gone; nothing more is queued up for it. */
const GIVEN_UP_MS = 10_000
/** Messages that a follower may lag behind before it gets no more; then it gets the whole state. */
const LAG_MAX = 60
/** More tabs than this are not served. */
const FOLLOWERS_MAX = 32

export type ShareOutPorts = {
  readonly clock: Clock
  readonly id: string
  readonly build: string
  readonly openChannel: OpenTabChannel
  readonly snapshot: () => FleetSnapshot
  readonly gridMs: () => number
  readonly answer: (call: TabCall) => Promise<unknown>
}

/** Tells followers what this tab knows: everything once, then what changes. */
export type ShareOut = {
  readonly hear: (message: ToTabs) => void
  readonly update: (update: FleetUpdate) => void
  readonly samples: (batch: HistoryBatch) => void
  /** There are new entries in the log. */
  readonly events: () => void
  readonly end: () => void
}

type Follower = { readonly channel: TabChannel; seq: number; acked: number; heardMs: number }

/** What one kind of message adds to the rest. */
type Content =
  | { readonly kind: 'batch' | 'state'; readonly update: FleetUpdate; readonly gridMs: number }
  | { readonly kind: 'samples'; readonly batch: HistoryBatch }
  | { readonly kind: 'events' }

/** `share`: another number each time that this tab leads. */
export function createShareOut(ports: ShareOutPorts, share: number): ShareOut {
  const { clock, id, build, openChannel } = ports
  const followers = new Map<string, Follower>()

  const send = (follower: Follower, content: Content): void => {
    follower.seq++
    follower.channel.post({ from: id, build, share, seq: follower.seq, ...content } satisfies ToFollower)
  }
  const giveUp = (tab: string): void => {
    followers.get(tab)?.channel.close()
    followers.delete(tab)
  }
  const sendAll = (content: Content): void => {
    for (const [tab, follower] of followers) {
      if (clock.monotonicMs() - follower.heardMs > GIVEN_UP_MS) giveUp(tab)
      else if (follower.seq - follower.acked <= LAG_MAX) send(follower, content)
      else follower.seq++ // what it gets next does not fit, so it asks for everything
    }
  }
  const takeIn = (tab: string): Follower => {
    const known = followers.get(tab)
    if (known !== undefined) return known
    const [longest] = Array.from(followers).toSorted(([, a], [, b]) => a.heardMs - b.heardMs)
    if (longest !== undefined && followers.size >= FOLLOWERS_MAX) giveUp(longest[0])
    const channel = openChannel(channelOf(tab), () => undefined)
    const follower = { channel, seq: 0, acked: 0, heardMs: 0 }
    followers.set(tab, follower)
    return follower
  }
  const hearOf = (tab: string, seq: number | undefined): void => {
    const isNew = !followers.has(tab)
    const follower = takeIn(tab)
    follower.heardMs = clock.monotonicMs()
    const lags = follower.seq - follower.acked > LAG_MAX
    follower.acked = seq ?? follower.seq
    if (isNew || seq === undefined || lags)
      send(follower, { kind: 'state', update: wholeFleet(ports.snapshot()), gridMs: ports.gridMs() })
  }
  const reply = async (tab: string, callId: number, call: TabCall): Promise<void> => {
    const value = await ports.answer(call)
    followers
      .get(tab)
      ?.channel.post({ kind: 'answer', from: id, build, id: callId, value } satisfies ToFollower)
  }

  return {
    hear: (message) => {
      if (message.kind === 'here') hearOf(message.from, message.seq)
      else if (message.kind === 'call') reply(message.from, message.id, message.call).catch(() => undefined) // the caller has its own limit
    },
    update: (update) => sendAll({ kind: 'batch', update, gridMs: ports.gridMs() }),
    samples: (batch) => sendAll({ kind: 'samples', batch }),
    events: () => sendAll({ kind: 'events' }),
    end: () => Array.from(followers.keys()).forEach(giveUp),
  }
}

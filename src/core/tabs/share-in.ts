import type { Clock } from '#base/clock.ts'
import type { HistoryBatch } from '#history/history.ts'
import type { FleetUpdate } from '#fleet/live.ts'
import { createCalls } from './calls.ts'
import { channelOf, type OpenTabChannel } from './channel.ts'
import { createRebase } from './rebase.ts'
import { isToFollower, otherBuildIn, type TabCall, type ToFollower, type ToTabs } from './share-message.ts'

/** How often a follower says that it is there. */
const HERE_EVERY_MS = 2_000

export type ShareInPorts = {
  readonly clock: Clock
  readonly nowMs: () => number
  readonly id: string
  readonly build: string
  readonly post: (message: ToTabs) => void
  readonly openChannel: OpenTabChannel
  /** Times are on this tab's steady clock. */
  readonly take: (update: FleetUpdate, gridMs: number) => void
  readonly takeSamples: (batch: HistoryBatch) => void
  /** There are new entries in the log. */
  readonly hearEvents: () => void
  /** Whether the tab that asks runs other code, so that this one can't show what it tells. */
  readonly otherBuild: (isOther: boolean) => void
}

/** Hears what the tab that asks tells. A message that is missing is noticed by its number, and everything is asked for anew. */
export type ShareIn = {
  /** From now on this tab is heard; undefined: none. */
  readonly listenTo: (leader: string | undefined) => void
  /** Has everything told once more: what this tab watches has changed, and it may lack some of it. */
  readonly again: () => void
  /** Undefined when no answer came in time. */
  readonly ask: (call: TabCall) => Promise<unknown>
  readonly end: () => void
}

type Heard = {
  readonly share: number
  readonly rebase: ReturnType<typeof createRebase>
  seq: number
}

export function createShareIn(ports: ShareInPorts): ShareIn {
  const { clock, id, build, post } = ports
  const calls = createCalls(clock, (callId, call) =>
    post({ kind: 'call', from: id, build, id: callId, call }),
  )
  let leader: string | undefined
  let heard: Heard | undefined
  let endPulse = (): void => undefined

  const sayHere = (): void => post({ kind: 'here', from: id, build, seq: heard?.seq })
  const pulse = (): void => {
    sayHere()
    endPulse = clock.after(HERE_EVERY_MS, pulse)
  }

  const takeState = (message: ToFollower & { readonly kind: 'state' | 'batch' }): void => {
    const { share, seq, update, gridMs } = message
    if (message.kind === 'state') {
      const rebase = heard?.share === share ? heard.rebase : createRebase(clock, ports.nowMs)
      heard = { share, seq, rebase }
    }
    if (heard === undefined) return
    const { update: own, gridMs: ownGridMs } = heard.rebase(update, gridMs)
    ports.take(own, ownGridMs)
  }

  const hear = (data: unknown): void => {
    if (leader === undefined) return
    ports.otherBuild(otherBuildIn(data, build) === leader)
    if (isToFollower(data, build) && data.from === leader) take(data)
  }

  const take = (message: ToFollower): void => {
    if (message.kind === 'answer') {
      calls.answered(message.id, message.value)
      return
    }
    if (message.kind === 'state') return takeState(message)
    if (heard === undefined || message.share !== heard.share || message.seq <= heard.seq) return
    if (message.seq !== heard.seq + 1) {
      heard = undefined // until the whole state comes
      sayHere()
      return
    }
    heard.seq = message.seq
    if (message.kind === 'samples') ports.takeSamples(message.batch)
    else if (message.kind === 'events') ports.hearEvents()
    else takeState(message)
  }

  const channel = ports.openChannel(channelOf(id), hear)
  return {
    end: () => {
      endPulse()
      channel.close()
    },
    listenTo: (next) => {
      if (next === leader) return
      leader = next
      heard = undefined
      endPulse()
      ports.otherBuild(false)
      if (next !== undefined) pulse()
    },
    again: () => {
      if (leader === undefined) return
      heard = undefined
      sayHere()
    },
    ask: async (call) => (leader === undefined ? undefined : calls.ask(call)),
  }
}

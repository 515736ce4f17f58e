import type { Clock } from '#base/clock.ts'
import type { Election } from '#tabs/election.ts'
import { electByLock, type LeaderLock } from '#tabs/elect-by-lock.ts'
import { electByMessage } from '#tabs/elect-by-message.ts'
import { readTabMessage, type TabMessage } from '#tabs/tab-message.ts'

/** A browser with tabs in it: each has timers and messages of its own, and may freeze, wake, close or crash at any moment. */
export type TabWorld = {
  readonly nowMs: () => number
  readonly open: () => SimTab
  readonly tabs: readonly SimTab[]
  /** Lets time pass, one event after the other; `after` is called after each. */
  readonly run: (forMs: number) => void
  /** Those that could send a request in this very moment. */
  readonly senders: () => readonly SimTab[]
  readonly leaderTerm: () => number
}

export type SimTab = {
  readonly id: string
  readonly election: Election
  readonly isRunning: () => boolean
  readonly freeze: () => void
  readonly wake: () => void
  /** From now on its timers run only at whole multiples of `everyMs`, as in a tab that is not seen; messages come as ever. */
  readonly throttle: (everyMs: number) => void
  /** Gone without a word; its locks are free. */
  readonly crash: () => void
  /** Messages that this tab has posted. */
  readonly posted: readonly TabMessage[]
}

export type WorldOptions = {
  readonly locks: boolean
  readonly messageMaxMs: number
  readonly lockMaxMs: number
  readonly random: () => number
  readonly onEvent?: () => void
}

/** Small and quick, and the same numbers for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

type Event = { readonly dueMs: number; readonly order: number; readonly run: () => void }
type Body = {
  readonly id: string
  isFrozen: boolean
  isDead: boolean
  timersMs: number
  inbox: (() => void)[]
  heardUpTo: Map<string, number>
  hear: (message: TabMessage) => void
}
type Claim = { readonly body: Body; readonly granted: () => void; readonly lost: () => void }

const START_WALL_MS = 1_780_315_200_000

export function createTabWorld(options: WorldOptions): TabWorld {
  const { random } = options
  let nowMs = 0
  let order = 0
  const events = new Set<Event>()
  const bodies: Body[] = []
  const tabs: SimTab[] = []
  let holder: Claim | undefined
  let queue: Claim[] = []

  const at = (delayMs: number, run: () => void): (() => void) => {
    const event = { dueMs: nowMs + delayMs, order: order++, run }
    events.add(event)
    return () => events.delete(event)
  }
  /** Something that a tab's own thread does; it waits while the tab is frozen. */
  const inTab = (body: Body, delayMs: number, run: () => void): (() => void) => {
    let isCancelled = false
    const live = (): void => {
      if (!isCancelled && !body.isDead) run()
    }
    const cancel = at(delayMs, () => (body.isFrozen ? body.inbox.push(live) : live()))
    return () => {
      isCancelled = true
      cancel()
    }
  }
  const lockDelay = (): number => random() * options.lockMaxMs

  const grant = (claim: Claim): void => {
    holder = claim
    inTab(claim.body, lockDelay(), claim.granted)
  }
  const release = (claim: Claim): void => {
    queue = queue.filter((one) => one !== claim)
    if (holder !== claim) return
    holder = undefined
    const next = queue.shift()
    if (next !== undefined) grant(next)
  }
  const lockOf = (body: Body): LeaderLock => ({
    request: (how, told) => {
      let isOver = false
      const claim: Claim = {
        body,
        granted: () => !isOver && told.granted(),
        lost: () => !isOver && told.lost(),
      }
      at(lockDelay(), () => {
        if (isOver || body.isDead) return
        if (how === 'steal') {
          const robbed = holder
          if (robbed !== undefined) inTab(robbed.body, lockDelay(), robbed.lost)
          grant(claim)
        } else if (holder === undefined) grant(claim)
        else queue.push(claim)
      })
      return () => {
        isOver = true
        at(lockDelay(), () => release(claim))
      }
    },
    look: (told) =>
      at(lockDelay(), () => {
        const mine = holder?.body === body
        const names = new Set(bodies.filter((one) => !one.isDead).map((one) => one.id))
        inTab(body, lockDelay(), () => told({ mine, tabs: names }))
      }),
  })

  const post = (from: Body, message: TabMessage): void => {
    for (const to of bodies) {
      if (to === from || to.isDead) continue
      const dueMs = Math.max(nowMs + random() * options.messageMaxMs, to.heardUpTo.get(from.id) ?? 0)
      to.heardUpTo.set(from.id, dueMs)
      inTab(to, dueMs - nowMs, () => {
        const read = readTabMessage(structuredClone(message))
        if (read === undefined) throw new Error('a tab does not understand another')
        to.hear(read)
      })
    }
  }

  const open = (): SimTab => {
    const id = Array.from({ length: 16 }, () => Math.floor(random() * 16).toString(16)).join('')
    const body: Body = {
      id,
      isFrozen: false,
      isDead: false,
      timersMs: 1,
      inbox: [],
      heardUpTo: new Map(),
      hear: () => undefined,
    }
    bodies.push(body)
    const clock: Clock = {
      wallMs: () => START_WALL_MS + nowMs,
      monotonicMs: () => nowMs,
      after: (delayMs, run) =>
        inTab(body, Math.ceil((nowMs + delayMs) / body.timersMs) * body.timersMs - nowMs, run),
    }
    const posted: TabMessage[] = []
    const ports = {
      clock,
      id,
      random,
      post: (message: TabMessage) => {
        posted.push(message)
        post(body, message)
      },
    }
    const election = options.locks ? electByLock({ ...ports, lock: lockOf(body) }) : electByMessage(ports)
    body.hear = election.hear
    const tab: SimTab = {
      id,
      election,
      posted,
      isRunning: () => !body.isFrozen && !body.isDead,
      freeze: () => {
        body.isFrozen = true
      },
      wake: () => {
        if (!body.isFrozen || body.isDead) return
        body.isFrozen = false
        options.onEvent?.()
        // Nothing says in which order a woken tab gets what waited; a sender's messages stay in order.
        const waiting = body.inbox.splice(0).map((run) => ({ run, place: random() }))
        for (const { run } of waiting.toSorted((a, b) => a.place - b.place)) {
          run()
          options.onEvent?.()
        }
      },
      throttle: (everyMs) => {
        body.timersMs = everyMs
      },
      crash: () => {
        body.isDead = true
        const claim = holder
        queue = queue.filter((one) => one.body !== body)
        if (claim?.body === body) release(claim)
      },
    }
    tabs.push(tab)
    return tab
  }

  const run = (forMs: number): void => {
    const untilMs = nowMs + forMs
    for (;;) {
      let next: Event | undefined
      for (const event of events)
        if (
          event.dueMs <= untilMs &&
          (next === undefined ||
            event.dueMs < next.dueMs ||
            (event.dueMs === next.dueMs && event.order < next.order))
        )
          next = event
      if (next === undefined) break
      events.delete(next)
      nowMs = Math.max(nowMs, next.dueMs)
      next.run()
      options.onEvent?.()
    }
    nowMs = untilMs
  }

  return {
    nowMs: () => nowMs,
    open,
    tabs,
    run,
    senders: () => tabs.filter((tab) => tab.isRunning() && tab.election.maySend()),
    leaderTerm: () => Math.max(...tabs.map((tab) => tab.election.role.get().term)),
  }
}

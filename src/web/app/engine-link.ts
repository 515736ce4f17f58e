import * as Comlink from 'comlink'
import type { Clock } from '#base/clock.ts'
import { ENGINE_CALLS, type EngineApi, type EngineCalls, type EngineState } from '#engine/bridge.ts'
import type { FleetUpdate } from '#fleet/snapshot.ts'
import { callRemote, callsByName } from '#platform/calls-by-name.ts'
import type { Generation } from '#platform/page-life.ts'
import type { LostEngine } from '#react/dashboard.ts'
import { answerWithin, createEnd, ENDED, type OrEnd, type WorkerPort } from '#platform/start-workers.ts'

type Wiring = {
  /** Connects to the engine of that generation. */
  readonly connect: (generation: number, onFailure: () => void) => WorkerPort
  /** `moved`: another page went on to a newer engine. */
  readonly generation: (moved: () => void) => Generation
  readonly clock: Clock
  /** The lock that this page holds as long as it lives. */
  readonly life: Promise<string | undefined>
  /** Calls when the holder of that lock has ended. Returns the end of it. */
  readonly watchLife: (life: string, ended: () => void) => () => void
  /** Whether any engine lives in this browser. */
  readonly engineLives: () => Promise<boolean>
  readonly onUpdate: (update: FleetUpdate) => void
  readonly onState: (state: EngineState) => void
  /** An engine ended that nobody had asked to, and the next one takes over. */
  readonly onLost: (how: LostEngine) => void
  /** Called before a new engine's first update. */
  readonly onRestart: () => void
  /** Gives the engine's end of a channel to the signer. */
  readonly openSignerPort: (port: MessagePort) => Promise<void>
}

export type EngineLink = {
  readonly api: EngineCalls
  /** Ends the engine of all pages, and goes on with a new one. */
  readonly restart: () => Promise<void>
  /** The signer was restarted, or is wanted anew. */
  readonly bringSigner: () => Promise<void>
  /** The page is left. */
  readonly leave: () => void
}

/** A script that loads slowly is no hung engine. */
const JOINED_WITHIN_MS = 20_000
/** Without an answer for so long, and no engine alive: the Worker may have ended with the page before. */
const STARTED_WITHIN_MS = 2_000
const PING_EVERY_MS = 3_000
/** Pings in a row without an answer, each in this page's own running time: then the engine hangs. */
const UNANSWERED_MAX = 5
const RETIRED_WITHIN_MS = 5_000
const QUICK_RESTARTS = 3
const SLOW_RESTART_MS = 60_000
/** An engine that ran so long was a good one. */
const GOOD_AFTER_MS = 300_000

type Engine = Comlink.Remote<EngineApi>

type Connection = {
  readonly remote: Engine
  readonly generation: number
  readonly openedMs: number
  /** The engine knows all that it has to; or it is given up. */
  readonly ready: Promise<void>
  /** What comes first: the answer, or the end of the connection. */
  readonly orEnd: OrEnd
  readonly end: () => void
  state: EngineState['kind']
}

/** What becomes of a connection. */
type Fate = {
  /** `ended`: as it was asked to. */
  readonly lost: (connection: Connection, how: LostEngine | 'ended') => void
  /** It has not answered, and no engine lives. */
  readonly absent: (connection: Connection) => void
  /** The engine counts this page as gone. */
  readonly gone: () => void
  /** What the engine is to know, before it shows anything. */
  readonly introduce: (engine: Engine) => Promise<void>
  readonly bringSigner: () => Promise<void>
}

function openConnection(wiring: Wiring, generation: number, steals: boolean, fate: Fate): Connection {
  const { clock, life, watchLife, onUpdate, onState } = wiring
  const { port, end } = wiring.connect(generation, () => fate.lost(connection, 'died'))
  const remote = Comlink.wrap<EngineApi>(port)
  const ends: (() => void)[] = [end]
  const { orEnd, come, isOver } = createEnd()
  const heardState = (state: EngineState): void => {
    connection.state = state.kind
    if (state.kind === 'ended') fate.lost(connection, 'ended')
    else onState(state)
  }
  let hasJoined = false
  const lookForIt = async (): Promise<void> => {
    if (!(await wiring.engineLives()) && !hasJoined && !isOver()) fate.absent(connection)
  }
  const join = async (): Promise<void> => {
    const joined = remote.join(
      { life: await life, steals },
      Comlink.proxy(() => void fate.bringSigner()),
    )
    const cancel = clock.after(STARTED_WITHIN_MS, () => void lookForIt())
    ends.push(cancel)
    const engineLife = await answerWithin(JOINED_WITHIN_MS, orEnd(joined))
    hasJoined = true
    cancel()
    if (engineLife === ENDED || isOver()) return
    if (engineLife !== undefined) ends.push(watchLife(engineLife, () => fate.lost(connection, 'died')))
    ends.push(pingEvery(clock, remote, { gone: fate.gone, hung: () => fate.lost(connection, 'hung') }))
    await fate.introduce(remote)
    await remote.subscribe(Comlink.proxy(onUpdate))
    await remote.watchState(Comlink.proxy(heardState))
  }
  const connection: Connection = {
    remote,
    generation,
    state: 'starting',
    openedMs: clock.monotonicMs(),
    orEnd,
    ready: orEnd(join()).then(
      () => undefined,
      () => fate.lost(connection, 'hung'),
    ),
    end: () => {
      for (const each of ends) each()
      come()
    },
  }
  return connection
}

/**
 * The engine behind one object that outlives it. An engine that died is noticed by its lock, one that
 * hangs by its silence; then the page goes on with the next one, and tells it all that the one before knew.
 */
export function createEngineLink(wiring: Wiring): EngineLink {
  const { clock, onLost, onRestart, openSignerPort } = wiring
  const newest = new Map<string, (engine: Engine) => Promise<unknown>>()
  const generation = wiring.generation(() => move(false))
  const pace = createPace(clock)
  let hasStartedAnew = false

  const bringSigner = async (): Promise<void> => {
    const { port1, port2 } = new MessageChannel()
    // A signer that does not answer must not keep the engine from watching: polls then say so themselves.
    openSignerPort(port1).catch(() => undefined)
    const { remote, orEnd } = connection
    await orEnd(remote.connectSigner(Comlink.transfer(port2, [port2])))
  }
  const fate: Fate = {
    bringSigner,
    gone: () => move(false),
    // Once: the next one may start as slowly as it has to.
    absent: (absent) => {
      if (connection !== absent || hasStartedAnew) return
      hasStartedAnew = true
      // One that only starts slowly ends, rather than wait for the lock without a page.
      absent.remote.retire().catch(() => undefined)
      generation.next(absent.generation)
      move(false)
    },
    lost: (lost, how) => {
      if (connection !== lost) return
      if (how !== 'ended') onLost(how)
      pace(lost.openedMs, () => {
        if (connection !== lost) return
        generation.next(lost.generation)
        move(how === 'hung' && lost.state !== 'waiting')
      })
    },
    introduce: async (engine) => {
      await bringSigner()
      for (const call of newest.values()) await call(engine)
    },
  }
  /** Goes on with the engine of the newest generation. */
  const move = (steals: boolean): void => {
    connection.remote.leave().catch(() => undefined)
    connection.end()
    onRestart()
    connection = openConnection(wiring, generation.now(), steals, fate)
  }
  let connection = openConnection(wiring, generation.now(), false, fate)

  const { again, once } = createAsks(() => connection)

  return {
    bringSigner,
    leave: () => void connection.remote.leave().catch(() => undefined),
    restart: async () => {
      const retiring = connection
      const retired = retiring.orEnd(retiring.remote.retire())
      await answerWithin(RETIRED_WITHIN_MS, retired).catch(() => undefined)
      if (connection === retiring) {
        generation.next(retiring.generation)
        move(false)
      }
      await connection.ready
    },
    api: callsByName<EngineCalls>(ENGINE_CALLS, async (name, args) => {
      const needs: 'retry' | 'replay' | { readonly lost: unknown } = ENGINE_CALLS[name]
      const call = (engine: Engine) => callRemote(engine, name, args)
      if (needs === 'replay') newest.set(name, call)
      return typeof needs === 'object' ? once(call, needs.lost) : again(call)
    }),
  }
}

/** Asks the engine of the moment. */
function createAsks(current: () => Connection) {
  /** ENDED where the engine ended before it answered. */
  const ask = async <T>(call: (engine: Engine) => Promise<T>): Promise<T | typeof ENDED> => {
    await current().ready
    const { remote, orEnd } = current()
    return orEnd(call(remote))
  }
  /** Asks the next engine where one ended. */
  const again = async <T>(call: (engine: Engine) => Promise<T>): Promise<T> => {
    let answer = await ask(call)
    while (answer === ENDED) answer = await ask(call)
    return answer
  }
  const once = async <T>(call: (engine: Engine) => Promise<T>, lost: T): Promise<T> => {
    const answer = await ask(call)
    return answer === ENDED ? lost : answer
  }
  return { again, once }
}

/** Some engines in a row are followed at once, further ones a minute later each. */
function createPace(clock: Clock) {
  let restarts = 0
  return (openedMs: number, goOn: () => void): void => {
    if (clock.monotonicMs() - openedMs > GOOD_AFTER_MS) restarts = 0
    if (++restarts <= QUICK_RESTARTS) goOn()
    else clock.after(SLOW_RESTART_MS, goOn)
  }
}

/** Returns the end of it. `gone`: the engine no longer knows this page. */
function pingEvery(
  clock: Clock,
  remote: Engine,
  { gone, hung }: { readonly gone: () => void; readonly hung: () => void },
): () => void {
  let unanswered = 0
  let cancel = (): void => undefined
  const answered = (isKnown: boolean): void => {
    unanswered = 0
    if (!isKnown) gone()
  }
  const ping = (): void => {
    cancel = clock.after(PING_EVERY_MS, ping)
    unanswered++
    // One at a time is under way: what a hung engine is sent only piles up there.
    if (unanswered === 1) remote.ping().then(answered, () => undefined)
    if (unanswered === UNANSWERED_MAX) hung()
  }
  cancel = clock.after(PING_EVERY_MS, ping)
  return () => cancel()
}

import * as Comlink from 'comlink'
import type { Clock } from '#base/clock.ts'
import {
  ENGINE_CALLS,
  type EngineApi,
  type EngineCalls,
  type EngineState,
  type LostEngine,
} from '#engine/bridge.ts'
import type { FleetUpdate } from '#fleet/snapshot.ts'
import { callRemote, callsByName } from '#platform/calls-by-name.ts'
import type { createGeneration } from '#platform/page-life.ts'
import { createEnd, ENDED, type WorkerFactory } from '#platform/start-workers.ts'
import { answerWithin } from '#platform/system-clock.ts'
import { createRestarts } from './restart-pace.ts'

type Wiring = {
  readonly connect: (generation: number, onFailure: () => void) => ReturnType<WorkerFactory['connect']>
  /** `moved` is called when another page has advanced to a newer engine. */
  readonly generation: (moved: () => void) => ReturnType<typeof createGeneration>
  readonly clock: Clock
  /** The lock that this page holds for its lifetime. */
  readonly life: Promise<string | undefined>
  /** Calls `ended` when the holder of that lock has ended. Returns a function that stops it. */
  readonly watchLife: (life: string, ended: () => void) => () => void
  readonly engineLives: () => Promise<boolean>
  readonly onUpdate: (update: FleetUpdate) => void
  readonly onState: (state: EngineState) => void
  /** An engine ended unexpectedly, and the next one takes over. */
  readonly onLost: (how: LostEngine) => void
  /** Called before a new engine's first update. */
  readonly onRestart: () => void
  /** Gives the engine's end of a channel to the signer. */
  readonly openSignerPort: (port: MessagePort) => Promise<void>
}

/** Long enough that a slowly loading script does not count as a hung engine. */
const JOINED_WITHIN_MS = 20_000
/** Time without an answer and without a live engine, after which the Worker may have ended together with the previous page. */
const STARTED_WITHIN_MS = 2_000
const PING_EVERY_MS = 3_000
/** Consecutive unanswered pings, counted in this page's own running time, after which the engine counts as hung. */
const UNANSWERED_MAX = 5
const RETIRED_WITHIN_MS = 5_000

type Engine = Comlink.Remote<EngineApi>

type Connection = {
  readonly remote: Engine
  readonly generation: number
  readonly openedMs: number
  /** Settles once the engine has its whole configuration, or is given up. */
  readonly ready: Promise<void>
  /** Resolves to the answer, or to `ENDED` if the connection ends first. */
  readonly orEnd: ReturnType<typeof createEnd>['orEnd']
  readonly end: () => void
  state: EngineState['kind']
}

type Fate = {
  /** `ended`: the engine ended on request. */
  readonly lost: (connection: Connection, how: LostEngine | 'ended') => void
  /** It has not answered, and no engine is alive. */
  readonly absent: (connection: Connection) => void
  /** The engine no longer knows this page. */
  readonly gone: () => void
  /** Sends the configuration to a new engine before its first update. */
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
 * A stable object for the current engine. A dead engine is detected by its lock, a hung one by missing answers. The page then
 * connects to the next engine and repeats the configuration of the previous one.
 */
export function createEngineLink(wiring: Wiring) {
  const { clock, onLost, onRestart, openSignerPort } = wiring
  const newest = new Map<string, (engine: Engine) => Promise<unknown>>()
  const generation = wiring.generation(() => move(false))
  const replace = createRestarts(clock, generation, () => connection)
  let hasStartedAnew = false

  const bringSigner = async (): Promise<void> => {
    const { port1, port2 } = new MessageChannel()
    // An unresponsive signer must not stop the engine; its polls report the failure.
    openSignerPort(port1).catch(() => undefined)
    const { remote, orEnd } = connection
    await orEnd(remote.connectSigner(Comlink.transfer(port2, [port2])))
  }
  const fate: Fate = {
    bringSigner,
    gone: () => move(false),
    // Only once, because the next engine may be slow to start.
    absent: (absent) => {
      if (connection !== absent || hasStartedAnew) return
      hasStartedAnew = true
      // An engine that was only slow to start must end, because otherwise it would wait for the lock without a page.
      absent.remote.retire().catch(() => undefined)
      generation.next(absent.generation)
      move(false)
    },
    lost: (lost, how) => {
      if (connection !== lost) return
      if (how !== 'ended') onLost(how)
      replace(lost, () => move(how === 'hung' && lost.state !== 'waiting'))
    },
    introduce: async (engine) => {
      await bringSigner()
      for (const call of newest.values()) await call(engine)
    },
  }
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
    leave: (): void => void connection.remote.leave().catch(() => undefined),
    restart: async (): Promise<void> => {
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

function createAsks(current: () => Connection) {
  /** Resolves to `ENDED` if the engine ended before it answered. */
  const ask = async <T>(call: (engine: Engine) => Promise<T>): Promise<T | typeof ENDED> => {
    await current().ready
    const { remote, orEnd } = current()
    return orEnd(call(remote))
  }
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

/** Pings until stopped. `gone`: the engine no longer knows this page. */
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
    // Only one ping is pending at a time, because messages to a hung engine pile up.
    if (unanswered === 1) remote.ping().then(answered, () => undefined)
    if (unanswered === UNANSWERED_MAX) hung()
  }
  cancel = clock.after(PING_EVERY_MS, ping)
  return () => cancel()
}

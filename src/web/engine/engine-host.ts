import type { Clock } from '#base/clock.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { createTicker } from '#pipeline/ticker.ts'
import type { PagesFacts } from '#alarms/shared-rules.ts'
import { err } from '#base/result.ts'
import { createStore } from '#base/store.ts'
import type { EngineApi, EngineState, PageFacts } from './bridge.ts'
import { createEngine } from '#pipeline/engine.ts'
import { openSession, type Host, type HostPorts } from './page-session.ts'
import { createSignerPool } from './signer-pool.ts'
import { createSpeaker } from './speaker.ts'

/** Before it sends anything, the engine confirms the lock if the last check is older than this. */
const SURE_FOR_MS = 1_000
const SECOND_MS = 1_000
const SAVED_WITHIN_MS = 2_000

/** Runs the engine while it holds this browser's lock, and serves all pages. */
export function createEngineHost(ports: HostPorts) {
  const { clock, lock, history } = ports
  const state = createStore<EngineState>({ kind: 'starting' })
  const pages: Host['pages'] = new Map()
  const signers = createSignerPool(() => pages.forEach(({ wantSigner }) => wantSigner()))
  const engine = createEngine({
    ...ports,
    ...sendingIf(createLease(ports), ports),
    signer: signers,
    notify: (notification) => speaker.notify(notification),
  })
  const { monitor, alarms } = engine
  const speaker = createSpeaker({ clock, nowMs: monitor.nowMs, view: alarms.view })
  const watch = createPageWatch(clock, pages, () => host.pagesChanged())
  let isConfigured = false
  let lastPage = 0

  const stop = (why: 'ended' | 'lost'): void => {
    engine.stop(why)
    speaker.stop()
    watch.end()
    acquiring.end()
    state.publish({ kind: 'ended' })
  }
  const acquiring = lock.acquire({
    granted: () => {
      state.publish({ kind: 'running' })
      engine.start()
      speaker.start()
      watch.start()
    },
    waits: (version) => state.publish({ kind: 'waiting', version }),
    lost: () => {
      stop('lost')
      ports.close()
    },
  })
  const host: Host = {
    ports,
    engine,
    state,
    signers,
    speaker,
    pages,
    pagesChanged: () => {
      const all = Array.from(pages.values())
      const audible = all.filter(({ facts }) => facts().sound === 'ready')
      for (const page of all) page.heardElsewhere(audible.some((one) => one !== page))
      alarms.setFacts({ ...factsOf(all.map(({ facts }) => facts())), blockedMs: watch.blockedMs() })
    },
    configure: (page, config, isPartial = false) => {
      if (isPartial && isConfigured) return
      isConfigured ||= !isPartial
      signers.prefer(page)
      engine.configure(config)
    },
    steal: acquiring.steal,
    retire: async () => {
      await Promise.race([history.saved?.(), new Promise<void>((done) => clock.after(SAVED_WITHIN_MS, done))])
      stop('ended')
      // Closes after the answer to the page that requested the next engine.
      clock.after(0, ports.close)
    },
  }
  return { open: (): EngineApi => openSession(host, String(++lastPage)), stop }
}

/**
 * Counts the seconds of the engine's own running time in which a visible page was silent, so that a sleeping computer does not
 * count as a hung page.
 */
function createPageWatch(clock: Clock, pages: Host['pages'], changed: () => void) {
  let blockedMs = 0
  const ticker = createTicker(clock, () => {
    const silentMs = Math.max(0, ...Array.from(pages.values(), (page) => page.countSilence())) * SECOND_MS
    const before = blockedMs
    blockedMs = silentMs >= DEFAULTS.pageBlockedMs ? silentMs : 0
    if (blockedMs !== before) changed()
  })
  return { ...ticker, blockedMs: () => blockedMs }
}

/** Sends requests and messages only while the engine holds the lock. */
const sendingIf = (
  isOurs: () => Promise<boolean>,
  { transport, delivery }: HostPorts,
): Pick<HostPorts, 'transport' | 'delivery'> => ({
  transport: async (...request) => ((await isOurs()) ? transport(...request) : err({ kind: 'aborted' })),
  delivery: {
    ...delivery,
    post: async (message) => ((await isOurs()) ? delivery.post(message) : err({ kind: 'unreachable' })),
  },
})

/** A hung engine may have lost its lock without noticing, so it checks before it sends. */
function createLease({ clock, lock }: HostPorts): () => Promise<boolean> {
  let sureMs = Number.NEGATIVE_INFINITY
  return async () => {
    const nowMs = clock.monotonicMs()
    if (nowMs - sureMs <= SURE_FOR_MS) return true
    if (!(await lock.confirm())) return false
    sureMs = nowMs
    return true
  }
}

/** The worst value over all pages. Pages that have not reported yet are ignored. */
function factsOf(all: readonly PageFacts[]): Omit<PagesFacts, 'blockedMs'> {
  const known = <T>(pick: (facts: PageFacts) => T | undefined): readonly T[] =>
    all.flatMap((facts) => pick(facts) ?? [])
  const memory = known(({ memoryMb }) => memoryMb)
  const versions = known(({ isOldVersion }) => isOldVersion)
  const errors = known((facts) => facts.errors)
  const engines = known(({ engineLost }) => engineLost)
  return {
    soundBlocked: soundBlocked(all),
    memoryMb: memory.length === 0 ? undefined : Math.max(...memory.map(Number)) || false,
    isOldVersion: versions.length === 0 ? undefined : versions.includes(true),
    errors: errors.length === 0 ? undefined : errors.reduce((sum, count) => sum + count, 0),
    engineLost: engines.length === 0 ? undefined : (engines.find((how) => how !== false) ?? false),
  }
}

/** Undefined if no page knows. A single page that can play sounds is enough. */
function soundBlocked(all: readonly PageFacts[]): boolean | undefined {
  if (all.some(({ sound }) => sound === 'ready')) return false
  const known = all.filter(({ sound }) => sound !== 'trying')
  return known.length === 0 ? undefined : known.some(({ isSoundMissed }) => isSoundMissed)
}

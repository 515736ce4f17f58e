import { err } from '#base/result.ts'
import { createStore } from '#base/store.ts'
import type { EngineApi, EngineState, PageFacts } from './bridge.ts'
import { createEngine } from '#pipeline/engine.ts'
import { openSession, type Host, type HostPorts } from './page-session.ts'
import { createSignerPool } from './signer-pool.ts'
import { createSpeaker } from './speaker.ts'

/** Without having looked for so long whether this engine still has the lock, it looks before it sends. */
const SURE_FOR_MS = 1_000
/** Saving before the end may take no longer. */
const SAVED_WITHIN_MS = 2_000

/** Runs the engine while no other one of this browser does, and serves all pages. */
export type EngineHost = {
  /** For one page, behind its port. */
  readonly open: () => EngineApi
  readonly stop: (why: 'ended' | 'lost') => void
}

export function createEngineHost(ports: HostPorts): EngineHost {
  const { clock, lock, history, delivery } = ports
  const state = createStore<EngineState>({ kind: 'starting' })
  const pages: Host['pages'] = new Map()
  const signers = createSignerPool(() => pages.forEach(({ wantSigner }) => wantSigner()))
  const isOurs = createLease(ports)
  const engine = createEngine({
    ...ports,
    transport: async (...request) =>
      (await isOurs()) ? ports.transport(...request) : err({ kind: 'aborted' }),
    ...(delivery && {
      delivery: {
        ...delivery,
        post: async (message) => ((await isOurs()) ? delivery.post(message) : err({ kind: 'unreachable' })),
      },
    }),
    signer: signers,
    notify: (notification) => speaker.notify(notification),
  })
  const { monitor, alarms } = engine
  const speaker = createSpeaker({ clock, nowMs: monitor.nowMs, view: alarms.view })
  let isConfigured = false
  let lastPage = 0

  const stop = (why: 'ended' | 'lost'): void => {
    engine.stop(why)
    speaker.stop()
    acquiring.end()
    state.publish({ kind: 'ended' })
  }
  const acquiring = lock.acquire({
    granted: () => {
      state.publish({ kind: 'running' })
      engine.start()
      speaker.start()
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
      alarms.setFacts({ soundBlocked: soundBlocked(all.map(({ facts }) => facts())) })
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
      // Once it has answered the page that wants the next one.
      clock.after(0, ports.close)
    },
  }
  return { open: () => openSession(host, String(++lastPage)), stop }
}

/** An engine that hung may have lost its lock and not know it yet, so it looks before it sends. */
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

/** Undefined where no page knows. One page that can sound is enough. */
function soundBlocked(all: readonly PageFacts[]): boolean | undefined {
  if (all.some(({ sound }) => sound === 'ready')) return false
  const known = all.filter(({ sound }) => sound !== 'trying')
  return known.length === 0 ? undefined : known.some(({ isSoundMissed }) => isSoundMissed)
}

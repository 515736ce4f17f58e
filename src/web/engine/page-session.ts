import type { Clock } from '#base/clock.ts'
import type { Store } from '#base/store.ts'
import type { EngineLock } from '#platform/worker-engine-lock.ts'
import type { EngineApi, EngineConfig, EngineState, PageFacts } from './bridge.ts'
import type { Engine, EnginePorts } from '#pipeline/engine.ts'
import { createPageApi } from './page-api.ts'
import { createRelay, relayStore } from './page-relay.ts'
import type { Signer } from '#signing/signer.ts'
import type { SignerPool } from './signer-pool.ts'
import type { Speaker } from './speaker.ts'

/** A page without locks counts as gone after this long without a call; a hidden page pings once a minute. */
const GONE_AFTER_MS = 180_000

export type HostPorts = Omit<EnginePorts, 'signer' | 'notify'> & {
  readonly lock: EngineLock
  /** The lock that this Worker holds for its lifetime. */
  readonly life: Promise<string | undefined>
  /** Calls `gone` once the page's lock is free. Returns a function that stops it. */
  readonly whenGone: (pageLife: string, gone: () => void) => () => void
  readonly openSigner: (port: MessagePort) => Signer
  readonly testStorage: EngineApi['testStorage']
  readonly close: () => void
}

export type ServedPage = {
  readonly facts: () => PageFacts
  /** Adds a second of the engine's own running time, and returns how many seconds a visible page has been silent. */
  readonly countSilence: () => number
  readonly wantSigner: () => void
  readonly heardElsewhere: (isHeard: boolean) => void
}

export type Host = {
  readonly ports: HostPorts
  readonly engine: Engine
  readonly state: Store<EngineState>
  readonly signers: SignerPool
  readonly speaker: Speaker
  readonly pages: Map<string, ServedPage>
  readonly pagesChanged: () => void
  readonly configure: (page: string, config: EngineConfig, isPartial?: boolean) => void
  readonly steal: () => void
  readonly retire: () => Promise<void>
}

const NOTHING_KNOWN: PageFacts = { isVisible: false, sound: 'trying', isSoundMissed: false }

export function openSession(host: Host, id: string): EngineApi {
  const { ports, engine, state, signers, speaker, pages, pagesChanged } = host
  const { clock, whenGone, openSigner, testStorage } = ports
  let facts = NOTHING_KNOWN
  let isThere = false
  let leave = (): void => undefined
  const gone = new Promise<void>((resolve) => {
    leave = resolve
  })
  const { api, end } = createPageApi(engine, { ...ports, signer: () => signers.of(id), gone })
  const ends: (() => void)[] = [end]
  let heardElsewhere: (isHeard: boolean) => void = () => undefined

  void gone.then(() => {
    isThere = false
    signs.end()
    for (const each of ends) each()
    dropPage(host, id)
    return undefined
  })

  const signs = createSignsOfLife(clock, () => facts, leave)
  const heard = (): void => {
    signs.heard()
    speaker.heard(id)
  }

  return {
    ...api,
    testStorage,
    join: async ({ life, steals }, wantSigner) => {
      isThere = true
      if (life !== undefined) signs.hasLock()
      pages.set(id, {
        facts: () => facts,
        countSilence: signs.countSilence,
        wantSigner,
        heardElsewhere: (is) => heardElsewhere(is),
      })
      if (life !== undefined) ends.push(whenGone(life, leave))
      heard()
      pagesChanged()
      if (steals) host.steal()
      return ports.life
    },
    leave: async () => leave(),
    ping: async () => {
      if (isThere) heard()
      return isThere
    },
    retire: host.retire,
    connectSigner: async (port) => {
      if (signers.add(id, openSigner(port))) engine.monitor.keyChanged()
    },
    configure: async (config, isPartial) => host.configure(id, config, isPartial),
    setChannels: async (receivers, sound) => setChannels(host, receivers, sound),
    setPageFacts: async (next) => {
      facts = next
      heard()
      pagesChanged()
    },
    watchAnnouncements: async (announce, elsewhere) => {
      const relay = createRelay(elsewhere)
      heardElsewhere = relay.send
      ends.push(relay.end)
      speaker.add(id, { facts: () => facts, announce: async (one) => announce(one) })
      pagesChanged()
    },
    watchState: async (listener) => {
      ends.push(relayStore(state, listener))
    },
  }
}

function setChannels(
  { engine, speaker }: Host,
  receivers: Parameters<EngineApi['setChannels']>[0],
  sound: Parameters<EngineApi['setChannels']>[1],
): void {
  engine.outbox.configure(receivers)
  speaker.setLevel(sound)
}

function createSignsOfLife(clock: Clock, facts: () => PageFacts, leave: () => void) {
  /** If locks are available, the page's own lock shows when it is gone. */
  let hasLock = false
  let forget = (): void => undefined
  let silentS = 0
  return {
    heard: (): void => {
      silentS = 0
      forget()
      if (!hasLock) forget = clock.after(GONE_AFTER_MS, leave)
    },
    hasLock: (): void => {
      hasLock = true
    },
    end: (): void => forget(),
    /** Called every second of the engine's own running time. */
    countSilence: (): number => {
      silentS = facts().isVisible ? silentS + 1 : 0
      return silentS
    },
  }
}

function dropPage({ ports, engine, pages, speaker, signers, pagesChanged }: Host, id: string): void {
  if (!pages.delete(id)) return
  // The browser terminates an engine soon after its last page has gone.
  if (pages.size === 0) {
    void ports.history.saved?.()
    void engine.saveReadings()
  }
  speaker.remove(id)
  signers.remove(id)
  pagesChanged()
}

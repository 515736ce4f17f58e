import { err } from '#base/result.ts'
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { createRoot } from 'react-dom/client'
import type { AlarmAct } from '#alarms/alarm-act.ts'
import type { AlarmView } from '#alarms/alarm.ts'
import { App } from '#app/app.tsx'
import { createPageApi } from '#engine/page-api.ts'
import { nodeKeyOf } from '#fleet/live.ts'
import { applyUpdate } from '#fleet/snapshot.ts'
import { createMemoryHistory } from '#test/support/memory-history.ts'
import { createSigner } from '#keys/create-signer.ts'
import { createVerifier } from '#keys/verify-signature.ts'
import { createEngine } from '#pipeline/engine.ts'
import { createBatchTransport } from '#platform/batch-transport.ts'
import { createFetchTransport } from '#platform/fetch-transport.ts'
import type { Transport } from '#protocol/transport.ts'
import { serviceIdOf } from '#record/service.ts'
import type { FaultValue } from '#reference/faults.ts'
import type { FaultName } from '#test/support/bench-faults.ts'
import type { ReferenceService } from '#reference/reference-service.ts'
import { createBenchService } from '#test/support/bench-service.ts'
import { EMPTY_SETTINGS, effectiveConfig } from '#settings/effective.ts'
import { parseServerConfig } from '#settings/documents.ts'
import { openTestServer } from '#test/node/server/test-server.ts'
import { freePort } from '#test/support/free-port.ts'
import { engineParts } from '#test/support/engine-parts.ts'
import { createFakeClock, type FakeClock } from '#test/support/fake-clock.ts'
import { fakeDashboard, memoryLocation, type FakeDashboard } from '#test/support/fake-dashboard.tsx'
import type { Dashboard } from '#react/dashboard.ts'
import { LocationContext } from '#react/location.ts'
import { drawnAfter } from './drawn-after.ts'

export type WorldNode = { readonly id: string; readonly name: string; readonly key: string }

export type WorldOptions = {
  /** Per service. */
  readonly nodes?: number
  readonly services?: number
  readonly via?: 'proxy' | 'direct'
  /** Members of every service in the configuration. */
  readonly service?: Readonly<Record<string, unknown>>
  /** A fault that is set before the first request. */
  readonly before?: { readonly name: FaultName; readonly value?: FaultValue }
  /** Addresses of the open pages; by default only that of the first node. */
  readonly tabs?: readonly string[]
}

export type World = {
  readonly clock: FakeClock
  /** One per service, with its nodes. */
  readonly references: readonly ReferenceService[]
  readonly nodes: readonly WorldNode[]
  /** Advances time and renders. Every due timer fires at its own time, and its requests finish before the next. */
  readonly pass: (ms: number) => Promise<void>
  /** Changes this computer's clock, but not the services'. */
  readonly setWallClock: (byMs: number) => void
  readonly setOffline: (isOffline: boolean) => Promise<void>
  /** The page's requests to these URLs reach the dashboard server and get no answer. */
  readonly hang: (isHung: (url: string) => boolean) => void
  readonly tabs: readonly Element[]
  /** The first open page. */
  readonly page: Element
  /** The table of all nodes, which is rendered only on request. */
  readonly table: () => Promise<Element>
  /** The number of samples of a node that history received, including failed polls. */
  readonly samples: (node: WorldNode) => number
  readonly alarms: () => readonly AlarmView[]
  readonly act: (act: AlarmAct) => Promise<boolean>
  /** Removes a node from the list. */
  readonly unwatch: (node: WorldNode) => void
  readonly close: () => Promise<void>
}

/** A hung request times out within an interval. */
export const SERVICE = { label: 'Test service', pollIntervalMs: 1_000, timeoutMs: 800 } as const

/** Host names that the dashboard takes for other computers. Several services on them share its network. */
const FAR = ['one.example', 'two.example', 'three.example']

/** The smallest number of nodes for which the screen attributes a failure to one node. */
export const NODES = 4

/** More turns of the event loop than a message needs over two sockets. */
const CALM_TURNS = 12
const QUIET_WITHIN_MS = 60_000

/**
 * The real reference services, dashboard server, engine and screen in one process, on one clock that the test controls.
 * Requests use real sockets, and time advances only while no data moves on them.
 */
export async function openWorld(options: WorldOptions = {}): Promise<World> {
  const { nodes: count = NODES, via = 'proxy', before } = options
  setNodesBytes()
  const clock = createFakeClock()
  let servicesAheadMs = 0
  const servicesClock = { ...clock, wallMs: () => clock.wallMs() + servicesAheadMs }
  const baseUrls: string[] = []
  const references: ReferenceService[] = []
  for (const far of FAR.slice(0, options.services ?? 1)) {
    const port = await freePort()
    const origins = options.services === undefined ? [] : [`http://${far}:${port}`]
    const reference = createBenchService({
      enroll: true,
      nodes: count,
      seed: far,
      port,
      origins,
      clock: servicesClock,
    })
    const { baseUrl } = await reference.listen()
    if (before !== undefined) await reference.faults.set('*', before)
    baseUrls.push(origins[0] ?? baseUrl)
    references.push(reference)
  }
  const watched = references.flatMap(({ network }, place) =>
    Array.from({ length: count }, (_, n) => ({
      id: network.idOf(n),
      name: `${network.nameOf(n)}${place === 0 ? '' : `-${place}`}`,
      service: baseUrls[place] ?? '',
    })),
  )
  const services = baseUrls.map((baseUrl, place) => ({
    ...SERVICE,
    ...(place > 0 && { label: `Service ${place + 1}` }),
    ...options.service,
    baseUrl,
    via,
  }))
  const parsed = parseServerConfig({ version: 1, services, nodes: watched })
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error))
  const config = parsed.value
  const server = await openTestServer({ config, after: clock.after, rateLimit: Number.MAX_SAFE_INTEGER })
  const serverUrl = new URL(server.url).origin
  const effective = effectiveConfig(config, EMPTY_SETTINGS)

  const work = createWork()
  const { send, isBatching } = createBatchTransport(createFetchTransport(clock, serverUrl), clock, serverUrl)
  const near = (url: string): string => url.replace(/[a-z]+\.example/, '127.0.0.1')
  const transport: Transport = (request, signal) => send({ ...request, url: near(request.url) }, signal)
  const sent = work.sending(transport)
  let isHung = (_url: string): boolean => false
  const hanging: Transport = (request, signal) => {
    const { url, timeoutMs } = request
    if (!isHung(url)) return sent(request, signal)
    const late = err({ kind: 'timeout', afterMs: timeoutMs } as const)
    return new Promise((resolve) => void clock.after(timeoutMs, () => resolve(late)))
  }
  const ports = { clock, transport: hanging }
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const signer = createSigner({
    service: (id) => effective.services.find(({ baseUrl }) => serviceIdOf(baseUrl) === id),
    key: async () => ({
      publicKey: new Uint8Array(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)),
      sign: async (message) => new Uint8Array(sign(null, message, privateKey)),
      forget: () => undefined,
      family: 'plain',
      accepts: () => true,
    }),
    wallMs: clock.wallMs,
    randomBytes: (length) => new Uint8Array(randomBytes(length)),
  })
  const kept = new Map<string, number>()
  const history = createMemoryHistory()
  const engine = createEngine({
    ...engineParts(),
    ...ports,
    isBatching,
    signer: { signStatusRequest: work.doing(signer.signStatusRequest) },
    verify: work.doing(createVerifier()),
    history: {
      ...history,
      append: (batch) => {
        for (const { node } of batch.samples) kept.set(node, (kept.get(node) ?? 0) + 1)
        return history.append(batch)
      },
    },
    notify: () => undefined,
  })
  const pageIsThere = new Promise<void>(() => undefined)
  const page = createPageApi(engine, { ...ports, signer: () => undefined, gone: pageIsThere })
  const aDashboard = () => fakeDashboard({ server: config, engine: page.api, snapshot: engine.fleet.get() })
  const [dashboard, ofTable] = [aDashboard(), aDashboard()]

  // Updates are cloned like messages from a Worker, and the screen renders them after time has advanced.
  let fleet = dashboard.fleet.get()
  let alarms = dashboard.alarms.get()
  const draw = async (on: FakeDashboard): Promise<void> => {
    await drawnAfter(() => {
      on.fleet.publish(fleet)
      on.alarms.publish(alarms)
      on.tick(engine.monitor.nowMs() - on.nowMs())
    })
  }
  const leftOpen = (): number => references.reduce((sum, { stats }) => sum + stats().inFlight, 0)
  const quiet = async (): Promise<void> => {
    const startMs = performance.now()
    for (let calm = 0; calm < CALM_TURNS;) {
      if (performance.now() - startMs > QUIET_WITHIN_MS)
        throw new Error('some requests neither finish nor hang')
      await new Promise<void>((done) => setImmediate(done))
      calm = work.isDone(leftOpen) ? calm + 1 : 0
    }
  }
  const pass = async (ms: number): Promise<void> => {
    const untilMs = clock.monotonicMs() + ms
    for (let leftMs = ms; leftMs > 0; leftMs = untilMs - clock.monotonicMs()) {
      await quiet()
      await clock.advance(Math.min(clock.pendingMs()[0] ?? leftMs, leftMs))
    }
    await quiet()
    await draw(dashboard)
  }
  engine.configure({ serverUrl, ...effective })
  engine.start()
  await page.api.subscribe((update) => {
    fleet = applyUpdate(fleet, structuredClone(update))
  })
  await page.api.watchAlarms((view) => {
    alarms = structuredClone(view)
  })
  const nodes = watched.map(({ id, name, service }) => ({
    id,
    name,
    key: nodeKeyOf(serviceIdOf(service), id),
  }))
  const pages = await drawPages(dashboard, options.tabs ?? [`/nodes/${nodes[0]?.key ?? ''}`])
  const table = await drawPages(ofTable, ['/nodes'])

  return {
    clock,
    references,
    nodes,
    tabs: pages.elements,
    page: pages.elements[0] ?? document.body,
    table: async () => {
      await draw(ofTable)
      return table.elements[0] ?? document.body
    },
    pass,
    setWallClock: (byMs) => {
      clock.stepWall(byMs)
      servicesAheadMs -= byMs
    },
    setOffline: page.api.setOffline,
    hang: (next) => {
      isHung = next
    },
    samples: ({ key }) => kept.get(key) ?? 0,
    alarms: () => alarms?.alarms ?? [],
    act: page.api.alarmAct,
    unwatch: ({ id }) =>
      engine.configure({
        serverUrl,
        ...effective,
        nodes: effective.nodes.filter((each) => each.id !== id),
      }),
    close: async () => {
      await pages.close()
      await table.close()
      page.end()
      engine.stop('ended')
      await Promise.all([server.close(), ...references.map((each) => each.close())])
    },
  }
}

/** The whole app at each of these addresses, like tabs side by side. */
async function drawPages(dashboard: Dashboard, paths: readonly string[]) {
  const roots = paths.map((path) => {
    const element = document.body.appendChild(document.createElement('div'))
    return {
      element,
      root: createRoot(element, { identifierPrefix: `${document.body.childElementCount}-` }),
      location: memoryLocation(path).location,
    }
  })
  await drawnAfter(() => {
    for (const { root, location } of roots)
      root.render(
        <LocationContext value={location}>
          <App dashboard={dashboard} />
        </LocationContext>,
      )
  })
  return {
    elements: roots.map(({ element }): Element => element),
    close: async (): Promise<void> => {
      await drawnAfter(() => roots.forEach(({ root }) => root.unmount()))
      for (const { element } of roots) element.remove()
    },
  }
}

/** Counts work that has begun and not finished. */
function createWork() {
  const begun = { doing: 0, sending: 0 }
  const counted =
    (what: keyof typeof begun) =>
    <Given extends readonly unknown[], T>(call: (...given: Given) => Promise<T>) =>
    async (...given: Given): Promise<T> => {
      begun[what]++
      try {
        return await call(...given)
      } finally {
        begun[what]--
      }
    }
  return {
    doing: counted('doing'),
    sending: counted('sending'),
    /** `open` is the number of requests that services have not answered. */
    isDone: (open: () => number): boolean =>
      begun.doing === 0 && (begun.sending === 0 || begun.sending <= open()),
  }
}

/** Replaces jsdom's own typed arrays, which are foreign to Node's sockets and the reference service. */
const setNodesBytes = (): void => {
  Object.assign(globalThis, {
    Uint8Array: Object.getPrototypeOf(Buffer),
    ArrayBuffer: Buffer.alloc(1).buffer.constructor,
  })
}

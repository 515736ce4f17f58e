import type { Bytes } from '#base/bytes.ts'
import type { Clock } from '#base/clock.ts'
import { err, type Result } from '#base/result.ts'
import { createSigner } from '#keys/create-signer.ts'
import type { Place } from '#keys/custody.ts'
import { createInspection } from '#keys/inspection.ts'
import type { KeyRing } from '#keys/key-ring.ts'
import { SEED_INPUT_BYTES_MAX } from '#keys/seed.ts'
import { createTryRounds, type TryRounds } from '#keys/try-rounds.ts'
import type { Signer, TrySigner } from '#protocol/ports.ts'
import { baseUrlOf, serviceIdOf, type ServiceId } from '#protocol/service.ts'
import { parseSettings, SETTINGS_VERSION, type Service } from '#protocol/settings.ts'
import type { EngineSigner, ImportProblem, KeyInfo, SignerAdmin, SignerReport } from './api.ts'
import { notesOf, placeOf, textOf } from './arguments.ts'
import type { IdleLock } from './idle-lock.ts'
import { inspectionCalls } from './inspection-calls.ts'
import { serveCalls, type CallPort, type Calls } from './serve-calls.ts'
import { vaultCalls } from './vault-calls.ts'
import type { Offered } from './offered.ts'

type PagePorts = {
  readonly keyRing: KeyRing
  readonly idle: IdleLock
  readonly report: () => Promise<SignerReport>
  readonly after: Clock['after']
  /** Shared by all pages, so that no tab opens a round of its own. Absent: this page's alone. */
  readonly rounds?: TryRounds
  readonly wallMs: () => number
  readonly randomBytes: (length: number) => Bytes
}

/**
 * Serves one page through its port. The services are this page's own: another tab, with other
 * settings, changes nothing here. The keys are everybody's. Arguments are checked here; one of
 * the wrong type is a bug of the page, or not our page, and is refused.
 */
export function servePage(port: CallPort, ports: PagePorts): void {
  const { keyRing, idle, report, after, wallMs, randomBytes, rounds = createTryRounds() } = ports
  let services: ReadonlyMap<ServiceId, Service> = new Map()
  let enginePort: MessagePort | undefined
  const signer = createSigner({
    service: (id) => services.get(id),
    key: async (publicKey) => {
      idle.check()
      return keyRing.find(publicKey)
    },
    rounds,
    wallMs,
    randomBytes,
  })

  const offered: Offered<SignerAdmin> = {
    report: async () => report(),
    keys: async () => keyRing.list(),
    makeKey: async ([label, place]) => keyRing.make(textOf(label), placeOf(place)),
    importKey: async ([source, label, place]) => importKey(keyRing, source, textOf(label), placeOf(place)),
    noteKey: async ([publicKey, notes]) => keyRing.note(textOf(publicKey), notesOf(notes)),
    ...inspectionCalls(createInspection(after, keyRing)),
    ...vaultCalls(keyRing, idle),
    removeKey: async ([publicKey]) => keyRing.remove(textOf(publicKey)),
    configure: async ([list]) => {
      services = servicesOf(list)
    },
    openTryRound: async ([id]) => {
      const serviceId = serviceOf(id)
      if (serviceId === undefined || !services.has(serviceId)) return err('not-configured')
      return rounds.open(serviceId, wallMs())
    },
    openEnginePort: async ([engine]) => {
      if (!(engine instanceof MessagePort)) throw new TypeError('not a port')
      enginePort?.close()
      enginePort = engine
      serveEngine(engine, signer)
    },
  }
  serveCalls(port, callsOf(offered))
}

function serveEngine(port: CallPort, signer: Signer & TrySigner): void {
  const offered: Offered<EngineSigner> = {
    signStatusRequest: async ([id, nodeId]) => {
      const serviceId = serviceOf(id)
      if (serviceId === undefined) return err('not-configured')
      return signer.signStatusRequest(serviceId, nodeId === undefined ? undefined : textOf(nodeId))
    },
    signTry: async ([id, nodeId, tryId]) => {
      const serviceId = serviceOf(id)
      if (serviceId === undefined) return err('not-configured')
      return signer.signTry(serviceId, nodeId === undefined ? undefined : textOf(nodeId), textOf(tryId))
    },
  }
  serveCalls(port, callsOf(offered))
}

function serviceOf(id: unknown): ServiceId | undefined {
  const baseUrl = baseUrlOf(textOf(id))
  return baseUrl === undefined ? undefined : serviceIdOf(baseUrl)
}

const callsOf = <Api>(offered: Offered<Api>): Calls => new Map(Object.entries(offered))

async function importKey(
  keyRing: KeyRing,
  source: unknown,
  label: string,
  place: Place | undefined,
): Promise<Result<KeyInfo, ImportProblem>> {
  if (source instanceof Uint8Array) return keyRing.importSeed(source, label, place)
  if (!(source instanceof Blob)) throw new TypeError('neither bytes nor a file')
  // Looked at before it is read: any file can be chosen by mistake.
  if (source.size > SEED_INPUT_BYTES_MAX) return err('not-a-seed')
  return keyRing.importSeed(new Uint8Array(await source.arrayBuffer()), label, place)
}

function servicesOf(list: unknown): ReadonlyMap<ServiceId, Service> {
  const settings = parseSettings({ version: SETTINGS_VERSION, services: list })
  if (!settings.ok || !Array.isArray(list)) throw new TypeError('not a list of services')
  return new Map(settings.value.services.map((service) => [serviceIdOf(service.baseUrl), service]))
}

import type { Bytes } from '#base/bytes.ts'
import type { Clock } from '#base/clock.ts'
import { err, ok } from '#base/result.ts'
import { createSigner } from '#keys/create-signer.ts'
import { createInspection, isTooLarge, TOO_LARGE, type Inspection } from '#keys/inspection.ts'
import type { KeyRing } from '#keys/key-ring.ts'
import type { TokenRing } from '#keys/token-ring.ts'
import { createTryRounds, type TryRounds } from '#keys/try-rounds.ts'
import { mayCorrect } from '#signing/status-request.ts'
import type { DraftSigner, Signer, TrySigner } from '#signing/signer.ts'
import type { ServiceId } from '#record/service.ts'
import type { Service } from '#settings/schema.ts'
import {
  SIGNED_AT_ONCE_MAX,
  type EngineSigner,
  type SignerAdmin,
  type SignerReport,
  type SignerTest,
} from './api.ts'
import {
  notesOf,
  numberOf,
  placeOf,
  secretOf,
  serviceOf,
  servicesOf,
  listedServices,
  textOf,
  bytesOf,
  tokenPlaceOf,
} from './arguments.ts'
import type { IdleLock } from './idle-lock.ts'
import { serveCalls, type CallPort, type Calls } from './serve-calls.ts'
import { vaultCalls } from './vault-calls.ts'
import type { Offered, SomeCalls } from './offered.ts'

type PagePorts = {
  readonly keyRing: KeyRing
  readonly tokens: TokenRing
  readonly idle: IdleLock
  readonly report: () => Promise<SignerReport>
  readonly selfTest: () => Promise<SignerTest>
  readonly after: Clock['after']
  /** Shared by all pages, so that no tab opens an extra round. Absent: for this page only. */
  readonly rounds?: TryRounds
  readonly wallMs: () => number
  readonly randomBytes: (length: number) => Bytes
}

/** Maximum number of concurrent tests; each belongs to a panel that a person opened. */
export const DRAFTS_MAX = 8

/**
 * Serves one page through its port. Services belong to this page, so another tab with other settings changes nothing here; keys
 * are shared by all tabs. Arguments of the wrong type are refused, because they show a bug in the page or a foreign page.
 */
export function servePage(port: CallPort, ports: PagePorts): void {
  const { keyRing, tokens, idle, report, selfTest, after, wallMs, randomBytes } = ports
  const { rounds = createTryRounds() } = ports
  let services: ReadonlyMap<ServiceId, Service> = new Map()
  /** Time corrections that the operator approved, at most one for each service. */
  let agreed: ReadonlyMap<ServiceId, number> = new Map()
  const drafts = new Map<number, ReadonlyMap<ServiceId, Service>>()
  let enginePort: MessagePort | undefined
  const tried = (id: ServiceId): Service | undefined =>
    services.get(id) ??
    Array.from(drafts.values(), (draft) => draft.get(id)).find((draft) => draft !== undefined)
  const signer = createSigner({
    service: (id) => services.get(id),
    draft: (draftId, id) => drafts.get(draftId)?.get(id),
    tried,
    key: async (publicKey, id) => {
      idle.check()
      return keyRing.find(publicKey, id)
    },
    otherHosts: (id) => hostsBeside(id, services),
    token: tokens.find,
    rounds,
    agreedCorrectionMs: (id) => agreed.get(id),
    wallMs,
    randomBytes,
  })

  const offered: Offered<SignerAdmin> = {
    report: async () => report(),
    selfTest: async () => selfTest(),
    keys: async () => {
      await tokens.list() // Drops the tokens that another tab has removed.
      return keyRing.list()
    },
    ...tokenCalls(tokens, (id) => services.has(id)),
    makeKey: async ([label, place, list]) =>
      keyRing.make(textOf(label), placeOf(place), listedServices(list)),
    ...grantCalls(keyRing),
    noteKey: async ([publicKey, notes]) => keyRing.note(textOf(publicKey), notesOf(notes)),
    ...inspectionCalls(createInspection(after, keyRing)),
    ...vaultCalls(keyRing, idle),
    removeKey: async ([publicKey]) => keyRing.remove(textOf(publicKey)),
    configure: async ([list]) => {
      services = servicesOf(list)
      agreed = new Map(Array.from(agreed).filter(([id]) => services.has(id)))
    },
    agreeToCorrection: async ([id, correctionMs]) => {
      const serviceId = serviceOf(id)
      const ms = numberOf(correctionMs)
      if (serviceId === undefined || !services.has(serviceId)) return err('not-configured')
      if (!mayCorrect(ms, ms)) return err('too-far')
      agreed = new Map([...agreed, [serviceId, ms]])
      return ok(undefined)
    },
    configureDraft: async ([draftId, service]) => noteDraft(drafts, numberOf(draftId), service),
    openTryRound: async ([id]) => {
      const serviceId = serviceOf(id)
      if (serviceId === undefined || tried(serviceId) === undefined) return err('not-configured')
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

const hostsBeside = (id: ServiceId, services: ReadonlyMap<ServiceId, Service>): readonly string[] =>
  Array.from(services).flatMap(([other, { baseUrl }]) => (other === id ? [] : [new URL(baseUrl).host]))

function noteDraft(
  drafts: Map<number, ReadonlyMap<ServiceId, Service>>,
  id: number,
  service: unknown,
): undefined {
  const draft = servicesOf(service === undefined ? [] : [service])
  drafts.delete(id)
  if (service === undefined) return
  const [oldest] = drafts.keys()
  if (oldest !== undefined && drafts.size >= DRAFTS_MAX) drafts.delete(oldest)
  drafts.set(id, draft)
}

function serveEngine(port: CallPort, signer: Signer & DraftSigner & TrySigner): void {
  const signOne = async ([id, nodeId, correctionMs]: readonly unknown[]) => {
    const serviceId = serviceOf(id)
    if (serviceId === undefined) return err('not-configured')
    const signed = signer.signStatusRequest(serviceId, ...requestOf(nodeId, correctionMs))
    return signed.catch(() => err('error')) // One failure must not end the other requests.
  }
  const offered: Offered<EngineSigner> = {
    signStatusRequests: async ([list]) => Promise.all(requestsOf(list).map(signOne)),
    signDraft: async ([draftId, id, nodeId, correctionMs]) => {
      const serviceId = serviceOf(id)
      if (serviceId === undefined) return err('not-configured')
      return signer.signDraft(numberOf(draftId), serviceId, ...requestOf(nodeId, correctionMs))
    },
    signTry: async ([id, nodeId, tryId, correctionMs]) => {
      const serviceId = serviceOf(id)
      if (serviceId === undefined) return err('not-configured')
      const [node, byMs] = requestOf(nodeId, correctionMs)
      return signer.signTry(serviceId, node, textOf(tryId), byMs)
    },
  }
  serveCalls(port, callsOf(offered))
}

function requestsOf(list: unknown): readonly (readonly unknown[])[] {
  const isList = Array.isArray(list) && list.length <= SIGNED_AT_ONCE_MAX && list.every(Array.isArray)
  if (!isList) throw new TypeError('not a list of requests')
  return list
}

const requestOf = (nodeId: unknown, correctionMs: unknown) =>
  [
    nodeId === undefined ? undefined : textOf(nodeId),
    correctionMs === undefined ? undefined : numberOf(correctionMs),
  ] as const

const callsOf = <Api>(offered: Offered<Api>): Calls => new Map(Object.entries(offered))

const grantCalls = (keyRing: KeyRing) =>
  ({
    allowSigning: async ([publicKey, given, secret]) => {
      const [service] = servicesOf([given]).values()
      if (service === undefined) throw new TypeError('not a service')
      return keyRing.grant(textOf(publicKey), service, secret === undefined ? undefined : secretOf(secret))
    },
    stopSigning: async ([publicKey, id]) => {
      const serviceId = serviceOf(id)
      return serviceId === undefined ? ok(undefined) : keyRing.revoke(textOf(publicKey), serviceId)
    },
  }) satisfies SomeCalls

const inspectionCalls = (inspection: Inspection) =>
  ({
    inspectKey: async ([source]) => {
      if (!(source instanceof Blob)) return inspection.inspect(bytesOf(source))
      // Checked before reading, because any file can be chosen by mistake.
      if (isTooLarge(source.size)) {
        inspection.drop()
        return TOO_LARGE
      }
      return inspection.inspect(new Uint8Array(await source.arrayBuffer()))
    },
    openInspected: async ([passphrase]) => inspection.open(bytesOf(passphrase)),
    keepInspected: async ([publicKey, label, place, list]) =>
      inspection.keep(textOf(publicKey), textOf(label), placeOf(place), listedServices(list)),
    dropInspected: async () => inspection.drop(),
  }) satisfies SomeCalls

/** Tokens can be stored and removed, but not read. */
const tokenCalls = (tokens: TokenRing, isConfigured: (id: ServiceId) => boolean) =>
  ({
    tokens: async () => tokens.list(),
    keepToken: async ([id, token, place]) => {
      const bytes = bytesOf(token)
      const serviceId = serviceOf(id)
      if (serviceId !== undefined && isConfigured(serviceId))
        return tokens.keep(serviceId, bytes, tokenPlaceOf(place))
      bytes.fill(0)
      return err('not-configured')
    },
    forgetToken: async ([id]) => {
      const serviceId = serviceOf(id)
      return serviceId === undefined ? ok(undefined) : tokens.forget(serviceId)
    },
  }) satisfies SomeCalls

import type { Bytes } from '#base/bytes.ts'
import type { Clock } from '#base/clock.ts'
import { putNewest } from '#base/newest-last.ts'
import { err, ok } from '#base/result.ts'
import type { AutoLock } from '#keys/auto-lock.ts'
import { createSigner } from '#keys/create-signer.ts'
import { createInspection } from '#keys/inspection.ts'
import type { KeyRing } from '#keys/key-ring.ts'
import type { TokenRing } from '#keys/token-ring.ts'
import type { TryRounds } from '#keys/try-rounds.ts'
import { VAULT_INPUT_BYTES_MAX } from '#keys/vault.ts'
import { mayCorrect } from '#signing/status-request.ts'
import type { Signer, SigningPurpose } from '#signing/signer.ts'
import { serviceIdOf, type ServiceId } from '#record/service.ts'
import type { Service } from '#settings/schema.ts'
import type { EngineSigner, SignerAdmin } from './api.ts'
import { ADMIN_READERS, ENGINE_READERS } from './arguments.ts'
import { serveCalls, type CallPort } from './serve-calls.ts'

type PagePorts = Pick<SignerAdmin, 'report' | 'selfTest'> & {
  readonly keyRing: KeyRing
  readonly tokens: TokenRing
  readonly idle: AutoLock
  readonly after: Clock['after']
  /** Shared by all pages, so that no tab opens an extra round. */
  readonly rounds: TryRounds
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
  const { keyRing, tokens, idle, report, selfTest, after, rounds, wallMs, randomBytes } = ports
  let services: ReadonlyMap<ServiceId, Service> = new Map()
  /** Time corrections that the operator approved, at most one for each service. */
  let agreed: ReadonlyMap<ServiceId, number> = new Map()
  const drafts = createDrafts()
  /** For finding a profile, the service need not be saved. */
  const tried = (id: ServiceId): Service | undefined => services.get(id) ?? drafts.find(id)
  const serviceFor = (id: ServiceId, purpose?: SigningPurpose): Service | undefined => {
    if (purpose === undefined) return services.get(id)
    return 'draftId' in purpose ? drafts.find(id, purpose.draftId) : tried(id)
  }
  const signer = createSigner({
    service: serviceFor,
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
  const inspection = createInspection(after, keyRing)
  let enginePort: MessagePort | undefined

  const admin: SignerAdmin = {
    report,
    selfTest,
    keys: async () => {
      await tokens.list() // Drops the tokens that another tab has removed.
      return keyRing.list()
    },
    tokens: tokens.list,
    keepToken: async (id, bytes, place) => {
      if (services.has(id)) return tokens.keep(id, bytes, place)
      bytes.fill(0)
      return err('not-configured')
    },
    forgetToken: tokens.forget,
    makeKey: keyRing.make,
    noteKey: keyRing.note,
    removeKey: keyRing.remove,
    allowSigning: keyRing.grant,
    stopSigning: keyRing.revoke,
    inspectKey: inspection.inspect,
    openInspected: inspection.open,
    keepInspected: inspection.keep,
    dropInspected: async () => inspection.drop(),
    ...vaultCalls(keyRing, idle),
    configure: async (list) => {
      services = new Map(list.map((service) => [serviceIdOf(service.baseUrl), service]))
      agreed = new Map(Array.from(agreed).filter(([id]) => services.has(id)))
    },
    agreeToCorrection: async (id, correctionMs) => {
      if (!services.has(id)) return err('not-configured')
      if (!mayCorrect(correctionMs, correctionMs)) return err('too-far')
      agreed = new Map([...agreed, [id, correctionMs]])
      return ok(undefined)
    },
    configureDraft: async (draftId, service) => drafts.note(draftId, service),
    openTryRound: async (id) => (tried(id) === undefined ? err('not-configured') : rounds.open(id, wallMs())),
    openEnginePort: async (engine) => {
      enginePort?.close()
      enginePort = engine
      serveCalls<EngineSigner>(engine, ENGINE_READERS, engineCalls(signer))
    },
  }
  serveCalls<SignerAdmin>(port, ADMIN_READERS, admin)
}

const hostsBeside = (id: ServiceId, services: ReadonlyMap<ServiceId, Service>): readonly string[] =>
  Array.from(services).flatMap(([other, { baseUrl }]) => (other === id ? [] : [new URL(baseUrl).host]))

function createDrafts() {
  const drafts = new Map<number, Service>()
  return {
    /** Without a service, the test ends. */
    note: (draftId: number, service: Service | undefined): void => {
      if (service === undefined) drafts.delete(draftId)
      else putNewest(drafts, draftId, service, DRAFTS_MAX)
    },
    /** Without `draftId`: the service of any test. */
    find: (id: ServiceId, draftId?: number): Service | undefined =>
      Array.from(drafts).find(
        ([each, { baseUrl }]) => (draftId ?? each) === each && serviceIdOf(baseUrl) === id,
      )?.[1],
  }
}

const engineCalls = ({ signStatusRequest }: Signer): EngineSigner => ({
  signStatusRequests: (requests) =>
    // One failure must not end the other requests.
    Promise.all(requests.map((request) => signStatusRequest(...request).catch(() => err('error' as const)))),
})

const vaultCalls = (keyRing: KeyRing, idle: AutoLock) =>
  ({
    lock: async () => keyRing.lock(),
    unlock: async (publicKey, secret) => {
      const unlocked = await keyRing.unlock(publicKey, secret)
      // Entering the secret counts as activity.
      if (unlocked.ok) idle.touch()
      return unlocked
    },
    changePassphrase: keyRing.changePassphrase,
    addPasskey: keyRing.addPasskey,
    removePasskey: keyRing.removePasskey,
    exportVault: keyRing.exportVault,
    importVault: async (file, ...rest) =>
      // Checked before reading, because any file can be chosen by mistake.
      file.size > VAULT_INPUT_BYTES_MAX
        ? err('not-a-vault')
        : keyRing.importVault(new Uint8Array(await file.arrayBuffer()), ...rest),
    presence: async (isHere) => {
      if (isHere) idle.touch()
      else idle.check()
      const counts = await keyRing.vaultCounts()
      const leftMs = counts.open > 0 ? idle.leftMs() : undefined
      return { minutes: idle.minutes(), ...counts, ...(leftMs !== undefined && { leftMs }) }
    },
    setLockMinutes: async (minutes, publicKey, secret) => {
      if (minutes !== 0) return idle.choose(minutes)
      // Turning off the automatic lock requires the secret of a vault.
      if (publicKey === undefined || secret === undefined) return 'needs-secret'
      return (await keyRing.isSecretOf(publicKey, secret)) ? idle.choose(0) : 'wrong-secret'
    },
  }) satisfies Partial<SignerAdmin>

import type { Result } from '#base/result.ts'
import { connectSigner } from '#app/connect-signer.ts'
import { createPortSigner } from '#engine/port-signer.ts'
import { systemClock } from '#platform/system-clock.ts'
import { askPasskey, canUsePasskeys, createPasskey } from '#platform/passkey.ts'
import { createWorkerFactory } from '#platform/start-workers.ts'
import type { Inspected, KeepInspectedProblem, KeyInfo, Place, SignerAdmin } from '#signer/api.ts'
import type { Service } from '#settings/schema.ts'
import signerUrl from '#signer/signer-worker.ts?worker&url'

export type SignerPage = {
  readonly signer: SignerAdmin
  /** Reads and stores a key, as the screens do in two steps. If it can't be read, the error is the outcome. */
  readonly bring: (
    source: Uint8Array<ArrayBuffer> | Blob,
    label: string,
    place?: Place,
  ) => Promise<Result<KeyInfo, KeepInspectedProblem | Inspected['outcome']>>
  readonly askPasskey: typeof askPasskey
  readonly canUsePasskeys: typeof canUsePasskeys
  readonly createPasskey: typeof createPasskey
  readonly openEngine: () => Promise<ReturnType<typeof createPortSigner>>
  /** Whether the Trusted Types policy accepts this address for a Worker. */
  readonly trusts: (url: string) => boolean
}

declare global {
  var signerPage: SignerPage
}

const factory = createWorkerFactory([signerUrl])
const connected = connectSigner(factory, signerUrl, () => undefined)

/** The service that every key of these tests may sign for. */
const FOR: readonly Service[] = [
  {
    baseUrl: 'https://api.node.example/v1',
    via: 'proxy',
    profile: 'bearer-v1',
    pollIntervalMs: 15_000,
    timeoutMs: 10_000,
  },
]
const signer: SignerAdmin = {
  ...connected,
  makeKey: async (label, place) => connected.makeKey(label, place, FOR),
  keepInspected: async (publicKey, label, place) => connected.keepInspected(publicKey, label, place, FOR),
  importVault: async (file, passphrase, label, replace) =>
    connected.importVault(file, passphrase, label, replace, FOR),
}

globalThis.signerPage = {
  signer,
  bring: async (source, label, place) => {
    const inspected = await signer.inspectKey(source)
    if (inspected.outcome !== 'key') return { ok: false, error: inspected.outcome }
    return signer.keepInspected(inspected.key.publicKey, label, place)
  },
  askPasskey,
  canUsePasskeys,
  createPasskey,
  openEngine: async () => {
    const { port1, port2 } = new MessageChannel()
    await signer.openEnginePort(port1)
    return createPortSigner(port2, systemClock)
  },
  trusts: (url) => {
    try {
      factory.connect(url, 'any', () => undefined).end()
      return true
    } catch {
      return false
    }
  },
}

import * as Comlink from 'comlink'
import { answerWithin, type WorkerFactory } from '#platform/start-workers.ts'
import type { Place, SignerAdmin, VaultSecret } from '#signer/api.ts'

/** Opening storage may take 5 s before the signer goes on without it, and a slow computer its own time. */
const ANSWER_LIMIT_MS = 15_000

/** A passphrase at the highest cost that is accepted takes minutes on a slow computer. */
const DERIVING_LIMIT_MS = 600_000

/** The signer's page side. A call rejects when the signer could not start or does not answer. */
export function connectSigner(factory: WorkerFactory, url: string): SignerAdmin {
  let hasAnswered = false
  let reportFailure: () => void = () => undefined
  const failed = new Promise<never>((_, reject) => {
    reportFailure = () => {
      // A script that has answered was loaded; what fails later is one call's, and is told there.
      if (!hasAnswered) reject(new Error('the signer did not start'))
    }
  })
  failed.catch(() => undefined) // each call that waits for an answer gets this as its own rejection
  const port = factory.sharedPort(url, 'immune-signer', () => reportFailure())
  const remote = Comlink.wrap<SignerAdmin>(port)
  const answer = async <P extends Promise<unknown>>(
    call: P,
    limitMs = ANSWER_LIMIT_MS,
  ): Promise<Awaited<P>> => {
    const value = await answerWithin(limitMs, Promise.race([call, failed]))
    hasAnswered = true
    return value
  }
  const slow = async <P extends Promise<unknown>>(call: P): Promise<Awaited<P>> =>
    answer(call, DERIVING_LIMIT_MS)
  return {
    report: async () => answer(remote.report()),
    selfTest: async () => answer(remote.selfTest()),
    keys: async () => answer(remote.keys()),
    makeKey: async (label, place) => slow(remote.makeKey(label, movedPlace(place))),
    inspectKey: async (source) => slow(remote.inspectKey(moved(source))),
    openInspected: async (passphrase) => slow(remote.openInspected(movedBytes(passphrase))),
    keepInspected: async (publicKey, label, place) =>
      slow(remote.keepInspected(publicKey, label, movedPlace(place))),
    dropInspected: async () => answer(remote.dropInspected()),
    noteKey: async (publicKey, notes) => answer(remote.noteKey(publicKey, notes)),
    lock: async () => answer(remote.lock()),
    unlock: async (publicKey, secret) => slow(remote.unlock(publicKey, movedSecret(secret))),
    changePassphrase: async (publicKey, secret, passphrase) =>
      slow(remote.changePassphrase(publicKey, movedSecret(secret), movedBytes(passphrase))),
    addPasskey: async (publicKey, secret, passkey) =>
      slow(
        remote.addPasskey(publicKey, movedSecret(secret), Comlink.transfer(passkey, [passkey.secret.buffer])),
      ),
    removePasskey: async (publicKey, credentialId) => answer(remote.removePasskey(publicKey, credentialId)),
    exportVault: async (publicKey) => answer(remote.exportVault(publicKey)),
    importVault: async (file, passphrase, label, replace) =>
      slow(remote.importVault(file, movedBytes(passphrase), label, replace)),
    presence: async (isHere) => answer(remote.presence(isHere)),
    setLockMinutes: async (minutes) => answer(remote.setLockMinutes(minutes)),
    tokens: async () => answer(remote.tokens()),
    keepToken: async (serviceId, token, place) =>
      answer(remote.keepToken(serviceId, movedBytes(token), place)),
    forgetToken: async (serviceId) => answer(remote.forgetToken(serviceId)),
    removeKey: async (publicKey) => answer(remote.removeKey(publicKey)),
    agreeToCorrection: async (serviceId, correctionMs) =>
      answer(remote.agreeToCorrection(serviceId, correctionMs)),
    configure: async (services) => answer(remote.configure(services)),
    configureDraft: async (draftId, service) => answer(remote.configureDraft(draftId, service)),
    openTryRound: async (serviceId) => answer(remote.openTryRound(serviceId)),
    openEnginePort: async (enginePort) =>
      answer(remote.openEnginePort(Comlink.transfer(enginePort, [enginePort]))),
  }
}

/** Bytes are moved, not copied: none stay behind in the page. A file is only a handle. */
const moved = (source: Uint8Array<ArrayBuffer> | Blob): Uint8Array<ArrayBuffer> | Blob =>
  source instanceof Blob ? source : Comlink.transfer(source, [source.buffer])

const movedBytes = (bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> =>
  Comlink.transfer(bytes, [bytes.buffer])

const movedSecret = (secret: VaultSecret): VaultSecret =>
  Comlink.transfer(secret, [(secret.kind === 'passphrase' ? secret.passphrase : secret.secret).buffer])

const movedPlace = (place: Place | undefined): Place | undefined =>
  place?.custody === 'vault' ? Comlink.transfer(place, [place.passphrase.buffer]) : place

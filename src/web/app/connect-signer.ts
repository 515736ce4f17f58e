import * as Comlink from 'comlink'
import { createGeneration, watchLife } from '#platform/page-life.ts'
import { answerWithin, createEnd, ENDED, type WorkerFactory } from '#platform/start-workers.ts'
import type { Place, SignerAdmin, VaultSecret } from '#signer/api.ts'

/** Opening storage may take 5 s before the signer goes on without it, and a slow computer its own time. */
const ANSWER_LIMIT_MS = 15_000

/** A passphrase at the highest cost that is accepted takes minutes on a slow computer. */
const DERIVING_LIMIT_MS = 600_000

export type ConnectedSigner = SignerAdmin & {
  /** Calls when the signer had to be started anew: its keys for the session are gone, vaults are locked, and the engine needs a port. */
  readonly onRestart: (restarted: () => void) => void
}

type Connection = {
  readonly remote: Comlink.Remote<SignerAdmin>
  readonly generation: number
  readonly end: () => void
  isWatched: boolean
}

/** The newest signer, and how its answers are waited for. */
function createConnections(factory: WorkerFactory, url: string, restarted: () => void) {
  let hasAnswered = false
  const failure = createEnd()
  // A script that has answered was loaded; what fails later is one call's, and is told there.
  const reportFailure = (): void => {
    if (!hasAnswered) failure.come()
  }
  let services: Parameters<SignerAdmin['configure']>[0] = []
  const generation = createGeneration(factory.isShared ? 'immune-signer-generation' : undefined, () => move())
  const open = (): Connection => {
    const number = generation.now()
    const { port, end } = factory.connect(url, `immune-signer-${number}`, () => reportFailure())
    return { remote: Comlink.wrap<SignerAdmin>(port), generation: number, end, isWatched: false }
  }
  let connection = open()
  const move = (): void => {
    connection.end()
    connection = open()
    connection.remote.configure(services).catch(() => undefined)
    restarted()
  }
  /** A port does not say that its other end has died. */
  const watch = (life: string | undefined): void => {
    const watched = connection
    if (life === undefined || watched.isWatched) return
    watched.isWatched = true
    watchLife(life, () => restart(watched))
  }
  const restart = (dead: Connection): void => {
    if (connection !== dead) return
    generation.next(dead.generation)
    move()
  }
  const answer = async <P extends Promise<unknown>>(
    call: P,
    limitMs = ANSWER_LIMIT_MS,
  ): Promise<Awaited<P>> => {
    const value = await answerWithin(limitMs, failure.orEnd(call))
    if (value === ENDED) throw new Error('the signer did not start')
    hasAnswered = true
    return value
  }
  const slow = async <P extends Promise<unknown>>(call: P): Promise<Awaited<P>> =>
    answer(call, DERIVING_LIMIT_MS)
  return {
    current: () => connection,
    watch,
    answer,
    slow,
    configure: async (next: typeof services) => {
      services = next
      await answer(connection.remote.configure(next))
    },
    openEnginePort: async (enginePort: MessagePort) => {
      const asked = connection
      try {
        await answer(asked.remote.openEnginePort(Comlink.transfer(enginePort, [enginePort])))
      } catch (error) {
        // It answered once and no longer does: it died where no lock could say so, or hangs.
        if (hasAnswered) restart(asked)
        throw error
      }
    },
  }
}

/** The signer's page side. A call rejects when the signer could not start or does not answer; one that died is followed by another. */
export function connectSigner(factory: WorkerFactory, url: string): ConnectedSigner {
  let restarted = (): void => undefined
  const connections = createConnections(factory, url, () => restarted())
  const { answer, slow, watch, configure, openEnginePort } = connections
  const signer = () => connections.current().remote
  return {
    onRestart: (next) => {
      restarted = next
    },
    report: async () => {
      const report = await answer(signer().report())
      watch(report.life)
      return report
    },
    selfTest: async () => answer(signer().selfTest()),
    keys: async () => answer(signer().keys()),
    makeKey: async (label, place, list) => slow(signer().makeKey(label, movedPlace(place), list)),
    allowSigning: async (publicKey, service, secret) =>
      slow(signer().allowSigning(publicKey, service, secret && movedSecret(secret))),
    stopSigning: async (publicKey, serviceId) => answer(signer().stopSigning(publicKey, serviceId)),
    inspectKey: async (source) => slow(signer().inspectKey(moved(source))),
    openInspected: async (passphrase) => slow(signer().openInspected(movedBytes(passphrase))),
    keepInspected: async (publicKey, label, place, list) =>
      slow(signer().keepInspected(publicKey, label, movedPlace(place), list)),
    dropInspected: async () => answer(signer().dropInspected()),
    noteKey: async (publicKey, notes) => answer(signer().noteKey(publicKey, notes)),
    lock: async () => answer(signer().lock()),
    unlock: async (publicKey, secret) => slow(signer().unlock(publicKey, movedSecret(secret))),
    changePassphrase: async (publicKey, secret, passphrase) =>
      slow(signer().changePassphrase(publicKey, movedSecret(secret), movedBytes(passphrase))),
    addPasskey: async (publicKey, secret, passkey) =>
      slow(
        signer().addPasskey(
          publicKey,
          movedSecret(secret),
          Comlink.transfer(passkey, [passkey.secret.buffer]),
        ),
      ),
    removePasskey: async (publicKey, credentialId) => answer(signer().removePasskey(publicKey, credentialId)),
    exportVault: async (publicKey) => answer(signer().exportVault(publicKey)),
    importVault: async (file, passphrase, label, replace, list) =>
      slow(signer().importVault(file, movedBytes(passphrase), label, replace, list)),
    presence: async (isHere) => answer(signer().presence(isHere)),
    setLockMinutes: async (minutes, publicKey, secret) =>
      slow(signer().setLockMinutes(minutes, publicKey, secret && movedSecret(secret))),
    tokens: async () => answer(signer().tokens()),
    keepToken: async (serviceId, token, place) =>
      answer(signer().keepToken(serviceId, movedBytes(token), place)),
    forgetToken: async (serviceId) => answer(signer().forgetToken(serviceId)),
    removeKey: async (publicKey) => answer(signer().removeKey(publicKey)),
    agreeToCorrection: async (serviceId, correctionMs) =>
      answer(signer().agreeToCorrection(serviceId, correctionMs)),
    configure,
    configureDraft: async (draftId, service) => answer(signer().configureDraft(draftId, service)),
    openTryRound: async (serviceId) => answer(signer().openTryRound(serviceId)),
    openEnginePort,
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

import * as Comlink from 'comlink'
import { answerWithin, type WorkerFactory } from '#platform/start-workers.ts'
import type { SignerAdmin } from '#signer/api.ts'

/** Opening storage may take 5 s before the signer goes on without it, and a slow computer its own time. */
const ANSWER_LIMIT_MS = 15_000

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
  const answer = async <P extends Promise<unknown>>(call: P): Promise<Awaited<P>> => {
    const value = await answerWithin(ANSWER_LIMIT_MS, Promise.race([call, failed]))
    hasAnswered = true
    return value
  }
  return {
    report: async () => answer(remote.report()),
    keys: async () => answer(remote.keys()),
    makeKey: async (label) => answer(remote.makeKey(label)),
    importKey: async (source, label) => answer(remote.importKey(moved(source), label)),
    removeKey: async (publicKey) => answer(remote.removeKey(publicKey)),
    configure: async (services) => answer(remote.configure(services)),
    openEnginePort: async (enginePort) =>
      answer(remote.openEnginePort(Comlink.transfer(enginePort, [enginePort]))),
  }
}

/** Bytes are moved, not copied: none stay behind in the page. A file is only a handle. */
const moved = (source: Uint8Array<ArrayBuffer> | Blob): Uint8Array<ArrayBuffer> | Blob =>
  source instanceof Blob ? source : Comlink.transfer(source, [source.buffer])

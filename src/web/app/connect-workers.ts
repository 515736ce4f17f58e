import engineUrl from '#engine/engine-worker.ts?worker&url'
import { createWorkerFactory, type WorkerPort } from '#platform/start-workers.ts'
import signerUrl from '#signer/signer-worker.ts?worker&url'
import { connectSigner, type ConnectedSigner } from './connect-signer.ts'

export type Workers = {
  readonly signer: ConnectedSigner
  /** Whether the engine is one for all tabs. */
  readonly isShared: boolean
  readonly connectEngine: (generation: number, onFailure: () => void) => WorkerPort
}

/** Starts the signer, and connects to engines. Once for each page: the page's policy allows no second. */
export function connectWorkers(): Workers {
  const factory = createWorkerFactory([signerUrl, engineUrl])
  return {
    signer: connectSigner(factory, signerUrl),
    isShared: factory.isShared,
    // Another build has another address, and so an engine of its own, which waits for this one.
    connectEngine: (generation, onFailure) =>
      factory.connect(engineUrl, `immune-engine-${generation}`, onFailure),
  }
}

import engineUrl from '#engine/engine-worker.ts?worker&url'
import { createWorkerFactory } from '#platform/start-workers.ts'
import type { SignerAdmin } from '#signer/api.ts'
import signerUrl from '#signer/signer-worker.ts?worker&url'
import { connectSigner } from './connect-signer.ts'

export type Workers = {
  readonly signer: SignerAdmin
  /** A fresh engine Worker; the caller ends it. */
  readonly startEngine: () => Worker
}

/** Starts the signer and makes engines. Once for each page: the page's policy allows no second. */
export function connectWorkers(): Workers {
  const factory = createWorkerFactory([signerUrl, engineUrl])
  return {
    signer: connectSigner(factory, signerUrl),
    startEngine: () => factory.dedicated(engineUrl, 'immune-engine'),
  }
}

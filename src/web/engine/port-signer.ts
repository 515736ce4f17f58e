import * as Comlink from 'comlink'
import type { Clock } from '#base/clock.ts'
import { err, type Result } from '#base/result.ts'
import type { DraftSigner, SignedHeaders, Signer, SignFailure, TrySigner } from '#signing/signer.ts'
import type { EngineSigner } from '#signer/api.ts'

/** Signing takes a millisecond; a signer that takes longer than this is gone or frozen. */
const ANSWER_LIMIT_MS = 5_000

/** The signer behind a port. A port does not report that its other end has died, so each call has a timeout. */
export function createPortSigner(endpoint: Comlink.Endpoint, clock: Clock): Signer & DraftSigner & TrySigner {
  const remote = Comlink.wrap<EngineSigner>(endpoint)
  let turn: Promise<Signed>[] = []
  /** Resolves when all requests of this turn are signed, so that they can be sent as one batch. */
  const together = async (signing: Promise<Signed>): Promise<Signed> => {
    const all = turn
    all.push(signing)
    await Promise.resolve() // every request of this turn is in the list now
    if (turn === all) turn = []
    await Promise.all(all)
    return signing
  }
  const answered = (call: () => Promise<Signed>): Promise<Signed> =>
    new Promise<Signed>((resolve) => {
      const cancel = clock.after(ANSWER_LIMIT_MS, () => resolve(err('no-answer')))
      const settle = (result: Signed): void => {
        cancel()
        resolve(result)
      }
      // The signer rejects malformed calls with an exception without details.
      call().then(settle, () => settle(err('error')))
    })
  return {
    signStatusRequest: (serviceId, nodeId, correctionMs) =>
      together(answered(async () => remote.signStatusRequest(serviceId, nodeId, correctionMs))),
    signDraft: (...request) => answered(async () => remote.signDraft(...request)),
    signTry: (...request) => answered(async () => remote.signTry(...request)),
  }
}

type Signed = Result<SignedHeaders, SignFailure>

import * as Comlink from 'comlink'
import type { Clock } from '#base/clock.ts'
import { err, ok, type Result } from '#base/result.ts'
import type { DraftSigner, SignedHeaders, Signer, SignFailure, TrySigner } from '#signing/signer.ts'
import type { EngineSigner } from '#signer/api.ts'

/** Signing takes a millisecond; a signer that takes longer than this is gone or frozen. */
const ANSWER_LIMIT_MS = 5_000

/**
 * The signer behind a port. A port does not report that its other end has died, so each call has a timeout. The requests of one
 * turn are signed by one call, and so can be sent as one batch.
 */
export function createPortSigner(endpoint: Comlink.Endpoint, clock: Clock): Signer & DraftSigner & TrySigner {
  const remote = Comlink.wrap<EngineSigner>(endpoint)
  const answered = <T>(call: () => Promise<Result<T, SignFailure>>): Promise<Result<T, SignFailure>> =>
    new Promise((resolve) => {
      const cancel = clock.after(ANSWER_LIMIT_MS, () => resolve(err('no-answer')))
      const settle = (result: Result<T, SignFailure>): void => {
        cancel()
        resolve(result)
      }
      // The signer rejects malformed calls with an exception without details.
      call().then(settle, () => settle(err('error')))
    })
  let turn: Turn | undefined
  const beginTurn = (): Turn => {
    const requests: Request[] = []
    const endTurn = async (): Promise<Signed> => {
      await Promise.resolve() // Waits until the list has every request of this turn.
      turn = undefined
      return answered(async () => ok(await remote.signStatusRequests(requests)))
    }
    return { requests, signed: endTurn() }
  }
  return {
    signStatusRequest: async (...request) => {
      turn ??= beginTurn()
      const at = turn.requests.push(request) - 1
      const signed = await turn.signed
      return signed.ok ? (signed.value[at] ?? err('error')) : signed
    },
    signDraft: (...request) => answered(async () => remote.signDraft(...request)),
    signTry: (...request) => answered(async () => remote.signTry(...request)),
  }
}

type Request = Parameters<Signer['signStatusRequest']>
type Signed = Result<readonly Result<SignedHeaders, SignFailure>[], SignFailure>
type Turn = { readonly requests: Request[]; readonly signed: Promise<Signed> }

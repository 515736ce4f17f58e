import * as Comlink from 'comlink'
import type { Clock } from '#base/clock.ts'
import { err, ok, type Result } from '#base/result.ts'
import type { SignedHeaders, Signer, SignFailure } from '#signing/signer.ts'
import type { EngineSigner, StatusRequest } from '#signer/api.ts'

/** Signing takes a millisecond; a signer that takes longer than this is gone or frozen. */
const ANSWER_LIMIT_MS = 5_000

type Signed = Result<readonly Result<SignedHeaders, SignFailure>[], SignFailure>
type Turn = { readonly requests: StatusRequest[]; readonly signed: Promise<Signed> }

/**
 * The signer behind a port. A port does not report that its other end has died, so each call has a timeout. The requests of one
 * turn are signed by one call, and so can be sent as one batch.
 */
export function createPortSigner(endpoint: Comlink.Endpoint, clock: Clock): Signer {
  const remote = Comlink.wrap<EngineSigner>(endpoint)
  let turn: Turn | undefined
  const beginTurn = (): Turn => {
    const requests: StatusRequest[] = []
    const signed = new Promise<Signed>((resolve) => {
      const cancel = clock.after(ANSWER_LIMIT_MS, () => resolve(err('no-answer')))
      const settle = (answer: Signed): void => {
        cancel()
        resolve(answer)
      }
      // Waits until the list has every request of this turn.
      queueMicrotask(() => {
        turn = undefined
        // The signer rejects malformed calls with an exception without details.
        remote.signStatusRequests(requests).then(
          (all) => settle(ok(all)),
          () => settle(err('error')),
        )
      })
    })
    return { requests, signed }
  }
  return {
    signStatusRequest: async (...request) => {
      turn ??= beginTurn()
      const at = turn.requests.push(request) - 1
      const signed = await turn.signed
      return signed.ok ? (signed.value[at] ?? err('error')) : signed
    },
  }
}

import { ok } from '#base/result.ts'
import { createEngine, type EnginePorts } from '#pipeline/engine.ts'
import { engineParts } from '#test/support/engine-parts.ts'

/** An engine without a browser, as a collector runs it. */
export const anEngine = (given: Pick<EnginePorts, 'clock' | 'transport'> & Partial<EnginePorts>) =>
  createEngine({
    ...engineParts(),
    signer: { signStatusRequest: async (_service, id) => ok({ headers: {}, query: `node_id=${id}` }) },
    notify: () => undefined,
    ...given,
  })

import { err } from '#base/result.ts'
import type { SignFailure, Signer } from '#signing/signer.ts'

/** Maximum number of signers tried for one request; each may take seconds until its timeout. */
const TRIES_MAX = 3

/** Failures that another page's signer may avoid, because it is alive or knows a new service. */
const ANOTHER_MAY: readonly SignFailure[] = ['no-answer', 'error', 'not-configured']

/** A signer backed by the ports of all pages. `wanted` is called if none of them answers, so that a page connects another. */
export function createSignerPool(wanted: () => void) {
  let signers: ReadonlyMap<string, Signer> = new Map()
  let preferred = ''
  const inOrder = () =>
    Array.from(signers).toSorted(([a], [b]) => Number(b === preferred) - Number(a === preferred))
  const remove = (page: string, signer = signers.get(page)): void => {
    signers = new Map(Array.from(signers).filter(([name, one]) => name !== page || one !== signer))
  }
  return {
    /** Adds a page's signer. The most recently configured page is used first. Returns whether there was none before. */
    add: (page: string, signer: Signer): boolean => {
      const isFirst = signers.size === 0
      signers = new Map([...signers, [page, signer]])
      return isFirst
    },
    prefer: (page: string): void => {
      preferred = page
    },
    remove: (page: string): void => {
      remove(page)
      if (signers.size === 0) wanted()
    },
    of: (page: string): Signer | undefined => signers.get(page),
    signStatusRequest: async (...request: Parameters<Signer['signStatusRequest']>) => {
      let signed: Awaited<ReturnType<Signer['signStatusRequest']>> = err('no-answer')
      for (const [page, signer] of inOrder().slice(0, TRIES_MAX)) {
        signed = await signer.signStatusRequest(...request)
        if (signed.ok || !ANOTHER_MAY.includes(signed.error)) return signed
        if (signed.error === 'no-answer') remove(page, signer)
      }
      if (signers.size === 0) wanted()
      return signed
    },
  }
}

export type SignerPool = ReturnType<typeof createSignerPool>

import { err } from '#base/result.ts'
import type { DraftSigner, SignFailure, Signer, TrySigner } from '#signing/signer.ts'

/** Signs for the page that brought it, tests among it. */
export type PageSigner = Signer & Partial<DraftSigner & TrySigner>

/** So many are tried for one request; each may take seconds to say nothing. */
const TRIES_MAX = 3

/** What another page's signer may do better: it is alive, or was told of a service that is new. */
const ANOTHER_MAY: readonly SignFailure[] = ['no-answer', 'error', 'not-configured']

export type SignerPool = Signer & {
  /** The page that was configured last comes first. Returns whether there was none before. */
  readonly add: (page: string, signer: PageSigner) => boolean
  readonly prefer: (page: string) => void
  readonly remove: (page: string) => void
  readonly of: (page: string) => PageSigner | undefined
}

/** The signer by the ports of all pages. `wanted`: none of them answers, so a page has to bring another. */
export function createSignerPool(wanted: () => void): SignerPool {
  let signers: ReadonlyMap<string, PageSigner> = new Map()
  let preferred = ''
  const inOrder = () =>
    Array.from(signers).toSorted(([a], [b]) => Number(b === preferred) - Number(a === preferred))
  const remove = (page: string, signer = signers.get(page)): void => {
    signers = new Map(Array.from(signers).filter(([name, one]) => name !== page || one !== signer))
  }
  return {
    add: (page, signer) => {
      const isFirst = signers.size === 0
      signers = new Map([...signers, [page, signer]])
      return isFirst
    },
    prefer: (page) => {
      preferred = page
    },
    remove: (page) => {
      remove(page)
      if (signers.size === 0) wanted()
    },
    of: (page) => signers.get(page),
    signStatusRequest: async (...request) => {
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

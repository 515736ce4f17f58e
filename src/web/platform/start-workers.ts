export type WorkerFactory = {
  /** Whether a Worker is one for all tabs. */
  readonly isShared: boolean
  /** A Worker for all tabs, or a Worker of this page where the browser has no other kind. */
  readonly connect: (url: string, name: string, onFailure: () => void) => WorkerPort
}

export type WorkerPort = {
  readonly port: MessagePort
  /** Leaves the Worker, and ends it where it is this page's alone. */
  readonly end: () => void
}

/** The name in the page's Content-Security-Policy; no other policy can be made there. */
const POLICY_NAME = 'immune-workers'

type PolicyRules = { readonly createScriptURL: (url: string) => string }
type TrustedTypes = {
  readonly createPolicy: (
    name: string,
    rules: PolicyRules,
  ) => { readonly createScriptURL: (url: string) => string }
}

declare global {
  /** Missing in browsers without Trusted Types. Its values are typed as texts, which is what they stand for. */
  var trustedTypes: TrustedTypes | undefined
}

/** Starts Workers, of these addresses and no others. To be made once: the page's policy allows one. */
export function createWorkerFactory(urls: readonly string[]): WorkerFactory {
  const createScriptURL = (url: string): string => {
    if (!urls.includes(url)) throw new TypeError('not a Worker of this page')
    return url
  }
  const policy = globalThis.trustedTypes?.createPolicy(POLICY_NAME, { createScriptURL }) ?? {
    createScriptURL,
  }

  const isShared = typeof SharedWorker !== 'undefined'

  return {
    isShared,
    connect: (url, name, onFailure) => {
      const address = policy.createScriptURL(url)
      if (isShared) {
        const shared = new SharedWorker(address, { type: 'module', name })
        shared.addEventListener('error', onFailure)
        return { port: shared.port, end: () => shared.port.close() }
      }
      const worker = new Worker(address, { type: 'module', name })
      worker.addEventListener('error', onFailure)
      const { port1, port2 } = new MessageChannel()
      worker.postMessage(undefined, [port2])
      return {
        port: port1,
        end: () => {
          port1.close()
          worker.terminate()
        },
      }
    },
  }
}

/** Rejects when `work` has not ended within `limitMs`; a Worker that died without a word answers nothing. */
export async function answerWithin<T>(limitMs: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${limitMs} ms`)), limitMs)
  })
  try {
    return await Promise.race([work, limit])
  } finally {
    clearTimeout(timer)
  }
}

export const ENDED = Symbol('the other side has ended')

/** What comes first: the answer, or the end of whoever is to give it. */
export type OrEnd = <P extends Promise<unknown>>(work: P) => Promise<Awaited<P> | typeof ENDED>

/**
 * An end that may come in weeks, or never. Each call waits for it until it is answered: one promise for all of them
 * would keep every answer of those weeks.
 */
export function createEnd(): {
  readonly orEnd: OrEnd
  readonly come: () => void
  readonly isOver: () => boolean
} {
  const waiting = new Set<() => void>()
  let isOver = false
  return {
    isOver: () => isOver,
    orEnd: async <P extends Promise<unknown>>(work: P): Promise<Awaited<P> | typeof ENDED> => {
      let end = (): void => undefined
      const ended = new Promise<typeof ENDED>((resolve) => {
        end = () => resolve(ENDED)
      })
      if (isOver) end()
      waiting.add(end)
      try {
        return await Promise.race([work, ended])
      } finally {
        waiting.delete(end)
      }
    },
    come: () => {
      isOver = true
      for (const end of waiting) end()
    },
  }
}

/** The policy name in the page's Content-Security-Policy, which allows no other. */
const POLICY_NAME = 'immune-workers'

type PolicyRules = { readonly createScriptURL: (url: string) => string }
type TrustedTypes = {
  readonly createPolicy: (
    name: string,
    rules: PolicyRules,
  ) => { readonly createScriptURL: (url: string) => string }
}

declare global {
  /** Missing in browsers without Trusted Types. Typed as plain strings. */
  var trustedTypes: TrustedTypes | undefined
}

/** Starts Workers from these URLs only. Create it once, because the page's policy allows a single instance. */
export function createWorkerFactory(urls: readonly string[]) {
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
    /**
     * Connects to the shared Worker, or starts one for this page if shared Workers are unsupported. `end` disconnects from it,
     * and terminates it if only this page uses it.
     */
    connect: (url: string, name: string, onFailure: () => void) => {
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

export type WorkerFactory = ReturnType<typeof createWorkerFactory>

export const ENDED = Symbol('the other side has ended')

/**
 * Signals an end that may come after weeks or never. Each call waits on its own promise, because a single shared one would
 * retain all answers.
 */
export function createEnd() {
  const waiting = new Set<() => void>()
  let isOver = false
  return {
    isOver: (): boolean => isOver,
    /** Resolves to the answer, or to `ENDED` if the Worker ends first. */
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
    come: (): void => {
      isOver = true
      for (const end of waiting) end()
    },
  }
}

export type WorkerFactory = {
  /** A Worker of this page alone. */
  readonly dedicated: (url: string, name: string) => Worker
  /** Whether `sharedPort` leads to a Worker for all tabs. */
  readonly isShared: boolean
  /** A Worker for all tabs, or a Worker of this page where the browser has no other kind; a fresh port to it. */
  readonly sharedPort: (url: string, name: string, onFailure: () => void) => MessagePort
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

  const dedicated = (url: string, name: string): Worker => {
    const address = policy.createScriptURL(url)
    return new Worker(address, { type: 'module', name })
  }

  const isShared = typeof SharedWorker !== 'undefined'

  return {
    dedicated,
    isShared,
    sharedPort: (url, name, onFailure) => {
      if (isShared) {
        const shared = new SharedWorker(policy.createScriptURL(url), { type: 'module', name })
        shared.addEventListener('error', onFailure)
        return shared.port
      }
      const worker = dedicated(url, name)
      worker.addEventListener('error', onFailure)
      const { port1, port2 } = new MessageChannel()
      worker.postMessage(undefined, [port2])
      return port1
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

import { SITE } from './site.ts'

export type Asked = Omit<RequestInit, 'signal'> & { readonly timeoutMs?: number }

/** Asks the dashboard's own server, bypassing caches. Rejects without an answer. */
export const askServer = (path: string, { timeoutMs = 10_000, ...init }: Asked = {}): Promise<Response> =>
  fetch(`${SITE}${path}`, {
    cache: 'no-store',
    credentials: 'same-origin',
    redirect: 'error',
    ...init,
    signal: AbortSignal.timeout(timeoutMs),
  })

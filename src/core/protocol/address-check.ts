import { err, ok, type Result } from '#base/result.ts'
import { isLoopback, isPolicyHost, parseBaseUrl, type BaseUrlProblem } from '#record/service.ts'

/** `mixed-content`: a page that came over https may not ask a service over plain http. `underscore`: see `isPolicyHost`. */
export type AddressProblem = BaseUrlProblem | 'whole-endpoint' | 'mixed-content' | 'underscore'

export type Address = {
  readonly baseUrl: string
  /** Requests travel readable to anybody on the way; of no weight on this computer itself. */
  readonly isPlain: boolean
}

/**
 * What can be said about an address while it is typed, without asking anybody.
 * `pageOrigin` is the origin of the page that will ask.
 */
export function checkAddress(
  text: string,
  via: 'proxy' | 'direct',
  pageOrigin: string,
): Result<Address, AddressProblem> {
  const parsed = parseBaseUrl(text)
  if (!parsed.ok) {
    // People paste the address of a request that works; its query is no reason to guess.
    return /\/node\/status(\?|$)/.test(text.trim()) ? err('whole-endpoint') : parsed
  }
  const baseUrl = parsed.value
  if (baseUrl.endsWith('/node/status')) return err('whole-endpoint')
  const isPlain = baseUrl.startsWith('http:') && !isLoopback(baseUrl)
  if (isPlain && via === 'direct' && pageOrigin.startsWith('https:')) return err('mixed-content')
  if (via === 'direct' && !isPolicyHost(new URL(baseUrl).hostname)) return err('underscore')
  return ok({ baseUrl, isPlain })
}

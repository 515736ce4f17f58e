/** Pages that may read this service: exact origins, or scheme and host with any port ("http://localhost:*"). */
export type OriginPattern = string

/** Pages that this computer itself serves: the demo's dashboard, at any port. */
export const LOOPBACK_PAGES: readonly OriginPattern[] = [
  'http://127.0.0.1:*',
  'http://localhost:*',
  'http://[::1]:*',
]

export const isOriginPattern = (text: string): boolean =>
  /^https?:\/\/([a-z0-9.-]+|\[[0-9a-f:]+\])(:(\d{1,5}|\*))?$/.test(text)

const PREFLIGHT_MAX_AGE_S = 7_200 // Chromium accepts no longer time.

const EXPOSED = 'Date, Retry-After, Age, WWW-Authenticate'

/** CORS headers for every answer, because without them a page cannot even read the status. */
export function corsHeaders(
  origin: string | undefined,
  allowed: readonly OriginPattern[],
): Record<string, string> {
  if (origin === undefined || !isAllowed(origin, allowed)) return {}
  return { 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': EXPOSED }
}

/** `names`: the headers that requests carry. */
export const preflightHeaders = (names: readonly string[]): Record<string, string> => ({
  'Access-Control-Allow-Methods': 'GET, HEAD',
  'Access-Control-Allow-Headers': names.join(', '),
  'Access-Control-Max-Age': String(PREFLIGHT_MAX_AGE_S),
})

const isAllowed = (origin: string, allowed: readonly OriginPattern[]): boolean =>
  allowed.some((pattern) =>
    pattern.endsWith(':*') ? origin.replace(/:\d{1,5}$/, '') === pattern.slice(0, -2) : origin === pattern,
  )

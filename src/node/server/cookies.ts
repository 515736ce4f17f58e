import type { IncomingHttpHeaders } from 'node:http'

/** `session`: of a signed-in user. `owner`: of a browser that opened the URL that the server printed. */
type CookieKind = 'session' | 'owner'

/**
 * A browser accepts the `__Host-` name only over https, and only for this host and every path. Browsers keep cookies by host,
 * not by port; the port and path in the name separate the dashboards on one host.
 */
export function cookieNames(
  kind: CookieKind,
  { host }: IncomingHttpHeaders,
  basePath: string,
): { readonly secure: string; readonly plain: string } {
  const [, port] = /:(\d{1,5})$/.exec(host ?? '') ?? []
  const suffix = `${port === undefined ? '' : `-${port}`}${basePath.replaceAll('/', '-')}`
  const plain = `immune-${kind}${suffix}`
  return { secure: `__Host-${plain}`, plain }
}

type CookieValue = { readonly token: string; readonly isSecure: boolean }

/**
 * All distinct values, because a program at another port of the host can set a cookie of the same name with a path that puts it
 * first. `isHttps`: the request certainly came by https. Plain cookies are then ignored, because anybody on the path of a plain
 * http request can set them.
 */
export function cookieValues(
  kind: CookieKind,
  headers: IncomingHttpHeaders,
  basePath: string,
  isHttps: boolean,
): readonly CookieValue[] {
  const names = cookieNames(kind, headers, basePath)
  const pairs = (headers.cookie ?? '').split(/;\s*/).map((pair) => {
    const [name = '', ...value] = pair.split('=')
    return [name, value.join('=')] as const
  })
  const named = (wanted: string, secure: boolean): readonly CookieValue[] =>
    [...new Set(pairs.flatMap(([name, value]) => (name === wanted ? [value] : [])))].map((token) => ({
      token,
      isSecure: secure,
    }))
  return [...named(names.secure, true), ...(isHttps ? [] : named(names.plain, false))]
}

export function cookieText(
  kind: CookieKind,
  headers: IncomingHttpHeaders,
  basePath: string,
  { token, isSecure }: CookieValue,
  maxAgeS: number,
): string {
  const names = cookieNames(kind, headers, basePath)
  const secure = isSecure ? '; Secure' : ''
  return `${isSecure ? names.secure : names.plain}=${token}; Path=/; Max-Age=${maxAgeS}; HttpOnly; SameSite=Strict${secure}`
}

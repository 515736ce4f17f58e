/** What a signature binds. Everything comes from the request's own line and headers, but the origin, which is configured. */
export type SignedParts = {
  readonly method: string
  /** scheme://host[:port] in lower case, without a default port. */
  readonly origin: string
  readonly path: string
  /** Decoded names and values, in any order. */
  readonly query: readonly QueryPair[]
  /** Unix time in seconds, as sent. */
  readonly timestamp: string
  readonly nonce: string
  /** 64 hex digits in lower case. */
  readonly keyHex: string
}

export type QueryPair = { readonly name: string; readonly value: string }

/**
 * The text of profile `bearer-v1`: eight lines, LF, no line end after the last. Written
 * here a second time on purpose, apart from the client's template, so that one wrong
 * reading of the profile can't hide in shared code.
 */
export const signedText = (parts: SignedParts): string =>
  [
    'immune-node-auth-v1',
    parts.method,
    parts.origin,
    parts.path,
    sortedQuery(parts.query),
    parts.timestamp,
    parts.nonce,
    parts.keyHex,
  ].join('\n')

/** Pairs as name=value, percent-encoded, sorted as text, joined with "&"; empty for none. */
const sortedQuery = (query: readonly QueryPair[]): string =>
  query
    .map(({ name, value }) => `${encode(name)}=${encode(value)}`)
    .toSorted()
    .join('&')

/** RFC 3986: only unreserved characters stay. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

/**
 * Splits a query as it was sent; undefined when an escape is broken. A plus is a plus, as
 * RFC 3986 has it: reading it as a space is a habit of HTML forms.
 */
export function readQuery(query: string): readonly QueryPair[] | undefined {
  try {
    return query
      .split('&')
      .filter((pair) => pair !== '')
      .map((pair) => {
        const [name = '', ...rest] = pair.split('=')
        return { name: decodeURIComponent(name), value: decodeURIComponent(rest.join('=')) }
      })
  } catch {
    return undefined // decodeURIComponent throws for a broken escape
  }
}

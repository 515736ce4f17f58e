/** The path and query of a status request below a base URL: "/node/status" and "node_id=0x…" or "". */
export const statusQuery = (nodeId: string | undefined): string =>
  nodeId === undefined ? '' : `node_id=${percentEncode(nodeId)}`

/** Where a status request goes: below the service itself, or below the proxy's path for it. */
export const statusUrl = (base: string, query: string): string =>
  `${base}/node/status${query === '' ? '' : `?${query}`}`

/** RFC 3986: everything but unreserved characters, upper-case digits. */
export const percentEncode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

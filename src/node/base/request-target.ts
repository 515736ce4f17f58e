/** Path and query of a request as sent; the query without "?". */
export function splitTarget(url = '/'): { readonly path: string; readonly query: string } {
  const at = url.indexOf('?')
  return at === -1 ? { path: url, query: '' } : { path: url.slice(0, at), query: url.slice(at + 1) }
}

import { DEFAULTS } from '#base/defaults.ts'

/** Of as many hosts as are ever asked at a time it is known. */
const HOSTS_MAX = 64

/** As the browser names them: HTTP/2, HTTP/3, and what QUIC was called before. */
const isMultiplexed = (protocol: string): boolean => /^(?:h2|h3|hq|quic)\b|^http\/\d\+quic/.test(protocol)

/**
 * How many requests a host may have in flight at once, by the protocol of its last answer: over HTTP/1.1 each takes one of
 * few connections. Of another origin a browser says it only where that answers with Timing-Allow-Origin.
 */
export function watchProtocols(): (host: string) => number {
  const multiplexed = new Set<string>()
  const note = (entry: PerformanceEntry): void => {
    // Undefined where the browser does not know the property, and '' where it keeps the protocol to itself.
    const protocol: unknown = Reflect.get(entry, 'nextHopProtocol')
    if (typeof protocol !== 'string' || protocol === '' || !URL.canParse(entry.name)) return
    const { host } = new URL(entry.name)
    multiplexed.delete(host)
    if (!isMultiplexed(protocol)) return
    multiplexed.add(host)
    const [oldest] = multiplexed
    if (multiplexed.size > HOSTS_MAX && oldest !== undefined) multiplexed.delete(oldest)
  }
  if (
    typeof PerformanceObserver === 'function' &&
    PerformanceObserver.supportedEntryTypes.includes('resource')
  )
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type: 'resource' })
  return (host) => (multiplexed.has(host) ? DEFAULTS.inFlightMultiplexedMax : DEFAULTS.inFlightPerHostMax)
}

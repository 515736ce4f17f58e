import { DEFAULTS } from '#base/defaults.ts'

/** Upper bound of remembered hosts; more are never polled at a time. */
const HOSTS_MAX = 64

/** Protocol names in browsers: HTTP/2, HTTP/3 and earlier names of QUIC. */
const isMultiplexed = (protocol: string): boolean => /^(?:h2|h3|hq|quic)\b|^http\/\d\+quic/.test(protocol)

/**
 * How many requests a host may have in flight, by the protocol of its last answer, because HTTP/1.1 uses one of few connections
 * for each. For another origin, the browser reveals the protocol only with Timing-Allow-Origin.
 */
export function watchProtocols(): (host: string) => number {
  const multiplexed = new Set<string>()
  const note = (entry: PerformanceEntry): void => {
    // Undefined if the browser lacks the property, and '' if it hides the protocol.
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

import { expect, it, vi } from 'vitest'
import { DEFAULTS } from '#base/defaults.ts'
import { watchProtocols } from '#platform/worker-protocols.ts'

const { inFlightMultiplexedMax: MANY, inFlightPerHostMax: FEW } = DEFAULTS

/** A browser that reports the protocol of each answer. */
function browser(supportedEntryTypes: readonly string[] = ['resource']) {
  let tell: (entries: readonly object[]) => void = () => undefined
  class Observer {
    static readonly supportedEntryTypes = supportedEntryTypes
    constructor(heard: (list: { getEntries: () => readonly object[] }) => void) {
      tell = (entries) => heard({ getEntries: () => entries })
    }
    observe(): void {}
  }
  vi.stubGlobal('PerformanceObserver', Observer)
  const inFlightMax = watchProtocols()
  return {
    inFlightMax,
    answered: (name: string, nextHopProtocol?: string) => tell([{ name, nextHopProtocol }]),
  }
}

it.each([
  ['h2', MANY],
  ['h3', MANY],
  ['h3-29', MANY],
  ['http/2+quic/46', MANY],
  ['http/1.1', FEW],
  ['http/1.0', FEW],
  ['', FEW],
  ['h20', FEW],
])('a host that answers over "%s" has at most %d requests in flight', (protocol, most) => {
  const { inFlightMax, answered } = browser()
  answered('https://api.example:8443/node/status?node_id=0x01', protocol)
  expect(inFlightMax('api.example:8443')).toBe(most)
  expect(inFlightMax('api.example')).toBe(FEW)
})

it('the limit drops when the host answers over HTTP/1.1, but not over an unknown protocol', () => {
  const { inFlightMax, answered } = browser()
  answered('https://api.example/', 'h2')
  answered('https://api.example/', '')
  answered('https://api.example/')
  answered('no address', 'http/1.1')
  expect(inFlightMax('api.example')).toBe(MANY)
  answered('https://api.example/', 'http/1.1')
  expect(inFlightMax('api.example')).toBe(FEW)
})

it('the limit of a host is forgotten after many other hosts', () => {
  const { inFlightMax, answered } = browser()
  for (let host = 0; host < 100; host++) answered(`https://h${host}.example/`, 'h2')
  expect(inFlightMax('h0.example')).toBe(FEW)
  expect(inFlightMax('h99.example')).toBe(MANY)
})

it('the limit is low in a browser that reports no protocols', () => {
  expect(browser(['mark']).inFlightMax('api.example')).toBe(FEW)
  vi.stubGlobal('PerformanceObserver', undefined)
  expect(watchProtocols()('api.example')).toBe(FEW)
})

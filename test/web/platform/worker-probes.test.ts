import { beforeEach, expect, it, vi } from 'vitest'
import { networkProbe } from '#platform/worker-probes.ts'

let permissions: Readonly<Record<string, string>>
/** The address whose answer the browser reports as kept out. */
let reported: string | undefined

beforeEach(() => {
  permissions = {}
  reported = undefined
  vi.stubGlobal('navigator', {
    userAgentData: {},
    permissions: {
      query: async ({ name }: { readonly name: string }) => {
        if (permissions[name] === undefined) throw new TypeError('unknown name')
        return { state: permissions[name] }
      },
    },
  })
  vi.stubGlobal('isSecureContext', true)
  vi.stubGlobal(
    'ReportingObserver',
    class {
      constructor(heard: (reports: readonly unknown[]) => void) {
        queueMicrotask(() => heard(reported === undefined ? [] : [{ body: { blockedURL: reported } }]))
      }
      observe = (): void => undefined
      disconnect = (): void => undefined
    },
  )
  vi.useFakeTimers()
  return () => vi.useRealTimers()
})

it.each([
  ['http://127.0.0.1:8080', { 'loopback-network': 'granted', 'local-network': 'denied' }, 'granted'],
  ['http://192.168.0.7', { 'loopback-network': 'granted', 'local-network': 'denied' }, 'denied'],
  ['http://192.168.0.7', { 'local-network-access': 'prompt' }, 'prompt'],
  ['http://192.168.0.7', { 'local-network': 'odd' }, 'unknown'],
  ['http://192.168.0.7', {}, 'unknown'],
])('whether a page may ask %s where the browser says %j: %s', async (url, says, permission) => {
  permissions = says
  expect(await networkProbe.localNetwork(url)).toBe(permission)
})

const SERVICE = 'https://a.example/node/status'
const failed = new TypeError('failed')
const late = new DOMException('late', 'TimeoutError')
const CHROMIUM = { userAgentData: {} }

it.each([
  ['answers', undefined, undefined, CHROMIUM, true, 'answered'],
  [
    'answers, and the browser keeps the answer out',
    failed,
    'https://a.example/x',
    CHROMIUM,
    true,
    'answered',
  ],
  ['is silent while another answers', failed, 'https://b.example/x', CHROMIUM, true, 'nothing'],
  ['is silent', failed, undefined, CHROMIUM, true, 'nothing'],
  ['does not answer in time', late, undefined, CHROMIUM, true, 'timeout'],
  ['fails in a browser that reports nothing', failed, undefined, {}, true, 'unknown'],
  ['fails in such a browser, which keeps nothing out on plain http', failed, undefined, {}, false, 'nothing'],
])('a service that %s', async (_, error, blocked, browser, isSecure, answer) => {
  reported = blocked
  vi.stubGlobal('navigator', browser)
  vi.stubGlobal('isSecureContext', isSecure)
  vi.stubGlobal('fetch', async () => {
    if (error !== undefined) throw error
    return new Response()
  })
  const asked = networkProbe.opaque(SERVICE, 1_000)
  await vi.advanceTimersByTimeAsync(1_500)
  expect(await asked).toBe(answer)
})

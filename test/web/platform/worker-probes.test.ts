import { beforeEach, expect, it, vi } from 'vitest'
import { networkProbe } from '#platform/worker-probes.ts'

let permissions: Readonly<Record<string, string>>
/** The URL whose answer the browser reports as blocked. */
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
])('access to %s with the browser permissions %j is %s', async (url, says, permission) => {
  permissions = says
  expect(await networkProbe.localNetwork(url)).toBe(permission)
})

const SERVICE = 'https://a.example/node/status'
const failed = new TypeError('failed')
const late = new DOMException('late', 'TimeoutError')
const CHROMIUM = { userAgentData: {} }

it.each([
  ['answering when it answers', undefined, undefined, CHROMIUM, true, 'answered'],
  ['answering when the browser blocks its answer', failed, 'https://a.example/x', CHROMIUM, true, 'answered'],
  ['silent while another answers', failed, 'https://b.example/x', CHROMIUM, true, 'nothing'],
  ['silent when it does not answer', failed, undefined, CHROMIUM, true, 'nothing'],
  ['timed out when it is late', late, undefined, CHROMIUM, true, 'timeout'],
  ['unknown if the browser reports nothing', failed, undefined, {}, true, 'unknown'],
  ['silent on plain http, where the browser blocks nothing', failed, undefined, {}, false, 'nothing'],
])('a service counts as %s', async (_, error, blocked, browser, isSecure, answer) => {
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

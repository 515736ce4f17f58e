import { ownMember } from '#base/own-member.ts'
import { isLoopbackHost } from '#record/service.ts'
import { parseJsonRecord } from '#record/json-record.ts'
import type { LocalNetworkPermission, NetworkProbe, OpaqueAnswer } from '#protocol/transport.ts'

/**
 * Probes the network from a Worker. The page's embedder policy blocks answers of other origins even if nobody reads them.
 * Chromium reports each blocked answer, which proves that a server answered.
 */
export const networkProbe: NetworkProbe = { opaque, localNetwork }

/** The report is a separate task after the failed request. */
const REPORT_WAIT_MS = 1_500

async function opaque(url: string, timeoutMs: number): Promise<OpaqueAnswer> {
  const reports = watchReports(new URL(url).origin)
  try {
    await fetch(url, {
      mode: 'no-cors',
      cache: 'no-store',
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      signal: AbortSignal.timeout(timeoutMs),
    })
    return 'answered'
  } catch (error) {
    if (error instanceof DOMException && error.name === 'TimeoutError') return 'timeout'
    if ((await reports?.seen()) === true) return 'answered'
    return tellsEverything() ? 'nothing' : 'unknown'
  } finally {
    reports?.end()
  }
}

/**
 * Whether a missing report means that nothing answered. Under the embedder policy (in secure contexts) only Chromium is known
 * to report, and only Chromium has `userAgentData`.
 */
const tellsEverything = (): boolean => !isSecureContext || 'userAgentData' in navigator

/** Undefined if this browser has no such reports. */
function watchReports(
  origin: string,
): { readonly seen: () => Promise<boolean>; readonly end: () => void } | undefined {
  if (!('ReportingObserver' in globalThis)) return undefined
  let tell: (found: boolean) => void
  const found = new Promise<boolean>((resolve) => {
    tell = resolve
  })
  const observer = new ReportingObserver((reports) => {
    if (reports.some((report) => blockedOrigin(report) === origin)) tell(true)
  })
  observer.observe()
  return {
    seen: () => {
      setTimeout(() => tell(false), REPORT_WAIT_MS)
      return found
    },
    end: () => observer.disconnect(),
  }
}

/** A report exposes its content only through JSON serialization. */
function blockedOrigin(report: unknown): string | undefined {
  const written = parseJsonRecord(JSON.stringify(report) ?? '')
  const body = written.ok ? written.value.value('body') : undefined
  const blocked = ownMember(body, 'blockedURL')
  return typeof blocked === 'string' && URL.canParse(blocked) ? new URL(blocked).origin : undefined
}

/** Chromium's permission names, newest first; older versions know only the last. */
async function localNetwork(url: string): Promise<LocalNetworkPermission> {
  const host = new URL(url).hostname
  for (const name of [isLoopbackHost(host) ? 'loopback-network' : 'local-network', 'local-network-access']) {
    const state = await stateOf(name)
    if (state !== undefined) return state
  }
  return 'unknown'
}

async function stateOf(name: string): Promise<LocalNetworkPermission | undefined> {
  try {
    // The name is newer than TypeScript's list of permission names.
    const query: unknown = Reflect.get(navigator.permissions, 'query')
    if (typeof query !== 'function') return undefined
    const status: unknown = await Reflect.apply(query, navigator.permissions, [{ name }])
    const state: unknown =
      typeof status === 'object' && status !== null ? Reflect.get(status, 'state') : undefined
    return state === 'granted' || state === 'prompt' || state === 'denied' ? state : undefined
  } catch {
    return undefined // A browser that does not know the name throws.
  }
}

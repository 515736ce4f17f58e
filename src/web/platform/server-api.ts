import { err, ok, type Result } from '#base/result.ts'
import { DEFAULTS } from '#protocol/defaults.ts'
import { parseServerConfig, SETTINGS_VERSION, type ServerConfig, type Service } from '#protocol/settings.ts'

/** What a host without a configuration gives: nothing to start from, which is no error. */
export const NO_SERVER_CONFIG: ServerConfig = {
  version: SETTINGS_VERSION,
  services: [],
  nodes: [],
  canAddServices: false,
}

const DEADLINE_MS = 10_000
/** A configuration may name 20,000 nodes; 8 MiB is several times that. */
const CONFIG_CHARS_MAX = 8 * 1_048_576

/**
 * Reads the dashboard's own `/config.json`. A static host has none (404): then everything
 * is set in the browser. `unreadable`: it is there, but it is not such a document.
 */
export async function loadServerConfig(): Promise<Result<ServerConfig, 'unreadable'>> {
  try {
    const response = await fetch('/config.json', {
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      signal: AbortSignal.timeout(DEADLINE_MS),
    })
    const isJson = response.headers.get('content-type')?.includes('json') === true
    if (response.status === 404 || !isJson) return ok(NO_SERVER_CONFIG) // a static host may answer any path with its page
    const text = await response.text()
    if (!response.ok || text.length > CONFIG_CHARS_MAX) return err('unreadable')
    const parsed = parseServerConfig(JSON.parse(text))
    return parsed.ok ? parsed : err('unreadable')
  } catch {
    return err('unreadable') // no answer, or not JSON: either way this server's part is missing
  }
}

export type AllowFailure = {
  readonly kind: 'not-allowed' | 'no-answer' | 'refused'
  readonly answer?: string
}

/** Asks the dashboard's own server to let this service through its proxy, or into what the engine may reach. */
export async function allowServiceOnServer(service: Service): Promise<Result<undefined, AllowFailure>> {
  try {
    const response = await fetch('/services', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ service }),
      credentials: 'omit',
      redirect: 'error',
      signal: AbortSignal.timeout(DEADLINE_MS),
    })
    if (response.ok) return ok(undefined)
    const text = (await response.text()).slice(0, 4_096)
    const answer = problemDetail(text)?.slice(0, DEFAULTS.answerCharsMax)
    const kind =
      response.status === 403 || response.status === 404 || response.status === 405
        ? 'not-allowed'
        : 'refused'
    return err(answer === undefined ? { kind } : { kind, answer })
  } catch {
    return err({ kind: 'no-answer' }) // fetch gives no reason for a failed connection
  }
}

/** What the dashboard's server answers with the header; a static host may answer any path with its page. */
const FORGOTTEN = '{"cleared":["storage"]}'

/** Has the browser remove this site's files, which no script can. False when nobody did. */
export async function clearSiteData(): Promise<boolean> {
  try {
    const response = await fetch('/forget', {
      method: 'POST',
      // The browser obeys the header only where it may send credentials; there are none to send.
      credentials: 'same-origin',
      redirect: 'error',
      signal: AbortSignal.timeout(DEADLINE_MS),
    })
    // The browser keeps the header to itself, so the body says that it was sent. It counts in secure contexts only.
    return response.ok && isSecureContext && (await response.text()) === FORGOTTEN
  } catch {
    return false // a static host, or a server that is gone
  }
}

function problemDetail(text: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    const detail: unknown =
      typeof parsed === 'object' && parsed !== null ? Reflect.get(parsed, 'detail') : undefined
    return typeof detail === 'string' ? detail : undefined
  } catch {
    return undefined // not a problem document, so it has no detail for a person
  }
}

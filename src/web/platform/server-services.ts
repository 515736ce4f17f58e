import { err, ok, type Result } from '#base/result.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { parseServerConfig, CONFIG_VERSION, type Service } from '#settings/settings.ts'

const DEADLINE_MS = 10_000
/** The browser hands over this answer only when it has removed the files, which a busy disk takes its time for. */
const CLEAR_DEADLINE_MS = 60_000

const OPTIONS = { cache: 'no-store', credentials: 'omit', redirect: 'error' } as const

/** The services that browsers added to the dashboard's own server. Undefined where nobody keeps such a list, or it can't be read. */
export async function listAddedServices(): Promise<readonly Service[] | undefined> {
  try {
    const response = await fetch('/services', { ...OPTIONS, signal: AbortSignal.timeout(DEADLINE_MS) })
    if (!response.ok) return undefined
    const body: unknown = await response.json()
    const services: unknown =
      typeof body === 'object' && body !== null ? Reflect.get(body, 'services') : undefined
    const parsed = parseServerConfig({ version: CONFIG_VERSION, services })
    return parsed.ok && services !== undefined ? parsed.value.services : undefined
  } catch {
    return undefined // a static host, which may answer any path with its page, or one that is gone
  }
}

/** Has the server ask this service for nobody any more. False when it did not take that. */
export async function removeAddedService(baseUrl: string): Promise<boolean> {
  try {
    const response = await fetch(`/services?baseUrl=${encodeURIComponent(baseUrl)}`, {
      ...OPTIONS,
      method: 'DELETE',
      signal: AbortSignal.timeout(DEADLINE_MS),
    })
    return response.ok
  } catch {
    return false
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
      signal: AbortSignal.timeout(CLEAR_DEADLINE_MS),
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

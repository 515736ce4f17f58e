import { err, ok, type Result } from '#base/result.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { cutText } from '#base/visible-text.ts'
import { CONFIG_VERSION, type Service } from '#settings/schema.ts'
import { type OfferedReceiver, type Receiver } from '#settings/receiver.ts'
import { parseServerConfig } from '#settings/documents.ts'
import { SITE } from './site.ts'

const TIMEOUT_MS = 10_000
/** The browser hands over this answer only when it has removed the files, which a busy disk takes its time for. */
const CLEAR_TIMEOUT_MS = 60_000

/** An answer of whoever is there: the dashboard's own server, or a static host, which may answer any path with its page. */
type Answer = { readonly status: number; readonly isOk: boolean; readonly json: unknown }

/** Undefined: no answer; fetch gives no reason for a failed connection. */
async function ask(path: string, init: RequestInit = {}): Promise<Answer | undefined> {
  try {
    const response = await fetch(`${SITE}${path}`, {
      cache: 'no-store',
      credentials: 'same-origin',
      redirect: 'error',
      ...init,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const isJson = response.headers.get('content-type')?.includes('json') === true
    return { status: response.status, isOk: response.ok, json: isJson ? await response.json() : undefined }
  } catch {
    return undefined
  }
}

const posted = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
})

const member = (json: unknown, name: string): unknown =>
  typeof json === 'object' && json !== null ? Reflect.get(json, name) : undefined

const textAt = (json: unknown, name: string): string | undefined => {
  const text = member(json, name)
  return typeof text === 'string' ? text : undefined
}

/** Why the server did not take something: what is wrong with it, or else what to do. */
function reasonIn(json: unknown): string | undefined {
  const problems = member(json, 'problems')
  const message = Array.isArray(problems) ? textAt(problems[0], 'message') : undefined
  return message ?? textAt(json, 'detail')
}

/** The services that browsers added to the dashboard's own server. Undefined where nobody keeps such a list, or it can't be read. */
export async function listAddedServices(): Promise<readonly Service[] | undefined> {
  const answer = await ask('/services')
  const services = answer?.isOk === true ? member(answer.json, 'services') : undefined
  if (services === undefined) return undefined
  const parsed = parseServerConfig({ version: CONFIG_VERSION, services })
  return parsed.ok ? parsed.value.services : undefined
}

/** Has the server ask this service for nobody any more. False when it did not take that. */
export const removeAddedService = async (baseUrl: string): Promise<boolean> =>
  (await ask(`/services?baseUrl=${encodeURIComponent(baseUrl)}`, { method: 'DELETE' }))?.isOk === true

export type AllowFailure = {
  readonly kind: 'not-allowed' | 'no-answer' | 'refused'
  readonly answer?: string
}

/** Asks the dashboard's own server to let this service through its proxy, or into what the engine may reach. */
export async function allowServiceOnServer(service: Service): Promise<Result<undefined, AllowFailure>> {
  const answer = await ask('/services', posted({ service }))
  if (answer === undefined) return err({ kind: 'no-answer' })
  if (answer.isOk) return ok(undefined)
  const kind = [403, 404, 405].includes(answer.status) ? 'not-allowed' : 'refused'
  const reason = reasonIn(answer.json)
  return err({ kind, ...(reason !== undefined && { answer: cutText(reason, DEFAULTS.answerCharsMax) }) })
}

/** What the dashboard's own server offers; undefined where there is none, as on a static host. */
export type OfferedReceivers = {
  readonly receivers: readonly OfferedReceiver[]
  readonly canAdd: boolean
  /** The one that was just added. */
  readonly id?: string
}

/** `refused`: the server's own words say why. */
export type ReceiverProblem = { readonly kind: 'no-answer' | 'refused'; readonly answer?: string }

export async function listReceivers(): Promise<OfferedReceivers | undefined> {
  const listed = offered(await ask('/receivers'))
  return listed.ok ? listed.value : undefined
}

/** Has the server pass messages on to it, or lets the engine reach it. */
export const addReceiver = async (receiver: Receiver): Promise<Result<OfferedReceivers, ReceiverProblem>> =>
  offered(await ask('/receivers', posted({ receiver })))

export const removeReceiver = async (id: string): Promise<Result<OfferedReceivers, ReceiverProblem>> =>
  offered(await ask(`/receivers?id=${encodeURIComponent(id)}`, { method: 'DELETE' }))

function offered(answer: Answer | undefined): Result<OfferedReceivers, ReceiverProblem> {
  if (answer?.json === undefined) return err({ kind: 'no-answer' })
  const { json, isOk } = answer
  if (isOk && isOffered(json)) return ok(json)
  return err({ kind: 'refused', answer: reasonIn(json) ?? '' })
}

// The dashboard's own server answered, so the shape's own marks are enough.
const isOffered = (json: unknown): json is OfferedReceivers =>
  typeof json === 'object' && json !== null && 'receivers' in json && Array.isArray(json.receivers)

/** Who is signed in; undefined where nobody has to be, or there is no such server. */
export async function readSession(): Promise<
  { readonly name: string; readonly canSignOut: boolean } | undefined
> {
  const answer = await ask('/session')
  const name = answer?.isOk === true ? textAt(answer.json, 'name') : undefined
  return name === undefined ? undefined : { name, canSignOut: member(answer?.json, 'canSignOut') === true }
}

/** Ends the session, and leaves for the page where the next one begins. */
export async function endSession(): Promise<boolean> {
  if ((await ask('/logout', { method: 'POST' }))?.isOk !== true) return false
  location.assign(`${SITE}/login`)
  return true
}

/** What the dashboard's server answers with the header; a static host may answer any path with its page. */
const FORGOTTEN = '{"cleared":["storage"]}'

/** Has the browser remove this site's files, which no script can. False when nobody did. */
export async function clearSiteData(): Promise<boolean> {
  try {
    const response = await fetch(`${SITE}/forget`, {
      method: 'POST',
      // The browser obeys the header only where it may send credentials.
      credentials: 'same-origin',
      redirect: 'error',
      signal: AbortSignal.timeout(CLEAR_TIMEOUT_MS),
    })
    // The browser keeps the header to itself, so the body says that it was sent. It counts in secure contexts only.
    return response.ok && isSecureContext && (await response.text()) === FORGOTTEN
  } catch {
    return false // a static host, or a server that is gone
  }
}

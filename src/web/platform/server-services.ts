import type { Members } from '#receivers/kind.ts'
import { ownMember, ownText } from '#base/own-member.ts'
import { err, ok, type Result } from '#base/result.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { cutText } from '#base/visible-text.ts'
import { CONFIG_VERSION, type Service } from '#settings/schema.ts'
import { type OfferedReceiver } from '#settings/receiver.ts'
import { parseServerConfig } from '#settings/documents.ts'
import { askServer, type Asked } from './ask-server.ts'
import { SITE } from './site.ts'

/** The browser delivers this answer only after it has removed the site's files, which takes time on a busy disk. */
const CLEAR_TIMEOUT_MS = 60_000

/** An answer of the dashboard's server, or of a static host, which may return its page for any path. */
type Answer = { readonly status: number; readonly isOk: boolean; readonly json: unknown }

/** Undefined without an answer, because fetch gives no reason for a failed connection. */
export async function ask(path: string, init?: Asked): Promise<Answer | undefined> {
  try {
    const response = await askServer(path, init)
    const isJson = response.headers.get('content-type')?.includes('json') === true
    return { status: response.status, isOk: response.ok, json: isJson ? await response.json() : undefined }
  } catch {
    return undefined
  }
}

export const posted = (body: object): Asked => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
})

/** The validation problem in the server's answer, or else its detail text. */
function reasonIn(json: unknown): string | undefined {
  const problems = ownMember(json, 'problems')
  const message = Array.isArray(problems) ? ownText(problems[0], 'message') : undefined
  return message ?? ownText(json, 'detail')
}

/** Services that browsers added to the dashboard's server. Undefined if the server has no such list or it is unreadable. */
export async function listAddedServices(): Promise<readonly Service[] | undefined> {
  const answer = await ask('/services')
  const services = answer?.isOk === true ? ownMember(answer.json, 'services') : undefined
  if (services === undefined) return undefined
  const parsed = parseServerConfig({ version: CONFIG_VERSION, services })
  return parsed.ok ? parsed.value.services : undefined
}

/** Removes a service from the server's list. Resolves to false if the server refuses. */
export const removeAddedService = async (baseUrl: string): Promise<boolean> =>
  (await ask(`/services?baseUrl=${encodeURIComponent(baseUrl)}`, { method: 'DELETE' }))?.isOk === true

/** `not-allowed`: this server accepts services from its configuration file only. */
export type AllowProblem = {
  readonly kind: 'not-allowed' | 'no-answer' | 'refused'
  readonly answer?: string
}

/** Adds a service to the proxy's allow-list or to the engine's allowed hosts. */
export async function allowServiceOnServer(service: Service): Promise<Result<undefined, AllowProblem>> {
  const answer = await ask('/services', posted({ service }))
  if (answer === undefined) return err({ kind: 'no-answer' })
  if (answer.isOk) return ok(undefined)
  const kind = [403, 404, 405].includes(answer.status) ? 'not-allowed' : 'refused'
  const reason = reasonIn(answer.json)
  return err({ kind, ...(reason !== undefined && { answer: cutText(reason, DEFAULTS.answerCharsMax) }) })
}

/** Undefined without a dashboard server, as on a static host. */
export type OfferedReceivers = {
  readonly receivers: readonly OfferedReceiver[]
  readonly canAdd: boolean
  readonly id?: string
}

/** `refused` carries the server's error text. */
export type ReceiverProblem = { readonly kind: 'no-answer' | 'refused'; readonly answer?: string }

export async function listReceivers(): Promise<OfferedReceivers | undefined> {
  const listed = offered(await ask('/receivers'))
  return listed.ok ? listed.value : undefined
}

/** Registers a receiver for forwarding, or for direct requests by the engine. */
export const addReceiver = async (
  receiver: Members,
  replaces?: string,
): Promise<Result<OfferedReceivers, ReceiverProblem>> =>
  offered(
    await ask(
      replaces === undefined ? '/receivers' : `/receivers?id=${encodeURIComponent(replaces)}`,
      posted({ receiver }),
    ),
  )

export const removeReceiver = async (id: string): Promise<Result<OfferedReceivers, ReceiverProblem>> =>
  offered(await ask(`/receivers?id=${encodeURIComponent(id)}`, { method: 'DELETE' }))

function offered(answer: Answer | undefined): Result<OfferedReceivers, ReceiverProblem> {
  if (answer?.json === undefined) return err({ kind: 'no-answer' })
  const { json, isOk } = answer
  if (isOk && isOffered(json)) return ok(json)
  return err({ kind: 'refused', answer: reasonIn(json) ?? '' })
}

// The dashboard's own server answered, so a check of the shape is enough.
const isOffered = (json: unknown): json is OfferedReceivers => Array.isArray(ownMember(json, 'receivers'))

/** `canSignOut` is false if a reverse proxy handles the sign-in. */
export type SignedIn = { readonly name: string; readonly canSignOut: boolean }

/** The signed-in account; `nobody` if no sign-in is required, and undefined if that can't be read. */
export async function readSession(): Promise<SignedIn | 'nobody' | undefined> {
  const answer = await ask('/session')
  if (answer?.status === 404) return 'nobody' // A static host has no sessions.
  if (answer?.isOk !== true) return undefined
  const name = ownText(answer.json, 'name')
  return name === undefined ? 'nobody' : { name, canSignOut: ownMember(answer.json, 'canSignOut') === true }
}

export async function endSession(): Promise<boolean> {
  if ((await ask('/logout', { method: 'POST' }))?.isOk !== true) return false
  location.assign(`${SITE}/login`)
  return true
}

/** The body that the server sends together with `Clear-Site-Data`; a static host may return its page for any path. */
const FORGOTTEN = '{"cleared":["storage"]}'

/** Makes the browser delete this site's files, which scripts cannot do. Resolves to false without a confirmation. */
export async function clearSiteData(): Promise<boolean> {
  try {
    const response = await askServer('/forget', { method: 'POST', timeoutMs: CLEAR_TIMEOUT_MS })
    // Scripts cannot read the header, so the body confirms it. Browsers honour it only in secure contexts, and on requests that
    // may carry credentials.
    return response.ok && isSecureContext && (await response.text()) === FORGOTTEN
  } catch {
    return false // A static host answered, or the server is unreachable.
  }
}

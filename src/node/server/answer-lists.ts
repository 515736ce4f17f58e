import { DEFAULTS } from '#base/defaults.ts'
import { err, ok, type Result } from '#base/result.ts'
import { jsonIn, membersOf } from '#base/stored.ts'
import { parsePublicBy, parseReceiver, type DocumentProblem } from '#settings/documents.ts'
import { ServiceSchema, type Service } from '#settings/schema.ts'
import { sourceIn, withKeptSecrets } from '#receivers/kinds.ts'
import { hasAddress, receiverIdOf, RECEIVERS_MAX } from '#settings/receiver.ts'
import { profileOf } from '#signing/presets.ts'
import { isSigningHeader } from '#signing/profile.ts'
import { isHostBlocked, type Reach } from '#node/address-guard.ts'
import { type AddedServices, type Owner, type Receivers } from './receivers.ts'
import {
  foreignOrigin,
  bodyOf,
  problemOf,
  refuseBody,
  sendJson,
  sendMethodNotAllowed,
  sendProblem,
  type Problem,
  type Visit,
} from './send-reply.ts'
import { isCrossOrigin, isOwnOrigin, isOwnPage } from './request-guard.ts'
import { directProblem, fittingSources, noRoom, receiverSources, serviceSources } from './security-headers.ts'
import type { ServiceList } from './service-list.ts'

/** The sources in the Content-Security-Policy of the engine's Worker. */
type DirectSources = (owner: Owner) => readonly string[]

type OpenList<T> = {
  readonly thing: 'service' | 'receiver'
  readonly bodyMaxBytes: number
  readonly canAdd: boolean
  readonly addingIsOff: string
  readonly full: string
  readonly list: () => object
  readonly read: (given: unknown) => Result<T, readonly DocumentProblem[]>
  /** The answer's body; undefined: the list is full. */
  readonly add: (entry: T) => object | undefined
  readonly remove: (query: URLSearchParams) => Result<object, readonly DocumentProblem[]>
}

/** `GET` lists the entries, `POST` adds or changes the entry in its body, `DELETE` removes one. */
async function answerList<T>({ request, response, query }: Visit, list: OpenList<T>): Promise<void> {
  const { headers, method } = request
  const things = `${list.thing}s`
  const refusal = foreignOrigin(`list, add or remove ${things}`)
  if (method !== 'GET' && method !== 'POST' && method !== 'DELETE')
    return sendMethodNotAllowed(response, 'GET, POST, DELETE')
  if (method === 'GET')
    return isCrossOrigin(headers) ? sendProblem(response, refusal) : sendJson(response, 200, list.list())
  if (!isOwnPage(headers)) return refuseBody(response, refusal)
  if (!list.canAdd)
    return refuseBody(response, problemOf(403, `Adding ${things} is disabled`, list.addingIsOff))
  if (method === 'DELETE') {
    const removed = list.remove(new URLSearchParams(query))
    if (removed.ok) sendJson(response, 200, removed.value)
    else sendProblem(response, invalid(list.thing, removed.error))
    return
  }
  const body = await bodyOf(request, response, list.bodyMaxBytes, list.thing)
  if (body === undefined) return undefined
  const read = entryOf(body, list)
  if (!read.ok) return sendProblem(response, invalid(list.thing, read.error))
  const added = list.add(read.value)
  if (added === undefined) return sendProblem(response, problemOf(409, `Too many ${things}`, list.full))
  sendJson(response, 200, added)
}

function entryOf<T>(body: Buffer, { thing, read }: OpenList<T>): Result<T, readonly DocumentProblem[]> {
  const json = jsonIn(body.toString('utf8'))
  return json === undefined ? err([{ path: '', message: 'is not JSON' }]) : read(membersOf(json)?.[thing])
}

const OPEN_PRINTED = 'Open the address that the server printed at start, including the token.'

const BLOCKED = 'is an address that only the server’s configuration may contain'

const NOT_A_SOURCE = 'makes the server read one of its own secrets: only its configuration may do that'

const NOT_SIGNING = 'has a header that a signature does not need: only the server’s configuration may add it'

const invalid = (thing: string, problems: readonly DocumentProblem[]): Problem => ({
  status: 400,
  title: `Invalid ${thing}`,
  detail: 'Correct the entries listed under "problems" and send the request again.',
  problems,
})

/** The problems of an entry, by their path in the request's body. */
const within = (thing: string, problems: readonly DocumentProblem[]) =>
  err(problems.map(({ path, message }) => ({ path: path === '' ? thing : `${thing}.${path}`, message })))

const isFitting = (known: readonly string[], more: readonly string[]): boolean =>
  more.every((source) => fittingSources([...known, ...more]).includes(source))

/** `/services`: services that browsers added to the proxy's allow-list. A change answers with the new configuration. */
export const answerServices = (
  visit: Visit,
  services: ServiceList,
  added: AddedServices,
  direct: DirectSources,
): Promise<void> => {
  const { visitor } = visit
  return answerList(visit, {
    thing: 'service',
    // A service with the longest allowed profile has about 40 KB.
    bodyMaxBytes: 65_536,
    canAdd: visitor.mayAdd,
    addingIsOff: visitor.isViewOnly ? OPEN_PRINTED : 'Add the service to the file given with --config.',
    full: `At most ${DEFAULTS.servicesMax} services can be added here. Use a file with --config.`,
    list: () => ({ services: added.list(visitor.name) }),
    read: (given) => readService(given, visitor.reach, direct(visitor.name)),
    add: (service) => (added.add(visitor.name, service) ? services.config(visitor.mayAdd) : undefined),
    remove: (parameters) => {
      const baseUrl = parameters.get('baseUrl')
      if (baseUrl === null) return err([{ path: 'baseUrl', message: 'is missing' }])
      added.remove(visitor.name, baseUrl)
      return ok(services.config(visitor.mayAdd))
    },
  })
}

function readService(
  given: unknown,
  reach: Reach,
  direct: readonly string[],
): Result<Service, readonly DocumentProblem[]> {
  const parsed = parsePublicBy(ServiceSchema, given)
  if (!parsed.ok) return within('service', parsed.error)
  const service = parsed.value
  if (service.via === 'proxy' && isHostBlocked(new URL(service.baseUrl).hostname, reach))
    return err([{ path: 'service.baseUrl', message: BLOCKED }])
  const header = Object.keys(profileOf(service)?.headers ?? {}).find((name) => !isSigningHeader(name))
  if (service.via === 'proxy' && header !== undefined)
    return err([{ path: 'service.profile.headers', message: NOT_SIGNING }])
  if (!isFitting(direct, serviceSources(service)))
    return err([{ path: 'service.baseUrl', message: noRoom('service') }])
  const unreachable = directProblem(service)
  return unreachable === undefined ? ok(service) : err([{ path: 'service.via', message: unreachable }])
}

/** `/receivers`: receivers of alarms. Each answer contains the current list. */
export function answerReceivers(visit: Visit, receivers: Receivers, direct: DirectSources): Promise<void> {
  const { name, maySend, mayAdd, isViewOnly, reach } = visit.visitor
  const { headers } = visit.request
  const replaces = new URLSearchParams(visit.query).get('id') ?? undefined
  const isOurs = headers['sec-fetch-site'] === 'same-origin' || isOwnOrigin(headers.origin, headers.host)
  const listed = (id?: string): object => ({
    receivers: maySend ? receivers.list(name, isOurs) : [],
    canAdd: mayAdd,
    ...(id !== undefined && { id }),
  })
  return answerList(visit, {
    thing: 'receiver',
    // A template of 16 KiB with its quotes escaped.
    bodyMaxBytes: 40_960,
    canAdd: mayAdd,
    addingIsOff: isViewOnly ? OPEN_PRINTED : 'Add it under "receivers" to the file given with --config.',
    full: `At most ${RECEIVERS_MAX} receivers can be added here. Remove an unused one.`,
    list: listed,
    read: (given) => {
      const before = replaces === undefined ? undefined : receivers.own(name, replaces)
      const members = membersOf(given)
      const isEdited = members !== undefined && before !== undefined
      const parsed = parseReceiver(isEdited ? withKeptSecrets(members, before) : given)
      if (!parsed.ok) return within('receiver', parsed.error)
      const receiver = parsed.value
      // The server would read any of its own files and variables, and send it where the browser wants.
      const source = sourceIn(receiver)
      if (source !== undefined) return err([{ path: `receiver.${source}`, message: NOT_A_SOURCE }])
      if (!hasAddress(receiver)) return parsed
      if (receiver.via === 'relay' && isHostBlocked(new URL(receiver.url).hostname, reach))
        return err([{ path: 'receiver.url', message: BLOCKED }])
      if (!isFitting(direct(name), receiverSources(receiver)))
        return err([{ path: 'receiver.url', message: noRoom('receiver') }])
      const blocked = directProblem(receiver)
      return blocked === undefined ? parsed : err([{ path: 'receiver.via', message: blocked }])
    },
    add: (receiver) => (receivers.add(name, receiver, replaces) ? listed(receiverIdOf(receiver)) : undefined),
    remove: (parameters) => {
      receivers.remove(name, parameters.get('id') ?? '')
      return ok(listed())
    },
  })
}

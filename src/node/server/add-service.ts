import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { err, ok, type Result } from '#base/result.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { parseServerConfig, CONFIG_VERSION, type Service } from '#settings/settings.ts'
import type { AddedServices } from './receivers.ts'
import { directProblem } from './direct-service.ts'
import { sendJson, sendMethodNotAllowed, sendProblem, type Problem, jsonOf, readBytes } from './reply.ts'
import { isCrossOrigin, isOwnOrigin } from './request-guard.ts'
import type { ServiceList } from './service-list.ts'

/** A service with the longest profile that is allowed has about 40 KB. */
const BODY_MAX_BYTES = 65_536

/**
 * The services that browsers added to the proxy's allow-list, for this server's own page only.
 * `GET /services` lists them, `POST /services` with `{"service": {"baseUrl": …}}` adds one or
 * changes it, `DELETE /services?baseUrl=…` takes one out again. The last two answer with the
 * configuration as it is then.
 */
export async function answerServices(
  request: IncomingMessage,
  response: ServerResponse,
  query: string,
  services: ServiceList,
  added: AddedServices,
) {
  switch (request.method) {
    case 'GET':
      if (isCrossOrigin(request.headers)) return sendProblem(response, NOT_THIS_PAGE)
      return sendJson(response, 200, { services: added.list() })
    case 'POST':
      return addService(request, response, services, added)
    case 'DELETE':
      return removeService(request, response, query, services, added)
    default:
      return sendMethodNotAllowed(response, 'GET, POST, DELETE')
  }
}

function removeService(
  { headers }: IncomingMessage,
  response: ServerResponse,
  query: string,
  services: ServiceList,
  added: AddedServices,
) {
  const refused = refusalOf(headers, services.config().canAddServices)
  if (refused !== undefined) return sendProblem(response, refused)
  const baseUrl = new URLSearchParams(query).get('baseUrl')
  if (baseUrl === null) return sendProblem(response, invalid([{ path: 'baseUrl', message: 'is missing' }]))
  added.remove(baseUrl)
  sendJson(response, 200, services.config())
}

async function addService(
  request: IncomingMessage,
  response: ServerResponse,
  services: ServiceList,
  added: AddedServices,
) {
  const refused =
    refusalOf(request.headers, services.config().canAddServices) ?? refusalOfType(request.headers)
  if (refused !== undefined) return sendProblem(response, refused, { Connection: 'close' })
  const body = await readBody(request)
  if (!body.ok) return sendProblem(response, body.error, { Connection: 'close' })
  const service = serviceOf(body.value)
  if (!service.ok) return sendProblem(response, service.error)
  if (!added.add(service.value).ok) return sendProblem(response, FULL)
  sendJson(response, 200, services.config())
}

function refusalOf(headers: IncomingHttpHeaders, canAddServices: boolean): Problem | undefined {
  // Browsers send an Origin with every POST and DELETE, so its absence is no page of ours.
  if (isCrossOrigin(headers) || !isOwnOrigin(headers.origin, headers.host)) return NOT_THIS_PAGE
  if (!canAddServices)
    return {
      status: 403,
      title: 'Adding services is off',
      detail: 'Add the service to the file given with --config, or start the server with --allow-add.',
    }
  return undefined
}

const NOT_THIS_PAGE: Problem = {
  status: 403,
  title: 'Not this page',
  detail: 'Only the dashboard itself may see, add or remove services.',
}

function refusalOfType(headers: IncomingHttpHeaders): Problem | undefined {
  // A form of another site can't send this type without asking first.
  if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? ''))
    return { status: 415, title: 'Not JSON', detail: 'Send the service as application/json.' }
  return undefined
}

const FULL: Problem = {
  status: 409,
  title: 'Too many services',
  detail: `At most ${DEFAULTS.servicesMax} services can be added here. Use a file with --config.`,
}

async function readBody(request: IncomingMessage): Promise<Result<unknown, Problem>> {
  const body = await readBytes(request, BODY_MAX_BYTES)
  if (body === undefined)
    return err({ status: 413, title: 'Too large', detail: `Send at most ${BODY_MAX_BYTES} bytes.` })
  const json = jsonOf(body)
  return json.ok ? ok(json.value) : err(invalid([{ path: '', message: 'is not JSON' }]))
}

function serviceOf(body: unknown): Result<Service, Problem> {
  const given = typeof body === 'object' && body !== null ? Reflect.get(body, 'service') : undefined
  const parsed = parseServerConfig({ version: CONFIG_VERSION, services: [given] })
  if (!parsed.ok)
    return err(
      invalid(
        parsed.error.map(({ path, message }) => ({
          path: path.replace(/^services\.0/, 'service'),
          message,
        })),
      ),
    )
  const [service] = parsed.value.services
  if (service === undefined) return err(invalid([{ path: 'service', message: 'is missing' }]))
  const unreachable = directProblem(service)
  return unreachable === undefined
    ? ok(service)
    : err(invalid([{ path: 'service.via', message: unreachable }]))
}

const invalid = (problems: Problem['problems'] & {}): Problem => ({
  status: 400,
  title: 'Not a service',
  detail: 'Correct what is listed under "problems" and send it again.',
  problems,
})

import type { IncomingMessage, ServerResponse } from 'node:http'
import { err, ok, type Result } from '#base/result.ts'
import { DEFAULTS } from '#protocol/defaults.ts'
import { parseServerConfig, SETTINGS_VERSION, type Service } from '#protocol/settings.ts'
import type { AddedServices } from './added-services.ts'
import { directProblem } from './direct-service.ts'
import { sendJson, sendMethodNotAllowed, sendProblem, type Problem } from './reply.ts'
import { isCrossOrigin, isOwnOrigin } from './request-guard.ts'
import type { ServiceList } from './service-list.ts'

/** A service with the longest profile that is allowed has about 40 KB. */
const BODY_MAX_BYTES = 65_536

/**
 * `POST /services` with `{"service": {"baseUrl": …}}`: puts a service on the proxy's
 * allow-list, and answers with the configuration as it is then. For this server's own page only.
 */
export async function addService(
  request: IncomingMessage,
  response: ServerResponse,
  services: ServiceList,
  added: AddedServices,
) {
  if (request.method !== 'POST') return sendMethodNotAllowed(response, 'POST')
  const refused = refusalOf(request, services.config().canAddServices)
  if (refused !== undefined) return sendProblem(response, refused, { Connection: 'close' })
  const body = await readBody(request)
  if (!body.ok) return sendProblem(response, body.error, { Connection: 'close' })
  const service = serviceOf(body.value)
  if (!service.ok) return sendProblem(response, service.error)
  if (!added.add(service.value).ok) return sendProblem(response, FULL)
  sendJson(response, 200, services.config())
}

function refusalOf({ headers }: IncomingMessage, canAddServices: boolean): Problem | undefined {
  // Browsers send an Origin with every POST, so its absence is no page of ours.
  if (isCrossOrigin(headers) || !isOwnOrigin(headers.origin, headers.host))
    return { status: 403, title: 'Not this page', detail: 'Only the dashboard itself may add services.' }
  if (!canAddServices)
    return {
      status: 403,
      title: 'Adding services is off',
      detail: 'Add the service to the file given with --config, or start the server with --allow-add.',
    }
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
  const chunks: Buffer[] = []
  let bytes = 0
  // Leaving the loop must not destroy the request: that would end the connection before the answer.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const part = Buffer.from(chunk)
    bytes += part.length
    if (bytes > BODY_MAX_BYTES)
      return err({ status: 413, title: 'Too large', detail: `Send at most ${BODY_MAX_BYTES} bytes.` })
    chunks.push(part)
  }
  try {
    return ok(JSON.parse(Buffer.concat(chunks).toString('utf8')))
  } catch {
    return err(invalid([{ path: '', message: 'is not JSON' }])) // the parser's words differ between versions
  }
}

function serviceOf(body: unknown): Result<Service, Problem> {
  const given = typeof body === 'object' && body !== null ? Reflect.get(body, 'service') : undefined
  const parsed = parseServerConfig({ version: SETTINGS_VERSION, services: [given] })
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

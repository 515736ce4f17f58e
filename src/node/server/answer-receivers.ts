import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { err, ok, type Result } from '#base/result.ts'
import { parseReceiver, RECEIVERS_MAX, type Receiver } from '#settings/receiver.ts'
import { directReceiverProblem } from './direct-service.ts'
import type { Receivers } from './receivers.ts'
import { sendJson, sendMethodNotAllowed, sendProblem, type Problem, jsonOf, readBytes } from './reply.ts'
import { isCrossOrigin, isOwnOrigin } from './request-guard.ts'

const BODY_MAX_BYTES = 8_192

/**
 * Where alarms may be sent to, for this server's own page only. `GET /receivers` lists them and
 * says whether more may be added, `POST /receivers` with `{"receiver": {"kind": …, "url": …}}` adds
 * one or changes it, `DELETE /receivers?id=…` takes an added one out again. Each answers with the
 * list as it is then.
 */
export async function answerReceivers(
  request: IncomingMessage,
  response: ServerResponse,
  query: string,
  receivers: Receivers,
  canAdd: boolean,
) {
  const { headers, method } = request
  const sendList = (id?: string) =>
    sendJson(response, 200, { receivers: receivers.list(), canAdd, ...(id !== undefined && { id }) })
  if (method !== 'GET' && method !== 'POST' && method !== 'DELETE')
    return sendMethodNotAllowed(response, 'GET, POST, DELETE')
  if (method === 'GET') return isCrossOrigin(headers) ? sendProblem(response, NOT_THIS_PAGE) : sendList()
  const refused = refusalOf(headers, canAdd)
  if (refused !== undefined) return sendProblem(response, refused, { Connection: 'close' })
  if (method === 'DELETE') {
    receivers.remove(new URLSearchParams(query).get('id') ?? '')
    return sendList()
  }
  if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? ''))
    return sendProblem(response, NOT_JSON, { Connection: 'close' })
  const body = await readBytes(request, BODY_MAX_BYTES)
  if (body === undefined) return sendProblem(response, TOO_LARGE, { Connection: 'close' })
  const receiver = receiverOf(body)
  if (!receiver.ok) return sendProblem(response, receiver.error)
  const added = receivers.add(receiver.value)
  return added.ok ? sendList(added.value) : sendProblem(response, FULL)
}

function refusalOf(headers: IncomingHttpHeaders, canAdd: boolean): Problem | undefined {
  // Browsers send an Origin with every POST and DELETE, so its absence is no page of ours.
  if (isCrossOrigin(headers) || !isOwnOrigin(headers.origin, headers.host)) return NOT_THIS_PAGE
  return canAdd ? undefined : ADDING_IS_OFF
}

const NOT_THIS_PAGE: Problem = {
  status: 403,
  title: 'Not this page',
  detail: 'Only the dashboard itself may see, add or remove receivers.',
}
const ADDING_IS_OFF: Problem = {
  status: 403,
  title: 'Adding receivers is off',
  detail: 'Add it under "receivers" to the file given with --config, or start the server with --allow-add.',
}
const NOT_JSON: Problem = { status: 415, title: 'Not JSON', detail: 'Send the receiver as application/json.' }
const TOO_LARGE: Problem = {
  status: 413,
  title: 'Too large',
  detail: `Send at most ${BODY_MAX_BYTES} bytes.`,
}
const FULL: Problem = {
  status: 409,
  title: 'Too many receivers',
  detail: `At most ${RECEIVERS_MAX} receivers can be added here. Remove one that is not used.`,
}

function receiverOf(body: Buffer): Result<Receiver, Problem> {
  const json = jsonOf(body)
  if (!json.ok) return err(invalid([{ path: '', message: 'is not JSON' }]))
  const given: unknown =
    typeof json.value === 'object' && json.value !== null ? Reflect.get(json.value, 'receiver') : undefined
  const parsed = parseReceiver(given)
  if (!parsed.ok)
    return err(
      invalid(
        parsed.error.map(({ path, message }) => ({
          path: path === '' ? 'receiver' : `receiver.${path}`,
          message,
        })),
      ),
    )
  const blocked = directReceiverProblem(parsed.value)
  return blocked === undefined ? ok(parsed.value) : err(invalid([{ path: 'receiver.via', message: blocked }]))
}

const invalid = (problems: Problem['problems'] & {}): Problem => ({
  status: 400,
  title: 'Not a receiver',
  detail: 'Correct what is listed under "problems" and send it again.',
  problems,
})

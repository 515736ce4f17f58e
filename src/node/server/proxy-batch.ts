import type { ServerResponse } from 'node:http'
import { gunzipSync, inflateRawSync, inflateSync, type ZlibOptions } from 'node:zlib'
import { DEFAULTS } from '#base/defaults.ts'
import { jsonIn, readStored } from '#base/stored.ts'
import { codeOf } from '#node/files.ts'
import { splitTarget } from '#node/request-target.ts'
import { BATCH_MAX, BATCH_MAX_BYTES, BATCH_TYPE, BatchSchema, type BatchAnswer } from '#protocol/batch.ts'
import { failed, statusAnswer, type Ways } from './proxy.ts'
import { isFetch } from './request-guard.ts'
import { DOCUMENT_HEADERS } from './security-headers.ts'
import {
  bodyOf,
  foreignOrigin,
  problemAnswer,
  problemOf,
  refuseBody,
  sendLimited,
  sendMethodNotAllowed,
  sendProblem,
  SERVER_ERROR,
  whenGone,
  type Answer,
  type Visit,
} from './send-reply.ts'
import type { ServiceList } from './service-list.ts'

const INVALID = problemOf(400, 'Invalid batch', `Send a JSON list of 1 to ${BATCH_MAX} status requests.`)

/**
 * Answers several status requests of a page. `charge` is called with the number of requests beyond the first, and returns the
 * seconds that this visitor has to wait, because others may have used up the rate limit while the body arrived.
 */
export async function proxyBatch(
  { request, response, visitor }: Visit,
  services: ServiceList,
  ways: Ways,
  charge: (requests: number) => number,
) {
  response.sendDate = false
  const beganMs = performance.now()
  if (request.method !== 'POST') return sendMethodNotAllowed(response, 'POST')
  // A GET has no Origin to compare with a Host that a reverse proxy changed, so the page's single requests may pass.
  if (!isFetch(request.headers)) return refuseBody(response, foreignOrigin('send status requests'))
  const body = await bodyOf(request, response, BATCH_MAX_BYTES, 'requests')
  if (body === undefined) return
  const batch = readStored(BatchSchema, jsonIn(body.toString()))
  if (batch === undefined) return sendProblem(response, INVALID)
  const waitS = charge(batch.length - 1)
  if (waitS > 0) return sendLimited(response, waitS)
  const gone = whenGone(response)
  response.writeHead(200, {
    ...DOCUMENT_HEADERS,
    'Content-Type': BATCH_TYPE,
    // nginx would keep the answers until the slowest service has answered.
    'X-Accel-Buffering': 'no',
  })
  const write = writerTo(response)
  await Promise.all(
    batch.map(async ({ path, headers }, at) => {
      const sent = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
      )
      const answer = await statusAnswer(
        { ...splitTarget(path), headers: sent },
        visitor,
        services,
        ways,
        gone,
      ).catch(() => problemAnswer(SERVER_ERROR)) // A defect must not end the other requests.
      if (answer !== undefined)
        write(batchAnswer(answer, { at, afterMs: Math.round(performance.now() - beganMs) }))
    }),
  )
  response.end()
}

/** Answers within this time are sent together, because each part wakes two processes of the browser. */
const TOGETHER_MS = 5

function writerTo(response: ServerResponse): (answer: BatchAnswer) => void {
  let isWaiting = false
  return (answer) => {
    if (!isWaiting) {
      isWaiting = true
      response.cork()
      setTimeout(() => {
        isWaiting = false
        response.uncork()
      }, TOGETHER_MS)
    }
    response.write(`${JSON.stringify(answer)}\n`)
  }
}

function batchAnswer(answer: Answer, which: Pick<BatchAnswer, 'at' | 'afterMs'>): BatchAnswer {
  const { status, headers, body } = answer
  const answerWith = (text: string | null): BatchAnswer => ({ ...which, status, headers, body: text })
  if (typeof body === 'string') return answerWith(body)
  try {
    return answerWith(new TextDecoder().decode(decoded(body, headers['content-encoding'])))
  } catch (error) {
    if (codeOf(error) !== 'ERR_BUFFER_TOO_LARGE') return answerWith(null)
    return status === 200 ? batchAnswer(failed('too-large'), which) : answerWith('')
  }
}

type Decoder = (body: Buffer, options: ZlibOptions) => Buffer

/** Many servers send deflate without the header of zlib, whose lowest bits say 8. */
const inflate: Decoder = (body, options) =>
  ((body[0] ?? 0) % 16 === 8 ? inflateSync : inflateRawSync)(body, options)

/** Without Brotli: decoding a few bytes of it can take as long as 16 MiB. */
const DECODERS: Readonly<Record<string, Decoder>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflate,
}

/** Throws if the body does not match its encoding, or if this server does not know the encoding. */
function decoded(body: Buffer, encoding = 'identity'): Buffer {
  const name = encoding.trim().toLowerCase()
  if (['identity', ''].includes(name) || body.length === 0) return body
  const decoder = DECODERS[name]
  if (decoder === undefined) throw new TypeError('unknown encoding')
  return decoder(body, { maxOutputLength: DEFAULTS.bodyMaxBytes })
}

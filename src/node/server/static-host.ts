import type { IncomingMessage, ServerResponse } from 'node:http'
import { sendMethodNotAllowed, sendProblem } from './reply.ts'
import { fileHeaders, roleOf } from './security-headers.ts'
import { chooseEncoding, type StaticFile, type StaticFiles } from './static-files.ts'

/** Answers requests for the page and its files. `path` is the request's, without the query. */
export type Pages = (request: IncomingMessage, response: ServerResponse, path: string) => Promise<void>

/** `directOrigins`: for the engine Worker's connect-src, asked for at every request. */
export const createStaticHost =
  (files: StaticFiles, directOrigins: () => readonly string[]): Pages =>
  async (request, response, path) => {
    const file = files.get(path)
    // Never the page in place of a missing file: a stale tab must see that its file is gone.
    if (file === undefined) return sendNotFound(response)
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return sendMethodNotAllowed(response, 'GET, HEAD')
    await sendFile(request, response, file, path, directOrigins())
  }

async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  file: StaticFile,
  path: string,
  directOrigins: readonly string[],
) {
  const role = roleOf(path)
  const encoding = file.compressible ? chooseEncoding(request.headers['accept-encoding']) : 'identity'
  const headers: Record<string, string | number> = {
    ...fileHeaders(role, directOrigins),
    'Content-Type': file.contentType,
  }
  if (file.compressible) headers['Vary'] = 'Accept-Encoding'
  // Without a validator the browser can't keep an engine Worker whose policy has changed since.
  if (role !== 'engine-worker') headers['ETag'] = file.etag(encoding)
  if (role !== 'engine-worker' && isUnchanged(request.headers['if-none-match'], file.etag(encoding))) {
    response.writeHead(304, headers).end()
    return
  }
  const body = await file.bytes(encoding)
  if (encoding !== 'identity') headers['Content-Encoding'] = encoding
  headers['Content-Length'] = body.length
  response.writeHead(200, headers).end(body)
}

const isUnchanged = (ifNoneMatch: string | undefined, etag: string): boolean =>
  (ifNoneMatch ?? '').split(',').some((known) => known.trim().replace(/^W\//, '') === etag)

const sendNotFound = (response: ServerResponse) =>
  sendProblem(response, {
    status: 404,
    title: 'Not found',
    detail: 'There is no such file here. The dashboard is at the address without a path.',
  })

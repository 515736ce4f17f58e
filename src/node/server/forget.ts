import type { IncomingMessage, ServerResponse } from 'node:http'
import { sendJson, sendMethodNotAllowed, sendProblem } from './reply.ts'
import { isCrossOrigin, isOwnOrigin } from './request-guard.ts'

/**
 * `POST /forget`: has the browser clear what this site keeps in it. A script can delete its
 * databases, but their bytes stay in the browser's files for long; at this header the files
 * themselves are removed. For this server's own page only: another site could use it to log out
 * a wall screen.
 */
export function forget(request: IncomingMessage, response: ServerResponse) {
  if (request.method !== 'POST') return sendMethodNotAllowed(response, 'POST')
  const { headers } = request
  // Browsers send an Origin with every POST, so its absence is no page of ours.
  if (isCrossOrigin(headers) || !isOwnOrigin(headers.origin, headers.host))
    return sendProblem(response, {
      status: 403,
      title: 'Not this page',
      detail: 'Only the dashboard itself may have its storage cleared.',
    })
  sendJson(response, 200, { cleared: ['storage'] }, { 'Clear-Site-Data': '"storage"' })
}

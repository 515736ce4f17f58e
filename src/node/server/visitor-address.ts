import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { AddressList } from '#node/address-guard.ts'

/**
 * Who asks: the address of the connection. Where that is a server in front, the one that it named in X-Forwarded-For:
 * each adds whom it heard, so the last that is not itself in front. What stands before it anybody may have written.
 */
export function visitorAddress({ socket, headersDistinct }: IncomingMessage, isInFront: AddressList): string {
  const peer = socket.remoteAddress ?? ''
  if (!isInFront(peer)) return peer
  const named = (headersDistinct['x-forwarded-for'] ?? []).join(',').split(',')
  const visitor = named.map((one) => one.trim()).findLast((one) => !isInFront(one))
  return visitor !== undefined && isIP(visitor) !== 0 ? visitor : peer
}

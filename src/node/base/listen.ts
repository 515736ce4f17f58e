import type { AddressInfo, Server } from 'node:net'
import type { Duplex } from 'node:stream'
import { err, ok, type Result } from '#base/result.ts'

/** Returns the server's port, or Node's error. The server may listen again after it was closed. */
export const listen = (server: Server, host: string, port: number): Promise<Result<number, Error>> =>
  new Promise((resolve) => {
    const onError = (error: Error): void => resolve(err(error))
    server.once('error', onError)
    server.listen({ host, port }, () => {
      server.removeListener('error', onError)
      const address: Partial<AddressInfo> = Object(server.address())
      resolve(address.port === undefined ? err(new Error('not listening on a port')) : ok(address.port))
    })
  })

/** Answers bytes that are not an HTTP request and closes the connection. `tooLarge`: the text for a head beyond the limit. */
export const refuseMalformed =
  (tooLarge = '') =>
  (error: NodeJS.ErrnoException, socket: Duplex): void => {
    const isTooLarge = error.code === 'HPE_HEADER_OVERFLOW'
    // Only a head can be too large. Other bytes may follow an answer that announced the end of the connection.
    const isAnswered = !isTooLarge && 'bytesWritten' in socket && socket.bytesWritten !== 0
    if (!socket.writable || error.code === 'ECONNRESET' || isAnswered) {
      socket.destroy()
      return
    }
    const status = isTooLarge ? '431 Request Header Fields Too Large' : '400 Bad Request'
    const body = isTooLarge ? tooLarge : ''
    const type = body === '' ? [] : ['Content-Type: text/plain']
    const headers = ['Connection: close', ...type, `Content-Length: ${Buffer.byteLength(body)}`]
    socket.end([`HTTP/1.1 ${status}`, ...headers, '', body].join('\r\n'))
  }

import type { AddressInfo, Server } from 'node:net'
import { err, ok, type Result } from '#base/result.ts'

/** The port that a server got, or Node's error. It may listen again after it was closed. */
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

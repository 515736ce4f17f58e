import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'

/** Makes the server listen on a free port of loopback. */
export async function portOf(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address: AddressInfo | string | null = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

export async function freePort(): Promise<number> {
  const server = createServer()
  const port = await portOf(server)
  server.close()
  await once(server, 'close')
  return port
}

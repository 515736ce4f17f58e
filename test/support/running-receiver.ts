import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export type RunningReceiver = Awaited<ReturnType<typeof startReceiver>>

/** A real HTTP receiver on this computer that can go down and come back at the same address. */
export async function startReceiver() {
  const taken: unknown[] = []
  const waiting = new Set<() => void>()
  let status = 200
  let port = 0
  let server: Server | undefined

  const up = async (): Promise<void> => {
    server = createServer((request, response) => {
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.on('end', () => {
        if (status === 200) taken.push(JSON.parse(Buffer.concat(parts).toString('utf8')))
        response.writeHead(status).end('said so')
        for (const look of Array.from(waiting)) look()
      })
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    const address: AddressInfo | string | null = server.address()
    if (typeof address === 'object' && address !== null) port = address.port
  }
  const down = async (): Promise<void> => {
    if (server === undefined) return
    const closed = once(server, 'close')
    server.closeAllConnections()
    server.close()
    server = undefined
    await closed
  }
  await up()
  return {
    url: `http://127.0.0.1:${port}/hook`,
    taken,
    up,
    down,
    answer: (next: number): void => {
      status = next
    },
    /** Resolves when so many messages were taken. */
    took: (count: number): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => {
          if (taken.length < count) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
  }
}

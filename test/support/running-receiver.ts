import { createServer } from 'node:http'
import { portOf } from './free-port.ts'

export type RunningReceiver = Awaited<ReturnType<typeof startReceiver>>

/** A real HTTP receiver on this computer that can go down and come back at the same address. */
export async function startReceiver() {
  const taken: unknown[] = []
  const waiting = new Set<() => void>()
  let status = 200
  // The receiver keeps its port while it is down, because another process could take a free one.
  let isUp = true
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      if (status === 200) taken.push(JSON.parse(Buffer.concat(parts).toString('utf8')))
      response.writeHead(status).end('said so')
      for (const look of Array.from(waiting)) look()
    })
  })
  server.on('connection', (socket) => {
    if (!isUp) socket.destroy()
  })
  return {
    url: `http://127.0.0.1:${await portOf(server.unref())}/hook`,
    taken,
    up: (): void => {
      isUp = true
    },
    down: (): void => {
      isUp = false
      server.closeAllConnections()
    },
    answer: (next: number): void => {
      status = next
    },
    /** Resolves when this many messages have arrived. */
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

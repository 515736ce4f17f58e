import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { portOf } from '#test/support/free-port.ts'

/** A port that the test owns at once. It forwards connections to a target that is set later. */
export type HeldPort = {
  readonly port: number
  /** Sets the target. Until then connections are refused. */
  readonly leadTo: (port: number) => void
  readonly close: () => Promise<void>
}

/** Unlike a free port, which another process may take before it is used, this one is held. */
export async function holdPort(): Promise<HeldPort> {
  const sockets = new Set<Socket>()
  const kept = (socket: Socket): Socket => {
    sockets.add(socket)
    return socket.on('close', () => sockets.delete(socket))
  }
  let target: number | undefined
  const server = createServer((from) => {
    if (target === undefined) return void from.destroy()
    const to = kept(connect(target, '127.0.0.1'))
    kept(from).pipe(to).pipe(from)
    // An error at either end closes the other.
    from.on('error', () => to.destroy()).on('close', () => to.destroy())
    to.on('error', () => from.destroy()).on('close', () => from.destroy())
  })
  return {
    port: await portOf(server),
    leadTo: (port) => {
      target = port
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

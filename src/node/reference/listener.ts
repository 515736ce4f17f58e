import { MINUTE_MS } from '#base/time.ts'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listen, refuseMalformed } from '#node/listen.ts'
import { createSerial } from '#base/serial.ts'

type Listener = ReturnType<typeof createListener>

const HEADER_BYTES_MAX = 8_192
/** A slow head is ended after 5 s. Node checks connections at intervals, by default every 30 s. */
const HEADERS_TIMEOUT_MS = 4_500
const CHECK_EVERY_MS = 500
const REQUEST_TIMEOUT_MS = 10_000
const KEEP_ALIVE_MS = MINUTE_MS
const CONNECTIONS_MAX = 4_096

/** An HTTP server that can be stopped at once, even with sockets that hang. */
export function createListener(
  host: string,
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  onBug: (error: unknown) => void,
) {
  const server = createServer(
    {
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_EVERY_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    (request, response) => {
      handle(request, response).catch((error: unknown) => {
        onBug(error)
        response.destroy()
      })
    },
  )
  server.maxConnections = CONNECTIONS_MAX
  server.on('clientError', refuseMalformed())
  // An error before listening belongs to the caller: `listen` rejects with it.
  server.on('error', (error) => {
    if (server.listening) onBug(error)
  })
  // Resets are normal here. Node handles them itself, except on a socket that requests a tunnel.
  server.on('connection', (socket) => socket.on('error', () => undefined))

  return {
    /** Returns the port. Rejects with Node's error if it is not available. */
    listen: async (port: number): Promise<number> => {
      const listening = await listen(server, host, port)
      if (!listening.ok) throw listening.error
      return listening.value
    },
    /** Closes every connection at once. The server can listen again afterwards. */
    stop: (): Promise<void> =>
      new Promise((done) => {
        server.close(() => done()) // An error means that it was not listening.
        server.closeAllConnections()
      }),
  }
}

/** The service's two listeners. The fault `refused` stops the first one. */
export function createListeners(
  main: Listener,
  control: Listener,
  wanted: { readonly port: number; readonly controlPort: number },
  isRefused: () => boolean,
) {
  let port = wanted.port
  let state: 'new' | 'listening' | 'down' | 'closed' = 'new'

  /** In order, because two quick changes would race; a failed one does not stop the next. */
  const inTurn = createSerial()

  const syncNow = async (): Promise<void> => {
    if (state === 'listening' && isRefused()) {
      state = 'down'
      await main.stop()
    } else if (state === 'down' && !isRefused()) {
      await main.listen(port)
      state = 'listening'
    }
  }

  return {
    /** Rejects with Node's error if a port is not available; then neither listens. */
    listen: (): Promise<{ readonly port: number; readonly controlPort: number }> =>
      inTurn(async () => {
        port = await main.listen(port)
        state = 'listening'
        try {
          const controlPort = await control.listen(wanted.controlPort)
          await syncNow()
          return { port, controlPort }
        } catch (error) {
          await main.stop() // Half a service would keep the port and the process.
          throw error
        }
      }),
    sync: (): Promise<void> => inTurn(syncNow),
    close: (): Promise<void> =>
      inTurn(async () => {
        state = 'closed'
        await Promise.all([main.stop(), control.stop()])
      }),
  }
}

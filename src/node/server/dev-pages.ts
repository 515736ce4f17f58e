import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Pages } from './static-host.ts'

/** As much of Vite as is used: the package itself is loaded by the command line, in development only. */
export type Vite = {
  readonly createServer: (config: {
    root: string
    appType: 'spa'
    server: { middlewareMode: true; hmr: { server: Server }; allowedHosts: true }
  }) => Promise<{
    middlewares: (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void
    close: () => Promise<void>
  }>
}

/**
 * The page from its source, with hot reload. Without the Content-Security-Policy of the built
 * app: hot reload puts scripts into the page.
 */
export const createDevPages =
  (vite: Vite, root: string) =>
  async (server: Server): Promise<Pages> => {
    const page = await vite.createServer({
      root,
      appType: 'spa',
      // Host names were checked before a request gets there.
      server: { middlewareMode: true, hmr: { server }, allowedHosts: true },
    })
    server.once('close', () => void page.close())
    // Vite leaves open what it does not take.
    server.on('upgrade', ({ headers, url }, socket) => {
      if (url?.split('?')[0] !== '/' || !/^vite-(hmr|ping)$/.test(headers['sec-websocket-protocol'] ?? ''))
        socket.destroy()
    })
    return (request, response) =>
      new Promise((resolve, reject) => {
        // Isolated as the built page is, so that what depends on it can be seen here too.
        response.setHeader('Cross-Origin-Opener-Policy', 'same-origin')
        response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp')
        response.setHeader('Cross-Origin-Resource-Policy', 'same-origin')
        response.once('close', resolve)
        page.middlewares(request, response, (error) => {
          if (error !== undefined) reject(error instanceof Error ? error : new Error('the page was not made'))
          else response.writeHead(404).end()
        })
      })
  }

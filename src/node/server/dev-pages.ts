import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { splitTarget } from '#node/request-target.ts'
import type { Pages } from './static-host.ts'

/** The part of Vite's API that is used. The package itself is loaded by the command line, in development only. */
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
 * Serves the page from its source with hot reload. Omits the built app's Content-Security-Policy, because hot reload injects
 * scripts into the page.
 */
export const createDevPages =
  (vite: Vite, root: string) =>
  async (server: Server): Promise<Pages> => {
    const page = await vite.createServer({
      root,
      appType: 'spa',
      // Host names were already checked.
      server: { middlewareMode: true, hmr: { server }, allowedHosts: true },
    })
    server.once('close', () => void page.close())
    // Vite leaves other upgrade requests open.
    server.on('upgrade', ({ headers, url }, socket) => {
      if (splitTarget(url).path !== '/' || !/^vite-(hmr|ping)$/.test(headers['sec-websocket-protocol'] ?? ''))
        socket.destroy()
    })
    return (request, response) =>
      new Promise((resolve, reject) => {
        // The same isolation as the built page, so that features that depend on it can be tested here.
        response.setHeader('Cross-Origin-Opener-Policy', 'same-origin')
        response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp')
        response.setHeader('Cross-Origin-Resource-Policy', 'same-origin')
        response.once('close', resolve)
        page.middlewares(request, response, (error) => {
          if (error !== undefined)
            reject(error instanceof Error ? error : new Error('the page was not built'))
          else response.writeHead(404).end()
        })
      })
  }

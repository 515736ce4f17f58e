import type { IncomingHttpHeaders, ServerResponse } from 'node:http'

/**
 * Whether a browser asks for the script of a service worker. This product has none: another program registered one while
 * it had this address, and browsers ask for its script again, wherever it was.
 */
export const isForServiceWorker = (headers: IncomingHttpHeaders): boolean =>
  headers['service-worker'] === 'script' || headers['sec-fetch-dest'] === 'serviceworker'

/** Takes the place of the one that there is, ends it with what it cached, and loads its pages from here. */
const FAREWELL = `addEventListener('install', () => skipWaiting())
addEventListener('activate', (event) => event.waitUntil(leave()))
async function leave() {
  await registration.unregister()
  for (const name of await caches.keys()) await caches.delete(name)
  for (const page of await clients.matchAll({ type: 'window' })) page.navigate(page.url).catch(() => undefined)
}
`

export function sendFarewell(response: ServerResponse): void {
  response
    .writeHead(200, {
      'Content-Type': 'text/javascript; charset=utf-8',
      'Cache-Control': 'no-store',
      // What it had the browser cache could be code under the names of ours.
      'Clear-Site-Data': '"cache"',
      'Content-Security-Policy': "default-src 'none'",
      'X-Content-Type-Options': 'nosniff',
      // It may have been registered for more than the folder of its script.
      'Service-Worker-Allowed': '/',
    })
    .end(FAREWELL)
}

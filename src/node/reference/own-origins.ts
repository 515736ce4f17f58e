import { isLoopbackHost } from '#record/service.ts'
import { OptionsError } from './options.ts'

const ORIGINS_MAX = 4
const EVERY_ADDRESS: readonly string[] = ['0.0.0.0', '::']

/**
 * The addresses that a request may have been signed for, the one to print first. They come
 * from where the service listens and from its options, never from a request: a signature
 * for another service that forwards it here must not fit.
 */
export function ownOrigins(host: string, port: number, more: readonly string[]): readonly string[] {
  const numeric = host === '::1' || host === '::' ? `http://[::1]:${port}` : `http://127.0.0.1:${port}`
  const elsewhere = !isLoopbackHost(host) && !EVERY_ADDRESS.includes(host)
  const own = elsewhere ? [`http://${host}:${port}`] : [numeric, `http://localhost:${port}`]
  const all = Array.from(new Set([...own, ...more].map((origin) => new URL(origin).origin)))
  if (all.length > ORIGINS_MAX) {
    throw new OptionsError(`More than ${ORIGINS_MAX} own addresses: give fewer with --origin.`)
  }
  return all
}

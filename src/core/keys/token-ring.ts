import { createSerial } from '#base/serial.ts'
import { err, ok, type Result } from '#base/result.ts'
import type { ServiceId } from '#record/service.ts'
import { parseToken, type TokenProblem } from '#signing/token.ts'
import { type TokenStore } from './key-store.ts'

/** `session`: in the signer's memory. `device`: readable in this browser's storage. */
export type TokenPlace = 'session' | 'device'

export type TokenInfo = { readonly serviceId: ServiceId; readonly place: TokenPlace }

/** `too-many`: the token of another service must be forgotten first. */
export type KeepTokenProblem = TokenProblem | 'not-kept' | 'not-removed' | 'too-many'

export type TokenRing = ReturnType<typeof createTokenRing>

/** More than the services of a few tabs with different settings. */
export const TOKENS_MAX = 64

export function createTokenRing(store: TokenStore | undefined) {
  const session = new Map<ServiceId, string>()
  let device: ReadonlyMap<string, string> = new Map()
  const inTurn = createSerial()

  const reload = async (): Promise<void> => {
    const loaded = await store?.load()
    if (loaded?.ok !== true) return // If storage can't be read, the tokens in memory stay in use.
    device = new Map(
      Array.from(loaded.value)
        .filter(([, token]) => parseToken(new TextEncoder().encode(token)).ok)
        .slice(0, TOKENS_MAX),
    )
  }
  const loaded = inTurn(reload)

  /** Also ok if there was none. */
  const removeFromDevice = async (serviceId: ServiceId): Promise<Result<undefined, 'not-removed'>> => {
    if (store === undefined || !device.has(serviceId)) return ok(undefined)
    const removed = await store.remove(serviceId)
    if (!removed.ok) return err('not-removed')
    device = new Map(Array.from(device).filter(([id]) => id !== serviceId))
    return ok(undefined)
  }

  const keep = async (
    serviceId: ServiceId,
    token: string,
    place: TokenPlace,
  ): Promise<Result<undefined, KeepTokenProblem>> => {
    const isNew = !session.has(serviceId) && !device.has(serviceId)
    if (isNew && session.size + device.size >= TOKENS_MAX) return err('too-many')
    if (place === 'session') {
      const removed = await removeFromDevice(serviceId)
      if (removed.ok) session.set(serviceId, token)
      return removed
    }
    const put = await store?.put(serviceId, token)
    if (put?.ok !== true) return err('not-kept')
    device = new Map([...device, [serviceId, token]])
    session.delete(serviceId)
    return ok(undefined)
  }

  return {
    /** As currently stored. */
    list: (): Promise<readonly TokenInfo[]> =>
      inTurn(async () => {
        await reload()
        const all = new Map<string, TokenPlace>()
        for (const id of device.keys()) all.set(id, 'device')
        for (const id of session.keys()) all.set(id, 'session')
        return Array.from(all, ([id, place]) => ({ serviceId: id as ServiceId, place }))
      }),
    /** Replaces the service's previous token. Zeroes the bytes (UTF-8, as typed). */
    keep: (
      serviceId: ServiceId,
      bytes: Uint8Array,
      place: TokenPlace,
    ): Promise<Result<undefined, KeepTokenProblem>> => {
      const token = parseToken(bytes)
      bytes.fill(0)
      return token.ok ? inTurn(() => keep(serviceId, token.value, place)) : Promise.resolve(token)
    },
    forget: (serviceId: ServiceId): Promise<Result<undefined, 'not-removed'>> =>
      inTurn(async () => {
        session.delete(serviceId)
        return removeFromDevice(serviceId)
      }),
    // Does not wait for other work, so that requests continue while a token is being written.
    /** Only for requests to this service. */
    find: async (serviceId: ServiceId): Promise<string | undefined> => {
      await loaded
      return session.get(serviceId) ?? device.get(serviceId)
    },
  }
}

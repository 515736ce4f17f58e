import type { Bytes } from '#base/bytes.ts'
import type { Place } from '#keys/key-store.ts'
import type { KeyFamily } from '#protocol/key-kinds.ts'
import type { KeyRing, FoundKey } from '#keys/key-ring.ts'
import { serviceIdOf } from '#record/service.ts'
import { serviceAt } from '#settings/schema.ts'

export const RING_SERVICE = serviceAt('http://127.0.0.1:7421', 'proxy')
export const RING_SERVICE_ID = serviceIdOf(RING_SERVICE.baseUrl)
/** The grants of a key for this service. */
export const RING_GRANTS = [{ serviceId: RING_SERVICE_ID, profiles: [] }]

export type RingForService = Omit<KeyRing, 'make' | 'keepSeed' | 'importVault' | 'find'> & {
  readonly make: (label: string, place?: Place) => ReturnType<KeyRing['make']>
  readonly keepSeed: (
    seed: Uint8Array,
    family: KeyFamily,
    label: string,
    place?: Place,
  ) => ReturnType<KeyRing['keepSeed']>
  readonly importVault: (
    file: Uint8Array,
    passphrase: Bytes,
    label: string,
    replace?: boolean,
  ) => ReturnType<KeyRing['importVault']>
  readonly find: (publicKey: string | undefined) => Promise<Exclude<FoundKey, 'not-allowed'>>
}

/** For tests of other things: brings every key for one service, and finds keys for that service. */
export const ringForService = (ring: KeyRing): RingForService =>
  Object.assign({}, ring, {
    make: (label, place) => ring.make(label, place, [RING_SERVICE]),
    keepSeed: (seed, family, label, place) => ring.keepSeed(seed, family, label, place, [RING_SERVICE]),
    importVault: (file, passphrase, label, replace) =>
      ring.importVault(file, passphrase, label, replace, [RING_SERVICE]),
    find: async (publicKey) => {
      const found = await ring.find(publicKey, RING_SERVICE_ID)
      if (found === 'not-allowed') throw new Error('the key was not brought for the service')
      return found
    },
  } satisfies Partial<RingForService>)

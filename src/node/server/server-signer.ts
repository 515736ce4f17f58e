import { randomBytes } from 'node:crypto'
import { bytesToHex } from '#base/bytes.ts'
import type { Result } from '#base/result.ts'
import { createSigner } from '#keys/create-signer.ts'
import { serviceIdOf } from '#record/service.ts'
import type { Service } from '#settings/schema.ts'
import { needsKey } from '#signing/profile-needs.ts'
import type { SignedHeaders, SignFailure } from '#signing/signer.ts'
import type { SigningKeys } from './signing-keys.ts'

/** Signs status requests of the services that the configuration names, with the keys that the server was started with. */
export type ServerSigner = {
  /** The public key (64 hex digits) by which requests to the service are signed; undefined: the browser signs them. */
  readonly keyOf: (service: Service) => string | undefined
  /** `query`: of a status request, as the proxy takes it. */
  readonly sign: (service: Service, query: string) => Promise<Result<SignedHeaders, SignFailure>>
}

export function createServerSigner(
  keys: SigningKeys,
  services: () => readonly Service[],
  wallMs: () => number,
): ServerSigner {
  const signer = createSigner({
    service: (id) => services().find(({ baseUrl }) => serviceIdOf(baseUrl) === id),
    key: async (publicKey) => keys.find(publicKey),
    otherHosts: (id) =>
      services().flatMap(({ baseUrl }) => (serviceIdOf(baseUrl) === id ? [] : [new URL(baseUrl).host])),
    wallMs,
    randomBytes: (length) => new Uint8Array(randomBytes(length)),
  })
  return {
    keyOf: (service) => {
      const key = needsKey(service) ? keys.find(service.key) : undefined
      return key && bytesToHex(key.publicKey)
    },
    sign: ({ baseUrl }, query) =>
      signer.signStatusRequest(serviceIdOf(baseUrl), new URLSearchParams(query).get('node_id') ?? undefined),
  }
}

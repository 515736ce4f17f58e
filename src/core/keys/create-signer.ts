import { bytesToHex, type Bytes } from '#base/bytes.ts'
import { err, ok } from '#base/result.ts'
import { parseNodeId } from '#protocol/node-id.ts'
import type { Signer, TrySigner } from '#protocol/ports.ts'
import { PROFILE_TRIES } from '#protocol/profile-tries.ts'
import type { ServiceId } from '#protocol/service.ts'
import { profileOf, type Service } from '#protocol/settings.ts'
import { NONCE_BYTES, type SigningInput } from '#protocol/signing-values.ts'
import { signRequest } from './sign-request.ts'
import { createSignatureCache } from './signature-cache.ts'
import type { SigningKey } from './signing-key.ts'
import type { TryRounds } from './try-rounds.ts'

type SignerPorts = {
  /** The configured service with this id; no other is signed for. The same object until it is configured anew. */
  readonly service: (id: ServiceId) => Service | undefined
  /** The key with this public key (64 hex digits); without one the only or newest key. */
  readonly key: (publicKey: string | undefined) => Promise<SigningKey | 'locked' | undefined>
  /** Rounds of tries that were opened; absent: none ever is. */
  readonly rounds?: Pick<TryRounds, 'take'>
  readonly wallMs: () => number
  readonly randomBytes: (length: number) => Bytes
}

/**
 * Signs status requests of configured services. The text is built here, from the service's
 * own address and profile, with this signer's time and a fresh nonce: a caller chooses the
 * service and the node and nothing else of it.
 */
export function createSigner(ports: SignerPorts): Signer & TrySigner {
  const signatures = createSignatureCache()
  const inputOf = (service: Service, nodeId: string | undefined, key: SigningKey): SigningInput => ({
    baseUrl: service.baseUrl,
    nodeId,
    publicKey: key.publicKey,
    nowMs: ports.wallMs(),
    nonce: ports.randomBytes(NONCE_BYTES),
  })
  return {
    signTry: async (serviceId, nodeId, tryId) => {
      const service = ports.service(serviceId)
      const profile = PROFILE_TRIES.find(({ id }) => id === tryId)?.profile
      if (service === undefined || profile === undefined) return err('not-configured')
      if (nodeId !== undefined && !isNodeId(nodeId)) return err('error')
      const key = await ports.key(service.key)
      if (key === undefined) return err('no-key')
      if (key === 'locked') return err('key-locked')
      const input = inputOf(service, nodeId, key)
      // Asked last: a try that could not be signed is not used up.
      if (ports.rounds?.take(serviceId, tryId, input.nowMs) !== true) return err('not-configured')
      const signed = await signRequest(profile, input, key)
      return signed.ok ? signed : err('error')
    },
    signStatusRequest: async (serviceId, nodeId) => {
      const service = ports.service(serviceId)
      const profile = service === undefined ? undefined : profileOf(service)
      if (service === undefined || profile === undefined) return err('not-configured')
      // A profile may put the node id into the text as it is: it must not carry lines of its own.
      if (nodeId !== undefined && !isNodeId(nodeId)) return err('error')
      // Looked for also when an old signature will do: a key that is locked or gone signs nothing.
      const key = await ports.key(service.key)
      if (key === undefined) return err('no-key')
      if (key === 'locked') return err('key-locked')
      const input = inputOf(service, nodeId, key)
      const entry = `${bytesToHex(key.publicKey)} ${nodeId ?? ''}`
      const kept = signatures.find(service, entry, input.nowMs)
      if (kept !== undefined) return ok(kept)
      const signed = await signRequest(profile, input, key)
      if (!signed.ok) return err('error')
      signatures.keep(service, entry, input.nowMs, signed.value)
      return signed
    },
  }
}

const isNodeId = (text: string): boolean => {
  const parsed = parseNodeId(text)
  return parsed.ok && parsed.value === text
}

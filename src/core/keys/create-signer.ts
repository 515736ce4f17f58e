import { bytesToHex, type Bytes } from '#base/bytes.ts'
import { err, ok } from '#base/result.ts'
import { parseNodeId } from '#protocol/node-id.ts'
import type { Signer } from '#protocol/ports.ts'
import type { ServiceId } from '#protocol/service.ts'
import { profileOf, type Service } from '#protocol/settings.ts'
import { NONCE_BYTES } from '#protocol/signing-values.ts'
import { signRequest } from './sign-request.ts'
import { createSignatureCache } from './signature-cache.ts'
import type { SigningKey } from './signing-key.ts'

type SignerPorts = {
  /** The configured service with this id; no other is signed for. The same object until it is configured anew. */
  readonly service: (id: ServiceId) => Service | undefined
  /** The key with this public key (64 hex digits); without one the only or newest key. */
  readonly key: (publicKey: string | undefined) => Promise<SigningKey | 'locked' | undefined>
  readonly wallMs: () => number
  readonly randomBytes: (length: number) => Bytes
}

/**
 * Signs status requests of configured services. The text is built here, from the service's
 * own address and profile, with this signer's time and a fresh nonce: a caller chooses the
 * service and the node and nothing else of it.
 */
export function createSigner(ports: SignerPorts): Signer {
  const signatures = createSignatureCache()
  return {
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
      const input = {
        baseUrl: service.baseUrl,
        nodeId,
        publicKey: key.publicKey,
        nowMs: ports.wallMs(),
        nonce: ports.randomBytes(NONCE_BYTES),
      }
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

import { useMemo, useState } from 'react'
import { signedTextProblem, type SignedTextProblem } from '#signing/signed-text-check.ts'
import { NONCE_BYTES, type SigningInput } from '#signing/signing-values.ts'
import { profileOf } from '#signing/presets.ts'
import type { Service } from '#settings/schema.ts'
import { useWallNow } from './ticking.tsx'
import { useConfiguration } from './use-fleet.ts'

export function useExampleInput({ baseUrl }: Pick<Service, 'baseUrl'>): SigningInput {
  const wallMs = useWallNow()
  const [nowMs] = useState(() => wallMs ?? EXAMPLE_MS)
  return useMemo(
    () => ({ baseUrl, nodeId: EXAMPLE_NODE, publicKey: EXAMPLE_KEY, nowMs, nonce: EXAMPLE_NONCE }),
    [baseUrl, nowMs],
  )
}

const EXAMPLE_MS = Date.UTC(2026, 0, 1)
const EXAMPLE_NODE = '0xab01'
const EXAMPLE_KEY = new Uint8Array(32).fill(0xee)
const EXAMPLE_NONCE = new Uint8Array(NONCE_BYTES).fill(0x11)

/**
 * The signer's own check of why it would refuse to sign for a service. Checks an example, and each watched node whose id could
 * be read as a time. `otherHosts` defaults to the hosts of the other configured services.
 */
export function useRefusedText(
  service: Service,
  otherHosts?: readonly string[],
): SignedTextProblem | undefined {
  const { services, nodes } = useConfiguration().effective
  const input = useExampleInput(service)
  return useMemo(() => {
    const { baseUrl } = service
    const profile = profileOf(service)
    if (profile === undefined) return undefined
    const others =
      otherHosts ??
      services.flatMap((other) => (other.baseUrl === baseUrl ? [] : [new URL(other.baseUrl).host]))
    const watched =
      profile.nodeId?.endsWith('-no-0x') === true
        ? nodes.flatMap((node) => (node.service === baseUrl ? [node.id] : []))
        : []
    for (const id of [EXAMPLE_NODE, ...watched]) {
      const problem = signedTextProblem(profile, { ...input, nodeId: id }, others)
      if (problem !== undefined) return problem
    }
    return undefined
  }, [service, otherHosts, services, nodes, input])
}

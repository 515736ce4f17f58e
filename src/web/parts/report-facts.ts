import { bytesToHex, hexToBytes } from '#base/bytes.ts'
import { toVisibleText } from '#base/visible-text.ts'
import { hashOf } from '#signing/signing-values.ts'
import type { Service } from '#settings/schema.ts'
import type { Report } from '#texts/en-report.ts'
import { serviceLabel } from '#texts/names.ts'

type ServiceFacts = Pick<Report, 'service' | 'baseUrl' | 'via' | 'profile' | 'publicKey' | 'fingerprint'>

/** Facts about the service and its key for every report. `publicKey` has 64 hex digits. */
export const serviceFacts = (
  { label, baseUrl, via, profile }: Service,
  publicKey: string | undefined,
): ServiceFacts => ({
  service: toVisibleText(serviceLabel({ label, baseUrl })),
  baseUrl,
  via,
  profile: typeof profile === 'string' ? profile : (profile.title ?? 'custom'),
  publicKey,
  fingerprint: publicKey === undefined ? undefined : fingerprintOf(publicKey),
})

/** As on the key's page: 8 bytes of the SHA-256, in groups of four hex digits. */
function fingerprintOf(publicKey: string): string | undefined {
  const bytes = hexToBytes(publicKey)
  if (bytes === undefined) return undefined
  return bytesToHex(hashOf('sha-256', bytes).subarray(0, 8)).replace(/.{4}(?=.)/g, '$& ')
}

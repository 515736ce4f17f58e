import { bytesToHex, type Bytes } from '#base/bytes.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { putNewest } from '#base/newest-last.ts'
import { err, ok, type Result } from '#base/result.ts'
import { CORRECTION_FROM_MS, mayCorrect, signedHeaders, messageToSign } from '#signing/status-request.ts'
import { parseNodeId } from '#record/node-id.ts'
import type { Signer, SignFailure, SignedHeaders, SigningPurpose } from '#signing/signer.ts'
import type { Profile } from '#signing/profile.ts'
import { PROFILE_TRIES } from '#signing/profile-tries.ts'
import { serviceIdOf, type ServiceId } from '#record/service.ts'
import { signedTextProblem } from '#signing/signed-text-check.ts'
import { startsWithFixedTag } from '#signing/profile-lint.ts'
import { profileOf } from '#signing/presets.ts'
import type { Service } from '#settings/schema.ts'
import { NONCE_BYTES, type SigningInput } from '#signing/signing-values.ts'
import { usesKey, usesToken } from '#signing/profile-needs.ts'
import type { FoundKey } from './key-ring.ts'
import {
  type UsableKey,
  keyOfSeed,
  type Cryptography,
  type SigningKey,
  fitsSignature,
} from './signing-key.ts'
import type { TryRounds } from './try-rounds.ts'

type SignerPorts = {
  /**
   * The service with this id that may be signed for; the signer signs for no other. Returns the same object until the service
   * is configured again.
   */
  readonly service: (id: ServiceId, purpose?: SigningPurpose) => Service | undefined
  /** Hosts of the other configured services: a text signed for this service must contain none of them. */
  readonly otherHosts?: (id: ServiceId) => readonly string[]
  /** The key with this public key (64 hex digits), or the newest key that is allowed for this service. */
  readonly key: (publicKey: string | undefined, id: ServiceId) => Promise<FoundKey>
  /** The token entered for this service; absent: no tokens. */
  readonly token?: (id: ServiceId) => Promise<string | undefined>
  /** Open rounds of profile attempts; absent: none. */
  readonly rounds?: Pick<TryRounds, 'take'>
  /** How far from this signer's time the operator lets it sign for this service; absent: only the default limit. */
  readonly agreedCorrectionMs?: (id: ServiceId) => number | undefined
  readonly wallMs: () => number
  readonly randomBytes: (length: number) => Bytes
}

/** One reused signature per node of a typical fleet. */
const SIGNATURES_MAX = 4_096

/**
 * Signs status requests of configured services, with keys and profiles that were approved for them. The caller chooses only the
 * service, the node and, within narrow limits, a time correction; address, profile, time and nonce are the signer's.
 * `signedTextProblem` says what the check of profile texts can't detect.
 */
export function createSigner(ports: SignerPorts): Signer {
  // Texts that passed the check are not checked again for the same node, because the check does not depend on key, nonce or time.
  const goodTexts = createMemo<true>(DEFAULTS.nodesMax)
  const signatures = createMemo<{ readonly atMs: number; readonly signed: SignedHeaders }>(SIGNATURES_MAX)
  const signPoll = async (
    service: Service,
    profile: Profile,
    input: SigningInput,
    correctionMs: number,
    key: UsableKey,
  ): ReturnType<Signer['signStatusRequest']> => {
    const { nodeId = '', nowMs } = input
    if (goodTexts.get(service, nodeId) === undefined) {
      const otherHosts = ports.otherHosts?.(serviceIdOf(service.baseUrl))
      if (signedTextProblem(profile, input, otherHosts) !== undefined) return err('text-refused')
      goodTexts.put(service, nodeId, true)
    }
    // A signature with a time that the service refuses must not be reused.
    const era = Math.round(correctionMs / CORRECTION_FROM_MS)
    const entry = `${bytesToHex(key.publicKey)} ${era} ${nodeId}`
    const kept = signatures.get(service, entry)
    const reuseMs = (profile.reuseSeconds ?? 0) * 1_000
    // The clock may have been set back.
    if (kept !== undefined && nowMs >= kept.atMs && nowMs < kept.atMs + reuseMs) return ok(kept.signed)
    const signed = await signRequest(profile, input, key)
    if (signed.ok && reuseMs > 0) signatures.put(service, entry, { atMs: nowMs, signed: signed.value })
    return signed
  }
  return {
    signStatusRequest: async (serviceId, nodeId, correctionMs = 0, purpose) => {
      const tryId = purpose && 'tryId' in purpose ? purpose.tryId : undefined
      const service = ports.service(serviceId, purpose)
      const profile = tryId === undefined ? service && profileOf(service) : triedProfile(tryId)
      if (service === undefined || profile === undefined) return err('not-configured')
      // A profile may insert the node id unchanged, so the id must not contain line breaks.
      if (nodeId !== undefined && !isNodeId(nodeId)) return err('error')
      if (!mayCorrect(correctionMs, ports.agreedCorrectionMs?.(serviceId))) return err('time-not-allowed')
      const inputFor = ({ publicKey }: Pick<UsableKey, 'publicKey'>): SigningInput => ({
        baseUrl: service.baseUrl,
        nodeId,
        publicKey,
        nowMs: ports.wallMs() + correctionMs,
        nonce: ports.randomBytes(NONCE_BYTES),
      })
      if (!usesKey(profile)) return signWithoutKey(ports, serviceId, profile, inputFor(NO_KEY))
      // Required even if a stored signature is reused: a locked or removed key must sign nothing.
      const key = await keyFor(ports, service, serviceId)
      if (!key.ok) return key
      // Nobody has to accept the profiles of tries, because they ship with this product.
      if (tryId === undefined && !key.value.accepts(service)) return err('profile-not-accepted')
      if (!mayKeySign(key.value, profile)) return err('chain-key')
      const input = inputFor(key.value)
      if (tryId === undefined) return signPoll(service, profile, input, correctionMs, key.value)
      // Last, so that a try that cannot be signed is not used up. The hour counts by this signer's own time.
      const isOpen = ports.rounds?.take(serviceId, tryId, input.nowMs - correctionMs) === true
      return isOpen ? signRequest(profile, input, key.value) : err('not-configured')
    },
  }
}

const triedProfile = (tryId: string): Profile | undefined =>
  PROFILE_TRIES.find(({ id }) => id === tryId)?.profile

/** By service object, so that entries end with the configuration for which they were made. */
function createMemo<T>(entriesMax: number) {
  const kept = new WeakMap<Service, Map<string, T>>()
  return {
    get: (service: Service, entry: string): T | undefined => kept.get(service)?.get(entry),
    put: (service: Service, entry: string, value: T): void => {
      const entries = kept.get(service) ?? new Map<string, T>()
      kept.set(service, entries)
      putNewest(entries, entry, value, entriesMax)
    },
  }
}

async function keyFor(
  ports: SignerPorts,
  { key: publicKey }: Service,
  serviceId: ServiceId,
): Promise<Result<UsableKey, SignFailure>> {
  const key = await ports.key(publicKey, serviceId)
  if (key === undefined) return err('no-key')
  if (key === 'not-allowed') return err('key-not-allowed')
  return key === 'locked' ? err('key-locked') : ok(key)
}

/** Needs no key, so the key may be locked or missing. The result is never stored: a forgotten token must not be sent again. */
async function signWithoutKey(
  ports: SignerPorts,
  serviceId: ServiceId,
  profile: Profile,
  input: SigningInput,
): ReturnType<Signer['signStatusRequest']> {
  const token = usesToken(profile) ? await ports.token?.(serviceId) : undefined
  if (usesToken(profile) && token === undefined) return err('no-token')
  return signRequest(profile, { ...input, token }, NO_KEY)
}

const NO_SIGNATURE: Bytes = new Uint8Array(64)

/** Placeholder; neither half is ever sent: see `usesKey`. */
const NO_KEY = { publicKey: new Uint8Array(32), sign: async () => NO_SIGNATURE }

/** A chain's key signs only texts that no chain accepts as a transaction. Kind `none` signs nothing. */
const mayKeySign = ({ family }: UsableKey, profile: Profile): boolean =>
  family === 'plain' || profile.message.kind === 'none' || startsWithFixedTag(profile)

const isNodeId = (text: string): boolean => {
  const parsed = parseNodeId(text)
  return parsed.ok && parsed.value === text
}

/** RFC 8032, 7.1, TEST 3. */
const SEED = new Uint8Array([
  0xc5, 0xaa, 0x8d, 0xf4, 0x3f, 0x9f, 0x83, 0x7b, 0xed, 0xb7, 0x44, 0x2f, 0x31, 0xdc, 0xb7, 0xb1, 0x66, 0xd3,
  0x85, 0x35, 0x07, 0x6f, 0x09, 0x4b, 0x85, 0xce, 0x3a, 0x2e, 0x0b, 0x44, 0x58, 0xf7,
])
const MESSAGE = Uint8Array.of(0xaf, 0x82)
const PUBLIC_KEY = 'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025'
const SIGNATURE =
  '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac' +
  '18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a'

/** Self-test: whether signing here gives the published signature of a published key. Never throws. */
export async function signsRight(cryptography: Cryptography): Promise<boolean> {
  try {
    const key = await keyOfSeed(SEED, cryptography)
    const signature = await key.sign(MESSAGE)
    key.forget()
    return (
      bytesToHex(key.publicKey) === PUBLIC_KEY &&
      bytesToHex(signature) === SIGNATURE &&
      fitsSignature(key.publicKey, MESSAGE, signature)
    )
  } catch {
    return false // A browser that refuses the key can't sign with it.
  }
}

export async function signRequest(
  profile: Profile,
  input: SigningInput,
  key: Pick<SigningKey, 'sign'>,
): Promise<Result<SignedHeaders, 'error'>> {
  const message = messageToSign(profile, input)
  if (!message.ok) return err('error')
  const signature = profile.message.kind === 'none' ? NO_SIGNATURE : await key.sign(message.value)
  const signed = signedHeaders(profile, input, signature)
  return signed.ok ? signed : err('error')
}

import { createSigner } from '#keys/create-signer.ts'
import { baseUrlOf, serviceIdOf } from '#record/service.ts'
import type { Service } from '#settings/schema.ts'
import { needsKey } from '#signing/profile-needs.ts'
import type { SignedHeaders, SignFailure } from '#signing/signer.ts'
import { createPrivateKey, randomBytes, sign, type KeyObject } from 'node:crypto'
import { bytesToHex, type Bytes } from '#base/bytes.ts'
import { readText } from '#base/read-text.ts'
import { err, ok, type Result } from '#base/result.ts'
import { readKey } from '#keys/read-key.ts'
import { type UsableKey, pkcs8Of } from '#keys/signing-key.ts'
import { keyFileProblem } from '#texts/en-key-formats.ts'
import { readSecretFrom, type SecretWorld } from './secrets.ts'

export type SigningKeys = {
  /** The key with this public key (64 hex digits), or the first one. */
  readonly find: (publicKey: string | undefined) => UsableKey | undefined
}

/** The error has one line for each unusable key. */
export async function openSigningKeys(
  sources: readonly string[],
  passphraseSource: string | undefined,
  world: SecretWorld,
): Promise<Result<SigningKeys, readonly string[]>> {
  const passphrase = passphraseSource === undefined ? undefined : readSecretFrom(passphraseSource, world)
  if (passphrase?.ok === false) return err([passphrase.error])
  const word = passphrase && lineOf(passphrase.value)
  if (word === undefined && passphrase !== undefined)
    return err([`${passphraseSource}: is not UTF-8 text. Save it as UTF-8.`])
  const keys: UsableKey[] = []
  const problems: string[] = []
  for (const source of sources) {
    const key = await openKey(source, word, world)
    if (key.ok) keys.push(key.value)
    else problems.push(key.error)
  }
  word?.fill(0)
  if (problems.length > 0) return err(problems)
  const byPublicKey = new Map(keys.map((key) => [bytesToHex(key.publicKey), key]))
  return ok({ find: (publicKey) => (publicKey === undefined ? keys[0] : byPublicKey.get(publicKey)) })
}

/** The first line of a text. Zeroes the input; undefined if it is not text. */
function lineOf(bytes: Buffer): Buffer | undefined {
  const text = readText(bytes)
  bytes.fill(0)
  return text.ok ? Buffer.from(text.value.replace(/\r?(\n[^]*)?$/, ''), 'utf8') : undefined
}

async function openKey(
  source: string,
  passphrase: Buffer | undefined,
  world: SecretWorld,
): Promise<Result<UsableKey, string>> {
  const bytes = readSecretFrom(source, world)
  if (!bytes.ok) return bytes
  const read = await readKey(bytes.value, passphrase)
  bytes.value.fill(0)
  if (read.outcome === 'needs-passphrase') return err(`${source}: is encrypted. Add --passphrase SOURCE.`)
  if (read.outcome === 'refused') return err(`${source}: ${keyFileProblem(read.problem)}`)
  const { seed, publicKey, family } = read
  const key = keyObjectOf(seed)
  return ok({
    publicKey,
    family,
    // Starting the program with this key and configuration approves both.
    accepts: () => true,
    sign: async (message) => new Uint8Array(sign(null, message, key)),
    forget: () => undefined,
  })
}

/** Zeroes the seed; only OpenSSL's copy remains. */
function keyObjectOf(seed: Uint8Array): KeyObject {
  const pkcs8 = pkcs8Of(seed)
  try {
    return createPrivateKey({ key: Buffer.from(pkcs8.buffer), format: 'der', type: 'pkcs8' })
  } finally {
    pkcs8.fill(0)
    seed.fill(0)
  }
}

/** Draws in bulk, because 4,096 bytes take hardly longer than 16: 6 µs for each nonce. */
function createRandomBytes(): (length: number) => Bytes {
  let drawn = Buffer.alloc(0)
  return (length) => {
    if (drawn.length < length) drawn = randomBytes(4_096)
    const taken = new Uint8Array(drawn.subarray(0, length))
    drawn = drawn.subarray(length)
    return taken
  }
}

export type ServerSigner = Pick<ReturnType<typeof createServerSigner>, 'keyOf' | 'sign'>

const identified = (service: Service) => ({
  id: serviceIdOf(service.baseUrl),
  host: new URL(service.baseUrl).host,
  service,
})

/** `tokens`: by base URL, for services whose profile sends one. */
export function createServerSigner(
  keys: SigningKeys,
  services: () => readonly Service[],
  wallMs: () => number,
  tokens: ReadonlyMap<string, string> = new Map(),
) {
  let listed: readonly Service[] = []
  let known = listed.map(identified)
  /** Computed again only for another list, because a collector signs hundreds of requests a second. */
  const named = (): typeof known => {
    const now = services()
    if (now !== listed) known = now.map(identified)
    listed = now
    return known
  }
  const signer = createSigner({
    service: (id) => named().find((each) => each.id === id)?.service,
    key: async (publicKey) => keys.find(publicKey),
    otherHosts: (id) => named().flatMap((each) => (each.id === id ? [] : [each.host])),
    token: async (id) => tokens.get(baseUrlOf(id) ?? ''),
    wallMs,
    randomBytes: createRandomBytes(),
  })
  return {
    /** The public key (64 hex digits) that signs for the service; undefined: the browser signs. */
    keyOf: (service: Service): string | undefined => {
      const key = needsKey(service) ? keys.find(service.key) : undefined
      return key && bytesToHex(key.publicKey)
    },
    signStatusRequest: signer.signStatusRequest,
    /** `query`: that of a status request, as the proxy accepts it. */
    sign: ({ baseUrl }: Service, query: string): Promise<Result<SignedHeaders, SignFailure>> =>
      signer.signStatusRequest(serviceIdOf(baseUrl), new URLSearchParams(query).get('node_id') ?? undefined),
  }
}

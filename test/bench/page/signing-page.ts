import * as Comlink from 'comlink'
import nacl from 'tweetnacl'
import { bytesToHex } from '#base/bytes.ts'
import { createWebCryptoKey } from '#keys/signing-key.ts'
import { createVerifier } from '#keys/verify-signature.ts'
import { createProofChecks } from '#monitor/proof-check.ts'
import { systemClock } from '#platform/system-clock.ts'
import { PROOF_PROFILES } from '#proof/proof-profile.ts'
import { serviceIdOf } from '#record/service.ts'
import { SETTINGS_VERSION } from '#settings/schema.ts'
import { parseSettings } from '#settings/documents.ts'
import type { EngineSigner, SignerAdmin } from '#signer/api.ts'
import signerUrl from '#signer/signer-worker.ts?worker&url'

export type Contender = 'webcrypto' | 'tweetnacl' | 'port' | 'proof' | 'proof-tweetnacl'

/** A message as long as the text of a status request. */
const MESSAGE = new TextEncoder().encode('m'.repeat(119))
const SEED = new Uint8Array(32).map((_, i) => i + 1)
const SERVICE = 'https://node.example'

/** Signs repeatedly for at least `ms`. Resolves to the number of signatures and the wall time. */
export type Slice = (contender: Contender, ms: number) => Promise<{ count: number; wallMs: number }>

async function contenders(): Promise<Readonly<Record<Contender, () => unknown>>> {
  const webCrypto = await createWebCryptoKey(SEED)
  const pair = nacl.sign.keyPair.fromSeed(SEED)
  const [ours, theirs] = [await webCrypto.sign(MESSAGE), nacl.sign.detached(MESSAGE, pair.secretKey)]
  if (ours.join() !== theirs.join()) throw new Error('the two signatures differ')
  const signer = await enginePort()
  const serviceId = serviceIdOf(SERVICE)
  const [asked] = await signer.signStatusRequests([[serviceId, undefined]])
  if (asked?.ok !== true) throw new Error(`the signer refused: ${asked?.error}`)
  return {
    webcrypto: async () => webCrypto.sign(MESSAGE),
    tweetnacl: () => nacl.sign.detached(MESSAGE, pair.secretKey),
    port: async () => signer.signStatusRequests([[serviceId, undefined]]),
    ...(await proofContenders()),
  }
}

/** The engine's check of a record's proof, with parsing, and the bare signature check in JavaScript. */
async function proofContenders(): Promise<Readonly<Record<'proof' | 'proof-tweetnacl', () => unknown>>> {
  const key = await createWebCryptoKey(SEED)
  const members = {
    node_id: `"0x${bytesToHex(key.publicKey)}"`,
    status: '"ACTIVE"',
    threat_responses_executed: '49792',
    stake_deployed: '1139000',
    network_participation: '0.9856',
    last_heartbeat: '1780315200',
  }
  const profile = PROOF_PROFILES['record-v1']
  const text = profile.template.replaceAll(/\{raw\.(\w+)\}/g, (_, name: string) => Reflect.get(members, name))
  const message = new TextEncoder().encode(text)
  const signature = await key.sign(message)
  const written = Object.entries({ ...members, cryptographic_proof: `"0x${bytesToHex(signature)}"` })
  const body = `{${written.map(([name, value]) => `"${name}":${value}`).join(',')}}`
  const checks = createProofChecks(systemClock, createVerifier())
  let nowMs = 0
  const check = async (): Promise<string> => {
    nowMs += 60_000 // Checks closer together may be postponed.
    const { verdict } = await checks.check({ profile, body, last: undefined, nodes: 1, nowMs })
    return verdict.kind
  }
  if ((await check()) !== 'verified') throw new Error('the proof was not verified')
  return {
    proof: check,
    'proof-tweetnacl': () => nacl.sign.detached.verify(message, signature, key.publicKey),
  }
}

/** The real signer in its Worker, behind the same port that the engine uses. */
async function enginePort(): Promise<Comlink.Remote<EngineSigner>> {
  const shared = new SharedWorker(signerUrl, { type: 'module', name: 'bench' })
  const admin = Comlink.wrap<SignerAdmin>(shared.port)
  const inspected = await admin.inspectKey(new Uint8Array(SEED))
  if (inspected.outcome !== 'key') throw new Error(`the signer did not accept the key: ${inspected.outcome}`)
  const settings = parseSettings({
    version: SETTINGS_VERSION,
    services: [{ baseUrl: SERVICE, via: 'direct' }],
  })
  if (!settings.ok) throw new Error('the settings do not parse')
  const { services } = settings.value
  const key = await admin.keepInspected(inspected.key.publicKey, 'bench', undefined, services)
  if (!key.ok) throw new Error(`the signer did not store the key: ${key.error}`)
  await admin.configure(services)
  const { port1, port2 } = new MessageChannel()
  await admin.openEnginePort(Comlink.transfer(port2, [port2]))
  return Comlink.wrap<EngineSigner>(port1)
}

const ready = contenders()

const slice: Slice = async (contender, ms) => {
  const sign = (await ready)[contender]
  const startMs = performance.now()
  let count = 0
  while (performance.now() - startMs < ms) {
    await sign()
    count++
  }
  return { count, wallMs: performance.now() - startMs }
}

declare global {
  var benchSlice: Slice
}
globalThis.benchSlice = slice

import * as Comlink from 'comlink'
import nacl from 'tweetnacl'
import { createWebCryptoKey } from '#keys/web-crypto-signer.ts'
import { serviceIdOf } from '#protocol/service.ts'
import { SETTINGS_VERSION, parseSettings } from '#protocol/settings.ts'
import type { EngineSigner, SignerAdmin } from '#signer/api.ts'
import signerUrl from '#signer/signer-worker.ts?worker&url'

export type Contender = 'webcrypto' | 'tweetnacl' | 'port'

/** As long as the text of a status request. */
const MESSAGE = new TextEncoder().encode('m'.repeat(119))
const SEED = new Uint8Array(32).map((_, i) => i + 1)
const SERVICE = 'https://node.example'

/** Signs one after the other for at least `ms`; gives signatures and wall time. */
export type Slice = (contender: Contender, ms: number) => Promise<{ count: number; wallMs: number }>

async function contenders(): Promise<Readonly<Record<Contender, () => unknown>>> {
  const webCrypto = await createWebCryptoKey(SEED)
  const pair = nacl.sign.keyPair.fromSeed(SEED)
  const [ours, theirs] = [await webCrypto.sign(MESSAGE), nacl.sign.detached(MESSAGE, pair.secretKey)]
  if (ours.join() !== theirs.join()) throw new Error('the two signatures differ')
  const signer = await enginePort()
  const serviceId = serviceIdOf(SERVICE)
  const asked = await signer.signStatusRequest(serviceId, undefined)
  if (!asked.ok) throw new Error(`the signer refused: ${asked.error}`)
  return {
    webcrypto: async () => webCrypto.sign(MESSAGE),
    tweetnacl: () => nacl.sign.detached(MESSAGE, pair.secretKey),
    port: async () => signer.signStatusRequest(serviceId, undefined),
  }
}

/** The real signer, in its Worker, through the port that the engine would hold. */
async function enginePort(): Promise<Comlink.Remote<EngineSigner>> {
  const shared = new SharedWorker(signerUrl, { type: 'module', name: 'bench' })
  const admin = Comlink.wrap<SignerAdmin>(shared.port)
  const key = await admin.importKey(new Uint8Array(SEED), 'bench')
  if (!key.ok) throw new Error(`the signer took no key: ${key.error}`)
  const settings = parseSettings({
    version: SETTINGS_VERSION,
    services: [{ baseUrl: SERVICE, via: 'direct' }],
  })
  if (!settings.ok) throw new Error('the settings do not parse')
  await admin.configure(settings.value.services)
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

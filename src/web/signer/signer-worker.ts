import { createAutoLock } from '#keys/auto-lock.ts'
import { argon2id } from '#keys/passphrase-key.ts'
import { KeyRing } from '#keys/key-ring.ts'
import { createTokenRing } from '#keys/token-ring.ts'
import { createTryRounds } from '#keys/try-rounds.ts'
import { signsRight } from '#keys/create-signer.ts'
import { hasWebCrypto } from '#keys/web-crypto.ts'
import { createKeyStore } from '#platform/worker-key-store.ts'
import { probeNetwork } from '#platform/worker-network-probe.ts'
import { giveWayToMessages } from '#platform/worker-pause.ts'
import { systemClock } from '#platform/system-clock.ts'
import { holdLife } from '#platform/worker-life.ts'
import { hearPages } from '#platform/page-words.ts'
import { randomBytes, wallMs } from '#platform/worker-environment.ts'
import type { SignerReport, SignerTest } from './api.ts'
import { servePage } from './serve-page.ts'

/**
 * The signer: holds the keys of all tabs and can reach nothing, because its script's policy forbids every request. A page
 * brings its port by connecting to the SharedWorker, or in the first message to a dedicated Worker.
 */

/** About the size of a stored key. */
const STORED_BYTES = 256

giveWayToMessages()

const worker = 'onconnect' in globalThis ? 'shared' : 'dedicated'

// Started at once, so that nothing is signed or imported before the isolation test runs.
const network = probeNetwork()

const life = holdLife()

const parts = (async () => {
  const cryptography = (await hasWebCrypto()) ? 'webcrypto' : 'javascript'
  // A key for plain JavaScript would be stored as bare bytes, so it is for the session only.
  const store = cryptography === 'webcrypto' ? createKeyStore() : undefined
  const keyRing = new KeyRing({ store, cryptography, wallMs, randomBytes, deriveKey: argon2id })
  const idle = createAutoLock(systemClock, keyRing.lock, store)
  const report = async (): Promise<SignerReport> => ({
    network: await network,
    cryptography,
    worker,
    storage: await keyRing.isKeeping(),
    life: await life,
  })
  const selfTest = async (): Promise<SignerTest> => {
    const startedMs = systemClock.monotonicMs()
    const [reaches, isRight, keeps] = await Promise.all([
      probeNetwork(),
      signsRight(cryptography),
      store?.keepsBytes(randomBytes(STORED_BYTES)),
    ])
    return {
      network: reaches,
      signing: isRight ? 'right' : 'wrong',
      storage: keeps === undefined ? 'none' : keeps.ok && keeps.value ? 'works' : 'fails',
      tookMs: systemClock.monotonicMs() - startedMs,
    }
  }
  const tokens = createTokenRing(store?.tokens)
  return { keyRing, tokens, idle, report, selfTest, rounds: createTryRounds(store) }
})()

const connect = async ([port]: readonly MessagePort[]): Promise<void> => {
  if (port !== undefined) servePage(port, { ...(await parts), after: systemClock.after, wallMs, randomBytes })
}

addEventListener(worker === 'shared' ? 'connect' : 'message', (event) => {
  if (event instanceof MessageEvent) void connect(event.ports)
})

// A page that was loaded after the deletion can't see the locks of this signer, and would assume that the signer did not
// start.
hearPages((word) => {
  if (word === 'forgotten') globalThis.close()
})

import { generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createVerifier } from '#keys/verify-signature.ts'
import { fitsSignature } from '#keys/signing-key.ts'
import { ok } from '#base/result.ts'
import { createMonitor } from '#monitor/monitor.ts'
import { createProofChecks, type CheckedProof } from '#monitor/proof-check.ts'
import { nodeKeyOf } from '#fleet/live.ts'
import { PROOF_PROFILES, type ProofProfile } from '#proof/proof-profile.ts'
import { DEFAULTS } from '#base/defaults.ts'
import type { VerifySignature } from '#signing/signer.ts'
import { serviceIdOf } from '#record/service.ts'
import { MONITOR_PARTS } from '#test/support/engine-parts.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'
import { withResolvers } from '#test/support/with-resolvers.ts'
import { BASE, keyOf, record, service, watch } from './watch.ts'

const PROFILE: ProofProfile = { v: 1, scheme: 'ed25519', template: '{raw.n}', key: { from: 'node-id' } }
const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const ID = `0x${Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('hex')}`
const proofOf = (text: string) => `0x${sign(null, Buffer.from(text), privateKey).toString('hex')}`
const bodyOf = (n: number, proof = proofOf(String(n))): string =>
  JSON.stringify({ node_id: ID, n, cryptographic_proof: proof })

const VERIFIED = { kind: 'verified' }
const BUSY = { kind: 'not-checked', reason: 'busy' }

/** Checks that take `costMs` of the fake clock. */
function stage(costMs = 0, nodes = 1) {
  const clock = createFakeClock()
  const world = { costMs, fits: true, asked: 0 }
  const verify: VerifySignature = async () => {
    world.asked++
    clock.advanceSync(world.costMs)
    return world.fits
  }
  const checks = createProofChecks(clock, verify)
  const lasts = new Map<string, CheckedProof | undefined>()
  const check = async (n: number, nowMs: number, node = 'a') => {
    const { verdict, checked } = await checks.check({
      profile: PROFILE,
      body: bodyOf(n),
      last: lasts.get(node),
      nodes,
      nowMs,
    })
    lasts.set(node, checked)
    return verdict
  }
  return { world, check }
}

describe('a proof check', () => {
  it('distinguishes a good signature from one over another text, with real cryptography', async () => {
    const checks = createProofChecks(createFakeClock(), createVerifier())
    const check = async (body: string) =>
      (await checks.check({ profile: PROFILE, body, last: undefined, nodes: 1, nowMs: 0 })).verdict
    expect(await check(bodyOf(1))).toEqual(VERIFIED)
    expect(await check(bodyOf(1, proofOf('2')))).toEqual({ kind: 'wrong', reason: 'mismatch' })
    expect(await check(bodyOf(1, '0xab'))).toEqual({ kind: 'wrong', reason: 'length' })
  })

  it('is skipped for a body that is not a record', async () => {
    const given = { profile: PROFILE, last: undefined, nodes: 1, nowMs: 0 }
    const checks = createProofChecks(createFakeClock(), createVerifier())
    expect((await checks.check({ ...given, body: '[]' })).verdict).toEqual({
      kind: 'not-checked',
      reason: 'member',
    })
  })

  it('runs once for the same record, and again when it changes', async () => {
    const { world, check } = stage()
    for (const n of [1, 1, 1, 2, 2, 1]) expect(await check(n, 0)).toEqual(VERIFIED)
    expect(world.asked).toBe(3)
  })

  it('keeps a wrong verdict for the same record too', async () => {
    const { world, check } = stage()
    world.fits = false
    expect(await check(1, 0)).toEqual({ kind: 'wrong', reason: 'mismatch' })
    world.fits = true
    expect(await check(1, 1)).toEqual({ kind: 'wrong', reason: 'mismatch' })
    expect([world.asked, await check(2, 2)]).toEqual([1, VERIFIED])
  })
})

describe('slow checks', () => {
  it('take at most a quarter of the time, shared among the nodes', async () => {
    const { check } = stage(20, 100)
    expect(await check(1, 0)).toEqual(VERIFIED)
    expect(await check(2, 7_999)).toEqual(BUSY)
    expect(await check(3, 8_000)).toEqual(VERIFIED)
    expect(await check(4, 8_001)).toEqual(BUSY)
  })

  it('do not count a sleep of the computer', async () => {
    const { check } = stage(3_600_000)
    await check(1, 0)
    expect(await check(2, 399)).toEqual(BUSY)
    expect(await check(2, 400)).toEqual(VERIFIED)
  })

  it('keep a wrong verdict until another check succeeds', async () => {
    const { world, check } = stage(20, 100)
    world.fits = false
    expect(await check(1, 0)).toEqual({ kind: 'wrong', reason: 'mismatch' })
    world.fits = true
    expect(await check(2, 1)).toEqual({ kind: 'wrong', reason: 'mismatch' })
    expect(await check(2, 8_000)).toEqual(VERIFIED)
  })

  it('stop after the first half second, and continue as time passes', async () => {
    const { world, check } = stage(100, 1)
    const verdicts: string[] = []
    for (let node = 0; node < 8; node++) verdicts.push((await check(1, 0, `n${node}`)).kind)
    // Exactly 500 ms is still allowed, so a sixth check begins.
    expect(verdicts.filter((kind) => kind === 'verified')).toHaveLength(6)
    expect(await check(1, 399, 'late')).toEqual(BUSY)
    expect(await check(1, 400, 'late')).toEqual(VERIFIED)
    expect(world.asked).toBe(7)
  })
})

describe('the engine', () => {
  /** Real cryptography that takes no time of the fake clock. */
  const verifyAtOnce: VerifySignature = async (...given) => fitsSignature(...given)

  const proof = PROOF_PROFILES['record-v1']
  const answerOf = (more: Readonly<Record<string, unknown>> = {}) => {
    const members = JSON.parse(record(ID)) as Record<string, unknown>
    const lines = Object.entries(members)
      .filter(([name]) => name !== 'cryptographic_proof')
      .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    const text = ['immune-node-record-v1', ...lines].join('\n')
    return { body: JSON.stringify({ ...members, cryptographic_proof: proofOf(text), ...more }) }
  }
  const one = [{ id: ID, service: BASE, tags: [] }]
  const proving = (verify: VerifySignature) =>
    watch({ services: [service({ proof: 'record-v1' })], nodes: one }, { answer: () => answerOf(), verify })
  const key = nodeKeyOf(serviceIdOf(BASE), ID)
  const verdictOf = ({ monitor }: ReturnType<typeof watch>) =>
    monitor.snapshot().nodes.get(key)?.reading?.proof

  /** Waits for answers: the clock moves only timers, while a poll's cryptography takes real time. */
  const answered = async (screen: ReturnType<typeof watch>, count: number): Promise<void> => {
    while ((screen.monitor.snapshot().nodes.get(key)?.answered ?? 0) < count)
      await screen.clock.advance(1_000)
  }

  it('reports with each answer whether its proof is valid', async () => {
    const screen = proving(verifyAtOnce)
    await answered(screen, 1)
    expect(verdictOf(screen)).toEqual(VERIFIED)
    screen.world.answer = () => answerOf({ stake_deployed: 1_250_001 })
    await answered(screen, 2)
    expect(verdictOf(screen)).toEqual({ kind: 'wrong', reason: 'mismatch' })
  })

  it('checks nothing for a service without a proof profile', async () => {
    const screen = watch({}, { verify: () => Promise.reject(new Error('nobody asked')) })
    await screen.clock.advance(1_000)
    expect(screen.node(0).answered).toBe(1)
    expect(screen.monitor.snapshot().nodes.get(keyOf(0))?.reading).not.toHaveProperty('proof')
  })

  it('treats an answer as unchecked if its check throws, and reports the error', async () => {
    const clock = createFakeClock()
    const bug = new Error('bug')
    const errors: unknown[] = []
    const outcomes: string[] = []
    const monitor = createMonitor({
      ...MONITOR_PARTS,
      clock,
      transport: async () => ok({ status: 200, ...answerOf() }),
      signer: { signStatusRequest: async () => ok({ headers: {}, query: '' }) },
      records: {
        sample: ({ outcome }) => void outcomes.push(outcome),
        gap: () => undefined,
        forget: () => undefined,
      },
      onChange: () => undefined,
      onError: (error) => void errors.push(error),
      verify: () => Promise.reject(bug),
    })
    monitor.configure({
      serverUrl: 'http://127.0.0.1',
      services: [service({ proof: 'record-v1' })],
      nodes: one,
    })
    await clock.advance(1_000)
    expect([outcomes, errors]).toEqual([['answered'], [bug]])
  })

  it('drops the verdict when the proof profile changes, and checks the next answer', async () => {
    const screen = proving(verifyAtOnce)
    await answered(screen, 1)
    screen.monitor.configure({ ...screen.config, services: [service()] })
    await screen.clock.advance(DEFAULTS.publishEveryMs)
    expect(verdictOf(screen)).toBeUndefined()
    screen.monitor.configure({
      ...screen.config,
      services: [service({ proof: { ...proof, template: `${proof.template}!` } })],
    })
    expect(verdictOf(screen)).toBeUndefined()
    await answered(screen, 2)
    expect(verdictOf(screen)).toEqual({ kind: 'wrong', reason: 'mismatch' })
    screen.monitor.configure({ ...screen.config, services: [service({ proof: 'record-v1', label: 'Same' })] })
    await answered(screen, 3)
    expect(verdictOf(screen)).toEqual(VERIFIED)
    screen.monitor.configure({ ...screen.config, services: [service({ proof: 'record-v1' })] })
    expect(verdictOf(screen)).toEqual(VERIFIED)
  })

  it('ignores a verdict if the profile changed during the check', async () => {
    const found = withResolvers<boolean>()
    const screen = proving(() => found.promise)
    const answers = () => screen.monitor.snapshot().nodes.get(key)?.answered
    await screen.clock.advance(1_000)
    screen.monitor.configure({ ...screen.config, services: [service()] })
    expect(answers()).toBe(0)
    found.resolve(true)
    await screen.clock.advance(1_000)
    expect([answers(), verdictOf(screen)]).toEqual([1, undefined])
  })
})

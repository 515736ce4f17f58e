import { describe, expect, it } from 'vitest'
import { mayCorrect } from '#signing/status-request.ts'
import { nodes, record, service, watch, type Answer, type Asked } from './watch.ts'

/** A service whose clock is ahead by this much, and that accepts signatures within a minute of it. */
const strict =
  (aheadMs: number, headers: Readonly<Record<string, string>> = {}) =>
  ({ node: id, wallMs, correctionMs }: Asked): Answer => {
    const date = new Date(wallMs + aheadMs).toUTCString()
    const isGood = Math.abs(correctionMs - aheadMs) <= 60_000
    return isGood ? { body: record(id), date, ...headers } : { status: 401, date, ...headers }
  }

/** A signer with the limits of the real one. */
const signer = (agreedMs?: number) => (correctionMs: number) =>
  mayCorrect(correctionMs, agreedMs) ? undefined : ('time-not-allowed' as const)

const asked = (aheadMs: number, agreedMs?: number) => {
  const corrections: number[] = []
  const answer = strict(aheadMs)
  const screen = watch(
    {},
    {
      sign: signer(agreedMs),
      answer: (one) => {
        corrections.push(one.correctionMs)
        return answer(one)
      },
    },
  )
  screen.world.probed = (one) => answer({ ...one, correctionMs: Number.POSITIVE_INFINITY })
  return { screen, corrections }
}

const near = (ms: number, expectedMs: number) => expect(Math.abs(ms - expectedMs)).toBeLessThan(1_000)

describe('a service that refuses a used nonce', () => {
  const taken = (said: object): Answer => ({ status: 401, body: JSON.stringify(said) })

  it.each([
    ['by code', { code: 'nonce-used', detail: 'No.' }],
    ['in words', { detail: 'A request with this nonce was already accepted.' }],
    ['by another service’s code', { error: 'replay_detected' }],
    ['for a JWT', { message: 'jti has been seen' }],
  ])('%s is asked again at once, without reporting a refusal', async (_how, said) => {
    const screen = watch()
    let times = 0
    screen.world.answer = ({ node: id }) => (times++ === 0 ? taken(said) : { body: record(id) })
    await screen.clock.advance(500)
    expect(screen.seen).toHaveLength(2)
    expect(screen.node(0)).toMatchObject({ answered: 1, failed: 0, episode: undefined })
  })

  it('is asked at most twice per poll', async () => {
    const screen = watch()
    screen.world.answer = () => taken({ code: 'nonce-used' })
    await screen.clock.advance(500)
    expect(screen.seen).toHaveLength(2)
    expect(screen.node(0).episode?.failure.kind).toBe('unauthorized')
  })

  it('is not asked again after another nonce error', async () => {
    const screen = watch()
    screen.world.answer = () => taken({ code: 'nonce-missing', detail: 'The nonce is too short.' })
    await screen.clock.advance(500)
    expect(screen.seen).toHaveLength(1)
  })
})

describe('a service that refuses this computer’s time', () => {
  it.each([73_000, -73_000, 599_000])(
    '%d ms away gets its own time at once and from then on',
    async (aheadMs) => {
      const { screen, corrections } = asked(aheadMs)
      await screen.clock.advance(500)
      expect(corrections).toHaveLength(2)
      expect(corrections[0]).toBe(0)
      near(corrections[1] ?? 0, aheadMs)
      expect(screen.node(0).reading).toBeDefined()
      expect(screen.node(0).episode).toBeUndefined()
      expect(screen.service()?.correction?.state).toBe('used')
      await screen.clock.advance(30_000)
      expect(corrections).toHaveLength(4)
      corrections.slice(2).forEach((ms) => near(ms, aheadMs))
      expect(screen.node(0).failed).toBe(0)
    },
  )

  it('keeps its correction through polls that fail for another reason', async () => {
    const { screen, corrections } = asked(73_000)
    await screen.clock.advance(500)
    const answer = screen.world.answer
    screen.world.answer = () => ({ status: 500 })
    await screen.clock.advance(15_000)
    expect(screen.node(0).episode?.failure.kind).toBe('server-error')
    screen.world.answer = answer
    corrections.length = 0
    await screen.clock.advance(60_000)
    expect(screen.node(0).episode).toBeUndefined()
    corrections.forEach((ms) => near(ms, 73_000))
  })

  it('more than 10 minutes away is asked once, until the operator agrees', async () => {
    const { screen, corrections } = asked(900_000)
    await screen.clock.advance(500)
    expect(corrections).toEqual([0])
    expect(screen.node(0).episode?.failure.kind).toBe('unauthorized')
    expect(screen.service()?.correction?.state).toBe('ask')
    near(screen.service()?.correction?.ms ?? 0, 900_000)
    screen.world.sign = signer(900_000)
    screen.monitor.keyChanged()
    await screen.clock.advance(500)
    expect(corrections).toHaveLength(3)
    expect(screen.service()?.correction?.state).toBe('used')
    expect(screen.node(0).episode).toBeUndefined()
    // A restarted signer does not know the agreement: it signs this computer's time and the operator is asked again.
    screen.world.sign = signer()
    await screen.clock.advance(14_500)
    expect(corrections.at(-1)).toBe(0)
    expect(screen.service()?.correction?.state).toBe('ask')
    screen.world.answer = () => ({ status: 500 })
    await screen.clock.advance(15_000)
    expect(screen.node(0).episode?.failure.kind).toBe('server-error')
    expect(screen.service()?.correction?.state).toBe('ask')
  })

  it('is asked at most twice per poll if the time was not the reason', async () => {
    const screen = watch()
    screen.world.answer = ({ wallMs }) => ({ status: 401, date: new Date(wallMs + 73_000).toUTCString() })
    await screen.clock.advance(500)
    expect(screen.seen).toHaveLength(2)
    expect(screen.service()?.correction?.state).toBe('refused')
    await screen.clock.advance(298_000)
    expect(screen.seen).toHaveLength(14)
    // The key was registered since, at a service whose clock is right although its Date is wrong.
    screen.world.answer = ({ node: id, correctionMs }) =>
      correctionMs === 0 ? { body: record(id) } : { status: 401 }
    screen.monitor.pollNow()
    await screen.clock.advance(500)
    expect(screen.node(0).episode).toBeUndefined()
    expect(screen.service()?.correction).toBeUndefined()
  })

  it.each<[string, Exclude<Answer, 'hang'>]>([
    ['sends no Date', { status: 401 }],
    ['sends a Date close to this computer’s time', { status: 401, date: 'now' }],
    ['answers from a cache', { status: 401, date: 'ahead', age: '7' }],
    ['did not answer itself', { status: 401, date: 'ahead', proxyFailure: 'reset' }],
    ['answers 403', { status: 403, date: 'ahead' }],
    ['answers shortly before the timeout', { status: 401, date: 'ahead', afterMs: 9_600 }],
  ])('that %s is asked once', async (_what, answer) => {
    const screen = watch()
    screen.world.answer = ({ wallMs }) => {
      const aheadMs = 'date' in answer && answer.date === 'ahead' ? 73_000 : 0
      return 'date' in answer ? { ...answer, date: new Date(wallMs + aheadMs).toUTCString() } : answer
    }
    await screen.clock.advance(10_500)
    expect(screen.seen).toHaveLength(1)
    expect(screen.service()?.correction).toBeUndefined()
  })

  it('gets the timeout of one request for both requests', async () => {
    const screen = watch()
    screen.world.answer = ({ wallMs, correctionMs }) =>
      correctionMs === 0
        ? { status: 401, date: new Date(wallMs + 73_000).toUTCString(), afterMs: 4_000 }
        : 'hang'
    await screen.clock.advance(9_999)
    expect(screen.inFlight()).toBe(1)
    await screen.clock.advance(2)
    expect(screen.inFlight()).toBe(0)
    await screen.clock.advance(1_000)
    expect(screen.node(0).episode?.failure).toMatchObject({ kind: 'timeout', afterMs: 6_000 })
  })

  it('is asked with this computer’s time again after that clock is set', async () => {
    const { screen, corrections } = asked(73_000)
    await screen.clock.advance(20_000)
    screen.clock.stepWall(73_000)
    screen.world.answer = (one) => {
      corrections.push(one.correctionMs)
      return strict(0)(one)
    }
    const before = corrections.length
    await screen.clock.advance(90_000)
    expect(corrections.slice(before).every((ms) => ms === 0)).toBe(true)
    expect(corrections.length).toBeGreaterThan(before)
    expect(screen.service()?.correction).toBeUndefined()
  })

  it.each([
    ['key', { key: 'ab'.repeat(32) }],
    ['profile', { profile: 'jwt-eddsa' }],
  ])('is asked with this computer’s time first after its %s changes', async (_what, changed) => {
    const { screen, corrections } = asked(73_000)
    await screen.clock.advance(500)
    screen.monitor.configure({ ...screen.config, services: [service(changed)] })
    await screen.clock.advance(500)
    expect(corrections.slice(2)).toHaveLength(2)
    expect(corrections[2]).toBe(0)
  })
})

it('the service’s time is given up once all requests with it are refused, even without a Date', async () => {
  const screen = watch({ nodeCount: 4 })
  screen.world.answer = strict(73_000)
  await screen.clock.advance(60_000)
  screen.world.answer = (one) => Object.assign(strict(0)(one), { date: undefined })
  await screen.clock.advance(120_000)
  for (let index = 0; index < 4; index++) expect(screen.node(index).episode).toBeUndefined()
})

it('a fleet is refused at most 4 times before all nodes use the service’s time', async () => {
  const screen = watch({ nodes: nodes(40) })
  const answer = strict(73_000)
  let refusals = 0
  screen.world.answer = (one) => {
    const given = answer(one)
    if (given !== 'hang' && 'status' in given && given.status === 401) refusals++
    return given
  }
  await screen.clock.advance(15_000)
  expect(refusals).toBeLessThanOrEqual(4)
  expect(screen.samples().every(({ outcome }) => outcome === 'answered')).toBe(true)
})

it('replicas that refuse requests with the service’s time are named, and the time is still used', async () => {
  const screen = watch({ nodeCount: 6 })
  const answer = strict(73_000)
  screen.world.answer = answer
  await screen.clock.advance(60_000)
  let polls = 0
  screen.world.answer = (one) =>
    polls++ % 5 < 2 ? { status: 401, date: new Date(one.wallMs + 73_000).toUTCString() } : answer(one)
  await screen.clock.advance(180_000)
  const refused = new Set<unknown>()
  for (let second = 0; second < 60; second++) {
    await screen.clock.advance(1_000)
    expect(screen.service()?.correction?.state).toBe('used')
    for (const { evidence, scope } of screen.monitor.snapshot().causes)
      if (evidence.kind === 'failure') refused.add([scope, evidence.alternates].join(' '))
  }
  expect(Array.from(refused)).toEqual(['service true'])
})

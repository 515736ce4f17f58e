import { describe, expect, it } from 'vitest'
import { err, ok } from '#base/result.ts'
import { findProfile, type FindStep } from '#monitor/find-profile.ts'
import type { HttpReply, TransportFailure, TransportRequest } from '#protocol/transport.ts'
import { PROFILE_TRIES } from '#signing/profile-tries.ts'
import { serviceIdOf } from '#record/service.ts'
import type { SignFailure } from '#signing/signer.ts'
import { parseSettings } from '#settings/documents.ts'
import { createFakeClock, TEST_START_MS } from '#test/support/fake-clock.ts'
import { record as recordOf } from './watch.ts'

const NODE = '0xab'
const RECORD = recordOf(NODE)

type Answer = HttpReply | TransportFailure
const refusal: Answer = { status: 401, body: '{}' }
const record: Answer = { status: 200, body: RECORD, contentType: 'application/json' }

/** A search against answers given one after the other; the last one is repeated. */
function search(
  answers: readonly Answer[],
  options: {
    stopAt?: number
    via?: 'proxy'
    unsigned?: SignFailure
    /** No offset of the service's clock is available. */
    hasNoOffset?: true
    withheld?: readonly string[]
    /** How far the service's clock is known to be ahead. */
    aheadMs?: number
    /** The largest correction that the signer allows. */
    correctionMaxMs?: number
  } = {},
) {
  const clock = createFakeClock()
  const asked: { atMs: number; url: string; id: string | undefined }[] = []
  const corrections: (number | undefined)[] = []
  const steps: FindStep[] = []
  const settings = parseSettings({
    version: 1,
    services: [{ baseUrl: 'https://a.example/v1', via: options.via ?? 'direct' }],
  })
  const service = settings.ok ? settings.value.services[0] : undefined
  if (service === undefined) throw new Error('no service')
  const tried = new Set<string>()
  const end = findProfile(
    {
      clock,
      transport: async ({ url, headers }: TransportRequest) => {
        const answer = answers[Math.min(asked.length, answers.length - 1)] ?? refusal
        asked.push({ atMs: clock.monotonicMs(), url, id: headers['X-Try'] })
        return 'kind' in answer ? err(answer) : ok(answer)
      },
      signer: {
        signStatusRequest: async (_service, nodeId, correctionMs, purpose) => {
          const id = purpose && 'tryId' in purpose ? purpose.tryId : ''
          if (options.unsigned !== undefined) return err(options.unsigned)
          if (options.withheld?.includes(id) === true) return err('chain-key')
          if (Math.abs(correctionMs ?? 0) > (options.correctionMaxMs ?? 600_000))
            return err('time-not-allowed')
          if (tried.has(id)) return err('not-configured') // A search must try each profile once.
          tried.add(id)
          corrections.push(correctionMs)
          return ok({ headers: { 'X-Try': id }, query: nodeId === undefined ? '' : `node_id=${nodeId}` })
        },
      },
      ...(options.hasNoOffset === undefined && {
        offset: (id) =>
          id === serviceIdOf(service.baseUrl) && options.aheadMs !== undefined
            ? { lowMs: options.aheadMs - 500, highMs: options.aheadMs + 500 }
            : undefined,
      }),
    },
    { serverUrl: 'http://dash.example', service, nodeId: NODE },
    (step) => {
      steps.push(step)
      return steps.length !== options.stopAt
    },
  )
  return { clock, asked, steps, end, corrections }
}

const run = async (...args: Parameters<typeof search>) => {
  const { clock, end, ...rest } = search(...args)
  await clock.advance(60_000)
  return { end: await end, ...rest }
}

describe('the search for a profile', () => {
  it('tries each profile of the table once, in order, one a second, and reports each answer', async () => {
    const { end, asked, steps } = await run([refusal])
    expect(end).toBe('none')
    expect(asked.map(({ id }) => id)).toEqual(PROFILE_TRIES.map(({ id }) => id))
    const apart = asked.slice(1).map(({ atMs }, index) => atMs - (asked[index]?.atMs ?? 0))
    expect(apart.every((ms) => ms >= 1_000)).toBe(true)
    expect(steps.slice(0, 2)).toEqual([
      { id: 'bearer-v1', state: 'asking' },
      { id: 'bearer-v1', state: 'refused', status: 401 },
    ])
    expect(steps).toHaveLength(2 * PROFILE_TRIES.length)
  })

  it('stops at the first accepted profile', async () => {
    const { end, asked, steps } = await run([refusal, { status: 403, body: '' }, record])
    expect([end, asked.length]).toEqual(['accepted', 3])
    expect(steps.at(-1)).toEqual({ id: PROFILE_TRIES[2]?.id, state: 'accepted', status: 200 })
    expect(asked[0]?.url).toBe('https://a.example/v1/node/status?node_id=0xab')
  })

  it.each<[string, Answer]>([
    ['404', { status: 404, body: '' }],
    ['400', { status: 400, body: '' }],
    ['418', { status: 418, body: '' }],
  ])('goes on after %s', async (_what, answer) => {
    expect((await run([answer])).end).toBe('none')
  })

  it.each<[string, Answer]>([
    ['429', { status: 429, body: '' }],
    ['503', { status: 503, body: '' }],
    ['no answer', { kind: 'unreachable' }],
    ['a time-out', { kind: 'timeout', afterMs: 10_000 }],
    ['a redirect', { kind: 'redirected' }],
    ['a web page', { status: 200, body: '<html>', contentType: 'text/html' }],
  ])('gives up after %s, which says nothing about a signature', async (_what, answer) => {
    const { end, asked } = await run([refusal, answer])
    expect([end, asked.length]).toEqual(['failed', 2])
  })

  it('goes on after a profile whose headers CORS does not allow', async () => {
    const allowed = new Set(['jwt-eddsa', 'jwt-ed25519', 'bearer-window'])
    const answers = PROFILE_TRIES.map(({ id }): Answer => {
      if (!allowed.has(id)) return { kind: 'unreachable' }
      return id === 'bearer-window' ? record : refusal
    })
    const { end, asked } = await run(answers)
    expect([end, asked.at(-1)?.id]).toEqual(['accepted', 'bearer-window'])
  })

  it('gives up before sending anything if nothing can be signed', async () => {
    const { end, asked, steps } = await run([refusal], { unsigned: 'key-locked' })
    expect([end, asked.length]).toEqual(['failed', 0])
    expect(steps.at(-1)).toEqual({ id: 'bearer-v1', state: 'failed' })
  })

  it.each<[string, Answer, 'proxy' | undefined, number]>([
    ['nothing is reached by any profile', { kind: 'unreachable' }, undefined, PROFILE_TRIES.length],
    ['the first request through the proxy reaches nothing', { kind: 'unreachable' }, 'proxy', 1],
    ['the first request times out', { kind: 'timeout', afterMs: 10_000 }, undefined, 1],
  ])('fails when %s', async (_what, answer, via, times) => {
    const { end, asked } = await run([answer], { ...(via && { via }) })
    expect([end, asked.length]).toEqual(['failed', times])
  })

  it('goes on after no answer to a profile with a header that CORS may not allow', async () => {
    const passed = new Set(['Authorization'])
    const isPartly = ({ profile }: (typeof PROFILE_TRIES)[number]) => {
      const names = Object.keys(profile.headers)
      return names.some((name) => passed.has(name)) && names.some((name) => !passed.has(name))
    }
    const firstAllowed = PROFILE_TRIES.findIndex(({ profile }) =>
      Object.keys(profile.headers).every((name) => passed.has(name)),
    )
    const partly = PROFILE_TRIES.findIndex((each, place) => place > firstAllowed && isPartly(each))
    const answers = PROFILE_TRIES.map((each, place): Answer => {
      if (place > partly) return record
      return Object.keys(each.profile.headers).every((name) => passed.has(name))
        ? refusal
        : { kind: 'unreachable' }
    })
    expect(partly).toBeGreaterThan(firstAllowed)
    expect(await run(answers)).toMatchObject({ end: 'accepted', asked: { length: partly + 2 } })
  })

  it('skips a profile that the key may not sign', async () => {
    const [first, second, third] = PROFILE_TRIES.map(({ id }) => id)
    const { end, asked, steps } = await run([refusal, record], { withheld: [second ?? ''] })
    expect([end, asked.map(({ id }) => id)]).toEqual(['accepted', [first, third]])
    expect(steps).toContainEqual({ id: second, state: 'withheld' })
  })

  it.each([
    [1, 0],
    [2, 1],
    [3, 1],
    [4, 2],
  ])('if stopped at report %i has sent %i requests', async (stopAt, times) => {
    const { end, asked } = await run([refusal], { stopAt })
    expect([end, asked.length]).toEqual(['stopped', times])
  })

  it.each([73_000, -73_000, 599_000])(
    'signs with the time of a service %d ms ahead from the first try on',
    async (aheadMs) => {
      const { end, asked, corrections } = await run([refusal, record], { aheadMs })
      expect([end, asked.length, corrections]).toEqual(['accepted', 2, [aheadMs, aheadMs]])
    },
  )

  it('signs with this computer’s time if the clocks agree or the offset is unknown', async () => {
    expect((await run([record], { aheadMs: 1_500 })).corrections).toEqual([undefined])
    expect((await run([record])).corrections).toEqual([undefined])
    expect((await run([record], { hasNoOffset: true })).corrections).toEqual([undefined])
  })

  it('learns the service’s time from an answer, without repeating that try', async () => {
    const late = (seconds: number): HttpReply => ({
      status: 401,
      body: '{}',
      date: new Date(TEST_START_MS + seconds * 1_000).toUTCString(),
    })
    const { asked, corrections } = await run([late(120), record])
    expect(asked.map(({ id }) => id)).toEqual(PROFILE_TRIES.slice(0, 2).map(({ id }) => id))
    expect(corrections[0]).toBeUndefined()
    expect(corrections[1]).toBeCloseTo(120_500, -3)
  })

  it.each([
    [600_000, 'accepted', 1],
    [600_001, 'clock', 0],
    [-86_400_000, 'clock', 0],
  ])(
    'for a service %d ms ahead ends as %s, as the signer allows 10 minutes',
    async (aheadMs, ends, times) => {
      const { end, asked, steps } = await run([record], { aheadMs })
      expect([end, asked.length]).toEqual([ends, times])
      expect(steps.at(-1)?.state).toBe(times === 0 ? 'failed' : 'accepted')
    },
  )

  it('uses the proxy if the service does', async () => {
    const { asked } = await run([record], { via: 'proxy' })
    expect(asked[0]?.url).toMatch(/^http:\/\/dash.example\/proxy\/[^/]+\/node\/status\?node_id=0xab$/)
  })
})

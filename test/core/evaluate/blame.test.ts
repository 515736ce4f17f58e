import { describe, expect, it } from 'vitest'
import { blame, diagnosisOfSome, settled, settledByProbes, type Failing } from '#evaluate/blame.ts'
import type { Clue, Diagnosis } from '#fleet/diagnosis.ts'
import type { PollFailure } from '#protocol/failure.ts'

const SINCE_MS = 1_000
const A = 'https://a.example'
const B = 'https://b.example'
const C = 'https://c.example'
const LOOPBACK = 'http://127.0.0.1:8080'
const hidden: PollFailure = { kind: 'unreachable', hop: 'service' }
const ownDown: PollFailure = { kind: 'unreachable', hop: 'proxy' }
const portal: PollFailure = { kind: 'redirected' }
const webPage: PollFailure = { kind: 'not-json', problem: 'web-page' }
const diagnosis = (likely: Diagnosis['likely'], ...clues: readonly Clue[]): Diagnosis => ({ likely, clues })
const CORS = diagnosis(['cors'])
const ownAnswers = diagnosis(['nothing-answers'], { kind: 'own-server', state: 'answers' })

/** A service that fails as a whole. */
const failing = (
  failure: PollFailure,
  {
    baseUrl = A,
    via = 'proxy',
    answeredMs = Number.NEGATIVE_INFINITY,
    ...more
  }: Partial<Omit<Failing, 'failing'>> & { readonly diagnosis?: Diagnosis } = {},
): Failing => ({
  baseUrl,
  via,
  answeredMs,
  failing: { failure, sinceMs: SINCE_MS, isWhole: true, diagnosis: more.diagnosis },
})
const well = (baseUrl: string, answeredMs: number, via: Failing['via'] = 'proxy') => ({
  baseUrl,
  via,
  answeredMs,
})

describe('the culprit of a failure', () => {
  const plain = (failure: PollFailure, baseUrl: string) => failing(failure, { baseUrl, via: 'direct' })
  const probed = (...likely: Diagnosis['likely']) =>
    failing(hidden, { via: 'direct', diagnosis: diagnosis(likely) })
  const [a, b] = [plain(hidden, A), plain(hidden, B)]
  const [insecureA, insecureB] = ['http://a.example', 'http://b.example']
  const noPage: PollFailure = { kind: 'not-json', problem: 'not-json' }
  const down = failing(ownDown)
  it.each<[culprit: ReturnType<typeof blame>, where: string, Failing, ...Parameters<typeof blame>[1]]>([
    ['service', 'nothing else is monitored', a],
    ['network', 'no service is reached', a, b],
    ['service', 'another service is reached', a, b, well(B, 0)],
    ['service', 'it runs on this computer, whatever else fails', plain(hidden, LOOPBACK), b],
    ['service', 'a probe was answered but the page may not read it', probed('cors', 'too-slow'), b],
    ['service', 'a probe of a signed request was answered', probed('cors-signed'), b],
    ['service', 'a probe was answered but no preflight', probed('preflight'), b],
    ['service', 'a probe was answered with a redirect', probed('redirect'), b],
    ['service', 'a probe was answered too late', probed('too-slow'), b],
    ['network', 'our server is silent, whatever a probe finds', failing(ownDown, { diagnosis: CORS }), b],
    ['service', 'the others show no portal', plain(webPage, insecureA), well(insecureB, 0, 'direct')],
    ['network', 'it is uncertain whether a probe was answered', probed('cors', 'nothing-answers'), b],
    ['portal', 'something else answers for all', plain(webPage, insecureA), plain(portal, insecureB)],
    ['service', 'its answer is no JSON and no page', plain(noPage, insecureA), plain(portal, insecureB)],
    ['own-server', 'it does not answer', down],
    ['own-server', 'its last answer came when the failure started', down, well(B, SINCE_MS)],
    ['service', 'our server has answered since', down, well(B, SINCE_MS + 1)],
    ['own-server', 'the service that answers is polled without it', down, well(B, SINCE_MS + 1, 'direct')],
    ['service', 'a probe got an answer from our server', failing(ownDown, { diagnosis: ownAnswers })],
    ['own-server', 'every service is polled through it', down, failing(ownDown, { baseUrl: B })],
    ['network', 'one polled without it fails too', down, failing(ownDown, { baseUrl: B }), plain(hidden, C)],
  ])('is the %s if %s', (culprit, _where, own, ...others) => {
    expect(blame(own, others)).toBe(culprit)
  })

  it('is a node if others of its service do not fail', () => {
    const own = failing(hidden)
    expect(blame({ ...own, failing: { ...own.failing, isWhole: false } }, [])).toBe('node')
  })
})

describe('the displayed failure', () => {
  const ofService = { kind: 'unreachable', hop: 'service' }
  it.each([
    ['service', ownDown, ofService],
    ['node', ownDown, ofService],
    ['own-server', ownDown, ownDown],
    ['network', ownDown, ownDown],
    ['service', portal, portal],
  ] as const)('with the %s as culprit of %o', (culprit, failure, shown) => {
    expect(settled(failure, culprit)).toEqual(shown)
  })

  it('follows the probes if nothing else is monitored', () => {
    expect(settledByProbes(ownDown, ownAnswers)).toEqual(ofService)
    const more = diagnosis(['nothing-answers'], { kind: 'opaque', answer: 'unknown' }, ...ownAnswers.clues)
    expect(settledByProbes(ownDown, more)).toEqual(ofService)
    expect(
      settledByProbes(ownDown, diagnosis(['own-server'], { kind: 'own-server', state: 'silent' })),
    ).toEqual(ownDown)
    expect(settledByProbes(ownDown, undefined)).toEqual(ownDown)
  })
})

it('a diagnosis while other nodes of the service are answered keeps only a slow answer', () => {
  const clue: Clue = { kind: 'own-server', state: 'answers' }
  expect(diagnosisOfSome(diagnosis(['cors', 'clock'], clue))).toBeUndefined()
  expect(diagnosisOfSome(diagnosis(['cors', 'too-slow'], clue))).toEqual(diagnosis(['too-slow'], clue))
})

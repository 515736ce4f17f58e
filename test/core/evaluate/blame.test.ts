import { describe, expect, it } from 'vitest'
import { blame, diagnosisOfSome, settled, settledByProbes, type Failing } from '#evaluate/blame.ts'
import type { Clue, Diagnosis, LikelyCause } from '#fleet/diagnosis.ts'
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
    ...more
  }: Partial<Omit<Failing, 'failing'>> & { readonly diagnosis?: Diagnosis } = {},
): Failing => ({
  baseUrl,
  via,
  answeredMs: more.answeredMs,
  failing: { failure, sinceMs: SINCE_MS, isWhole: true, diagnosis: more.diagnosis },
})
const well = (baseUrl: string, answeredMs: number, via: Failing['via'] = 'proxy') => ({
  baseUrl,
  via,
  answeredMs,
})

describe('who is to blame', () => {
  const plain = (failure: PollFailure, baseUrl: string) => failing(failure, { baseUrl, via: 'direct' })
  const probed = (...likely: Diagnosis['likely']) =>
    failing(hidden, { via: 'direct', diagnosis: diagnosis(likely) })
  const [a, b] = [plain(hidden, A), plain(hidden, B)]
  const [insecureA, insecureB] = ['http://a.example', 'http://b.example']
  const noPage: PollFailure = { kind: 'not-json', problem: 'not-json' }
  const down = failing(ownDown)
  it.each<[culprit: ReturnType<typeof blame>, where: string, Failing, ...Parameters<typeof blame>[1]]>([
    ['service', 'nothing else is watched', a],
    ['network', 'nothing is reached', a, b],
    ['service', 'another is reached', a, b, well(B, 0)],
    ['service', 'it is of this computer, whatever is lost', plain(hidden, LOOPBACK), b],
    ['service', 'a probe was answered and only the page may not read it', probed('cors', 'too-slow'), b],
    ['service', 'a probe of a signed request was answered', probed('cors-signed'), b],
    ['service', 'a probe was answered, and no preflight', probed('preflight'), b],
    ['service', 'a probe was answered with a redirect', probed('redirect'), b],
    ['service', 'a probe was answered too late', probed('too-slow'), b],
    ['network', 'its server says nothing, whatever a probe says', failing(ownDown, { diagnosis: CORS }), b],
    ['service', 'who answers for it is no portal', plain(webPage, insecureA), well(insecureB, 0, 'direct')],
    ['network', 'a probe may have been answered and may not', probed('cors', 'nothing-answers'), b],
    ['portal', 'somebody else answers for all', plain(webPage, insecureA), plain(portal, insecureB)],
    ['service', 'no JSON came but no page either', plain(noPage, insecureA), plain(portal, insecureB)],
    ['own-server', 'it says nothing', down],
    ['own-server', 'it answered in that moment last', down, well(B, SINCE_MS)],
    ['service', 'the dashboard’s server answers since', down, well(B, SINCE_MS + 1)],
    ['own-server', 'what answers is asked without it', down, well(B, SINCE_MS + 1, 'direct')],
    ['service', 'a probe had that server answer', failing(ownDown, { diagnosis: ownAnswers })],
    ['own-server', 'each service is asked through it', down, failing(ownDown, { baseUrl: B })],
    ['network', 'one is lost without it', down, failing(ownDown, { baseUrl: B }), plain(hidden, C)],
  ])('the %s, where %s', (culprit, _where, own, ...others) => {
    expect(blame(own, others)).toBe(culprit)
  })

  it('a node, where others of its service do not fail', () => {
    const own = failing(hidden)
    expect(blame({ ...own, failing: { ...own.failing, isWhole: false } }, [])).toBe('node')
  })
})

describe('a failure is shown as the service’s', () => {
  const ofService = { kind: 'unreachable', hop: 'service' }
  it.each([
    ['service', ownDown, ofService],
    ['node', ownDown, ofService],
    ['own-server', ownDown, ownDown],
    ['network', ownDown, ownDown],
    ['service', portal, portal],
    [
      'service',
      { kind: 'timeout', afterMs: 5, hop: 'service' },
      { kind: 'timeout', afterMs: 5, hop: 'service' },
    ],
  ] as const)('%s is to blame: %o', (culprit, failure, shown) => {
    expect(settled(failure, culprit)).toEqual(shown)
  })

  it('by what probes found, where nothing else is watched', () => {
    expect(settledByProbes(ownDown, ownAnswers)).toEqual(ofService)
    const more = diagnosis(['nothing-answers'], { kind: 'opaque', answer: 'unknown' }, ...ownAnswers.clues)
    expect(settledByProbes(ownDown, more)).toEqual(ofService)
    expect(
      settledByProbes(ownDown, diagnosis(['own-server'], { kind: 'own-server', state: 'silent' })),
    ).toEqual(ownDown)
    expect(settledByProbes(ownDown, undefined)).toEqual(ownDown)
  })
})

describe('what is left of a diagnosis where other nodes of the service are answered', () => {
  it.each<LikelyCause>([
    'clock',
    'key-not-registered',
    'encoding',
    'message',
    'header-stripped',
    'in-front',
    'preflight',
    'cors',
    'cors-signed',
    'was-readable',
    'local-network',
    'nothing-answers',
    'own-server',
    'redirect',
    'captive-portal',
    'sign-in-page',
  ])('is not %s, which would hold of all of them', (cause) => {
    expect(diagnosisOfSome(diagnosis([cause]))).toBeUndefined()
    const clue: Clue = { kind: 'own-server', state: 'answers' }
    expect(diagnosisOfSome(diagnosis([cause, 'too-slow'], clue))).toEqual(diagnosis(['too-slow'], clue))
  })
})

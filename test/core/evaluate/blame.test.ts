import { describe, expect, it } from 'vitest'
import { blame, diagnosisOfSome, settled, settledByProbes, type Failing } from '#evaluate/blame.ts'
import type { Clue, Diagnosis, LikelyCause } from '#fleet/diagnosis.ts'
import type { PollFailure } from '#protocol/failure.ts'

const SINCE_MS = 1_000
const A = 'https://a.example'
const B = 'https://b.example'
const LOOPBACK = 'http://127.0.0.1:8080'
const hidden: PollFailure = { kind: 'unreachable', hop: 'service' }
const ownDown: PollFailure = { kind: 'unreachable', hop: 'proxy' }
const portal: PollFailure = { kind: 'redirected' }
const webPage: PollFailure = { kind: 'not-json', problem: 'web-page' }
const diagnosis = (likely: Diagnosis['likely'], ...clues: readonly Clue[]): Diagnosis => ({ likely, clues })
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
  it.each<[string, string, Failing, Parameters<typeof blame>[1]]>([
    ['the service, where nothing else is watched', 'service', plain(hidden, A), []],
    ['the network, where nothing is reached', 'network', plain(hidden, A), [plain(hidden, B)]],
    ['the service, where another is reached', 'service', plain(hidden, A), [plain(hidden, B), well(B, 0)]],
    [
      'the service of this computer, whatever is lost',
      'service',
      plain(hidden, LOOPBACK),
      [plain(hidden, B)],
    ],
    [
      'the service, where a probe was answered and only the page may not read it',
      'service',
      failing(hidden, { via: 'direct', diagnosis: diagnosis(['cors', 'too-slow']) }),
      [plain(hidden, B)],
    ],
    ...(['cors-signed', 'preflight', 'redirect', 'too-slow'] as const).map(
      (cause): [string, string, Failing, Parameters<typeof blame>[1]] => [
        `the service, where a probe was answered: ${cause}`,
        'service',
        failing(hidden, { via: 'direct', diagnosis: diagnosis([cause]) }),
        [plain(hidden, B)],
      ],
    ),
    [
      'the network, where the dashboard’s server says nothing, whatever a probe of this page was answered',
      'network',
      failing(ownDown, { diagnosis: diagnosis(['cors']) }),
      [plain(hidden, B)],
    ],
    [
      'the service, where somebody else answers for it and another is well',
      'service',
      plain(webPage, 'http://a.example'),
      [well('http://b.example', 0, 'direct')],
    ],
    [
      'the network, where a probe may have been answered and may not',
      'network',
      failing(hidden, { via: 'direct', diagnosis: diagnosis(['cors', 'nothing-answers']) }),
      [plain(hidden, B)],
    ],
    [
      'a portal, where somebody else answers for all',
      'portal',
      plain(webPage, 'http://a.example'),
      [plain(portal, 'http://b.example')],
    ],
    [
      'the service, where an answer is no JSON but no page either',
      'service',
      plain({ kind: 'not-json', problem: 'not-json' }, 'http://a.example'),
      [plain(portal, 'http://b.example')],
    ],
    ['the dashboard’s server, where it says nothing', 'own-server', failing(ownDown), []],
    [
      'the dashboard’s server, where it answered in that moment last',
      'own-server',
      failing(ownDown),
      [well(B, SINCE_MS)],
    ],
    [
      'the service, where the dashboard’s server answers since',
      'service',
      failing(ownDown),
      [well(B, SINCE_MS + 1)],
    ],
    [
      'the dashboard’s server, where what answers is asked without it',
      'own-server',
      failing(ownDown),
      [well(B, SINCE_MS + 1, 'direct')],
    ],
    [
      'the service, where a probe had the dashboard’s server answer',
      'service',
      failing(ownDown, { diagnosis: ownAnswers }),
      [],
    ],
    [
      'the dashboard’s server, where each service is asked through it',
      'own-server',
      failing(ownDown),
      [failing(ownDown, { baseUrl: B })],
    ],
    [
      'the network, where one is lost that is asked without the dashboard’s server',
      'network',
      failing(ownDown),
      [failing(ownDown, { baseUrl: B }), plain(hidden, 'https://c.example')],
    ],
  ])('%s', (_, culprit, own, others) => {
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

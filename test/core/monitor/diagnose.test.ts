import { describe, expect, it } from 'vitest'
import type { AnswerWords } from '#protocol/answer-words.ts'
import type { PollFailure } from '#protocol/failure.ts'
import { diagnose, type Findings } from '#monitor/diagnose.ts'
import type { ProbeAnswer, Probes } from '#fleet/diagnosis.ts'
import { PROBLEMS, type ProblemCode } from '#reference/problem.ts'

const answered = (words: Partial<AnswerWords> = {}): ProbeAnswer => ({
  kind: 'answered',
  words: { status: 401, ...words },
})
const found = (failure: PollFailure, probes: Probes, given: Partial<Findings> = {}) =>
  diagnose({
    failure,
    signed: undefined,
    probes,
    offset: { lowMs: -500, highMs: 500 },
    correction: undefined,
    isPlain: false,
    wasReadable: false,
    isProfileGuessed: false,
    ...given,
  })
const refused = (signed: Partial<AnswerWords>, probes: Probes = {}, given: Partial<Findings> = {}) =>
  found({ kind: 'unauthorized' }, probes, { signed: { status: 401, ...signed }, ...given })?.likely

/** The reference service's words for a problem. */
const says = (code: ProblemCode): Partial<AnswerWords> => ({ code, text: PROBLEMS[code][1] })
const MISSING = answered(says('credentials-missing'))
const MALFORMED = answered(says('credentials-malformed'))
const USUAL = { unsigned: MISSING, headersWithoutSignature: MALFORMED }
const UNTOLD = { unsigned: answered(), headersWithoutSignature: answered() }

describe('a refusal', () => {
  it.each<[ProblemCode, readonly string[]]>([
    ['key-not-registered', ['key-not-registered']],
    ['key-expired', ['key-not-registered']],
    ['time-outside-window', ['encoding', 'clock']],
    ['credentials-missing', ['header-stripped']],
    ['credentials-malformed', ['encoding']],
    ['signature-invalid', ['message', 'key-not-registered']],
  ])('is explained by the reference service’s code: %s', (code, expected) => {
    const stripped = { unsigned: MISSING, headersWithoutSignature: MISSING }
    expect(refused(says(code), code === 'credentials-missing' ? stripped : USUAL)).toEqual(expected)
  })

  it('is not blamed on the key first if the profile was guessed, unless the service says so', () => {
    const guessed = { isProfileGuessed: true }
    expect(refused({}, UNTOLD, guessed)).toEqual(['message', 'encoding', 'key-not-registered'])
    expect(refused(says('signature-invalid'), USUAL, guessed)).toEqual(['message', 'key-not-registered'])
    expect(refused(says('key-not-registered'), USUAL, guessed)).toEqual(['key-not-registered'])
  })

  it.each<[string, readonly string[]]>([
    ['Missing authorization header', ['header-stripped']],
    ['Authentication required', ['header-stripped']],
    ['No credentials given', ['header-stripped']],
    ['Unknown key', ['key-not-registered']],
    ['unregistered public key', ['key-not-registered']],
    ['Key has been revoked: key revoked', ['key-not-registered']],
    ['Request timestamp too old', ['encoding', 'clock']],
    ['A request with this nonce was already accepted.', ['repeated']],
    ['The credential expired on 2026-05-31.', ['key-not-registered']],
    ['Signature must be base64', ['encoding']],
    ['Invalid signature', ['message', 'key-not-registered']],
    ['Unauthorized', ['key-not-registered', 'message', 'encoding']],
    ['Timestamp out of range', ['encoding', 'clock']],
  ])('is explained by the words “%s”', (text, expected) => {
    expect(refused({ text }, UNTOLD)).toEqual(
      expected[0] === 'key-not-registered' && expected.length === 3
        ? ['key-not-registered', 'message']
        : expected[0] === 'header-stripped'
          ? ['encoding', 'header-stripped']
          : expected,
    )
    expect(refused({ text })).toEqual(expected)
  })

  it('is explained by the answers to unsigned probes if its words say nothing', () => {
    const a = answered({ text: 'a' })
    const b = answered({ text: 'b' })
    expect(refused({ text: 'a' }, { unsigned: a, headersWithoutSignature: b })).toEqual(['header-stripped'])
    expect(refused({ text: 'a' }, { unsigned: b, headersWithoutSignature: a })).toEqual(['encoding'])
    expect(refused({ text: 'a' }, { unsigned: b, headersWithoutSignature: b })).toEqual([
      'key-not-registered',
      'message',
    ])
    expect(refused({ text: 'a' }, { unsigned: a, headersWithoutSignature: a })).toEqual([
      'key-not-registered',
      'message',
      'encoding',
    ])
    expect(refused({}, UNTOLD)).toEqual(['key-not-registered', 'message', 'encoding'])
    // One comparison alone is not enough.
    for (const probes of [{ unsigned: b }, { headersWithoutSignature: b }])
      expect(refused({ text: 'a' }, probes)).toEqual(['key-not-registered', 'message', 'encoding'])
  })

  it('for an invalid signature may be an encoding if junk gets the same words', () => {
    const headersWithoutSignature = answered(says('signature-invalid'))
    expect(refused(says('signature-invalid'), { unsigned: MISSING, headersWithoutSignature })).toEqual([
      'encoding',
      'message',
      'key-not-registered',
    ])
  })

  it('is blamed on the clock for a large offset, unless the corrected time was refused too', () => {
    const offset = { lowMs: 899_500, highMs: 900_500 }
    const ask = { correction: { ms: 900_000, state: 'ask' as const }, offset }
    expect(refused({ text: 'Unknown key' }, USUAL, ask)).toEqual(['clock'])
    const late = { offset: { lowMs: 72_500, highMs: 73_500 } }
    expect(refused({}, UNTOLD, late)).toEqual(['clock', 'key-not-registered', 'message'])
    const second = { ...late, correction: { ms: 73_000, state: 'refused' as const } }
    expect(refused({}, UNTOLD, second)).toEqual(['key-not-registered', 'message', 'encoding'])
    expect(refused({ text: 'too old' }, USUAL, second)).toEqual(['clock', 'message'])
  })

  it('is blamed on the clock by heartbeats only if they are certainly more than 30 s apart', () => {
    const by = 'heartbeats' as const
    const far = { offset: { lowMs: 30_001, highMs: 50_000 }, by }
    expect(refused({}, UNTOLD, far)).toEqual(['clock', 'key-not-registered', 'message'])
    const near = { offset: { lowMs: 30_000, highMs: 50_000 }, by }
    expect(refused({}, UNTOLD, near)).toEqual(['key-not-registered', 'message', 'encoding'])
    expect(found({ kind: 'unauthorized' }, UNTOLD, near)?.clues).toContainEqual({ kind: 'clocks', ...near })
  })

  it.each([
    ['Basic', ['in-front']],
    ['NTLM', ['in-front']],
    ['Basic-Token', ['key-not-registered', 'message', 'encoding']],
    ['X-Basic', ['key-not-registered', 'message', 'encoding']],
  ])('with a challenge %s', (scheme, expected) => {
    expect(refused({ challenge: { scheme, namesError: false } })).toEqual(expected)
  })

  it('with a web page comes from something in front of the service', () => {
    expect(refused({ page: '' })).toEqual(['in-front'])
    const denied = { signed: { status: 403, page: 'Access denied' } }
    expect(found({ kind: 'forbidden' }, {}, denied)?.likely).toEqual(['in-front'])
    expect(found({ kind: 'forbidden' }, {}, { signed: { status: 403 } })).toBeUndefined()
  })

  it('lists every clue', () => {
    const correction = { ms: 73_000, state: 'refused' as const }
    const offset = { lowMs: 72_500, highMs: 73_500 }
    const signed = { status: 401, ...says('signature-invalid') }
    expect(found({ kind: 'unauthorized' }, USUAL, { signed, correction, offset })?.clues).toEqual([
      { kind: 'said', words: signed },
      { kind: 'unsigned', answer: MISSING, same: false },
      { kind: 'headersWithoutSignature', answer: MALFORMED, same: false },
      { kind: 'clocks', offset },
      { kind: 'correction', correction },
    ])
  })
})

describe('silence', () => {
  const SILENT: ProbeAnswer = { kind: 'unreachable' }
  const LATE: ProbeAnswer = { kind: 'timeout' }
  const gone = { kind: 'unreachable', hop: 'service' } as const
  const slow = { kind: 'timeout', afterMs: 10_000, hop: 'service' } as const
  const viaProxy = { kind: 'unreachable', hop: 'proxy' } as const
  const both = { unsigned: answered(), headersWithoutSignature: answered() }
  const untold = (opaque: 'nothing' | 'unknown'): Probes => ({
    unsigned: SILENT,
    opaque,
    permission: 'unknown',
  })
  const asking = { unsigned: LATE, opaque: 'timeout', permission: 'prompt' } as const
  const open = { unsigned: SILENT, opaque: 'nothing', permission: 'granted' } as const
  it.each<[string, PollFailure, Probes, ...(readonly string[])]>([
    ['OPTIONS refused', gone, { unsigned: answered(), headersWithoutSignature: SILENT }, 'preflight'],
    ['OPTIONS never answered', slow, { unsigned: answered(), headersWithoutSignature: LATE }, 'preflight'],
    ['signed answers unreadable', gone, both, 'cors-signed'],
    ['signed requests slow', slow, both, 'too-slow'],
    ['a large answer to an unsigned request', gone, { unsigned: { kind: 'too-large' } }, 'cors-signed'],
    ['a truncated answer', gone, { unsigned: { kind: 'cut-off' } }, 'cors-signed'],
    ['no unsigned request made', gone, { opaque: 'nothing' }, 'nothing-answers'],
    ['this dashboard’s server answers', viaProxy, { ownServer: 'answers' }, 'too-slow'],
    ['this dashboard’s server is silent', viaProxy, { ownServer: 'silent' }, 'own-server'],
    ['an unreadable redirect', gone, { unsigned: { kind: 'redirected' } }, 'redirect'],
    ['something answers', gone, { unsigned: SILENT, opaque: 'answered', permission: 'denied' }, 'cors'],
    ['something answers, late', slow, { unsigned: LATE, opaque: 'answered' }, 'too-slow'],
    ['no permission', gone, { unsigned: SILENT, opaque: 'nothing', permission: 'denied' }, 'local-network'],
    ['F 26: no permission yet: nobody has answered the browser’s question', slow, asking, 'local-network'],
    ['permission granted', gone, open, 'nothing-answers'],
    ['no answer', gone, { unsigned: SILENT, opaque: 'nothing' }, 'nothing-answers'],
    ['no answer, permission unknown', gone, untold('nothing'), 'nothing-answers', 'local-network'],
    ['answer and permission unknown', gone, untold('unknown'), 'nothing-answers', 'cors', 'local-network'],
    ['no answer in time', slow, { unsigned: LATE, opaque: 'timeout' }, 'too-slow'],
    ['no answer from the root in time', gone, { unsigned: SILENT, opaque: 'timeout' }, 'too-slow'],
    ['answer unknown', gone, { unsigned: SILENT, opaque: 'unknown' }, 'nothing-answers', 'cors'],
  ])('%s', (_what, failure, probes, ...expected) => {
    expect(found(failure, probes)?.likely).toEqual(expected)
  })

  it.each<[string, Probes, readonly string[]]>([
    ['answers unsigned requests', { unsigned: answered() }, ['was-readable']],
    ['ignores its headers', { unsigned: answered(), headersWithoutSignature: SILENT }, ['was-readable']],
    ['answers unreadably', { unsigned: SILENT, opaque: 'answered' }, ['was-readable']],
    ['does not answer', { unsigned: SILENT, opaque: 'nothing' }, ['nothing-answers']],
    ['may or may not answer', { unsigned: SILENT, opaque: 'unknown' }, ['nothing-answers']],
  ])(
    'of a service whose answers this page could read, and that %s, is not blamed on CORS',
    (_what, probes, likely) => {
      expect(found(gone, probes, { wasReadable: true })?.likely).toEqual(likely)
    },
  )
})

describe('a foreign answer', () => {
  const page = { kind: 'not-json', problem: 'web-page' } as const
  const login = answered({ status: 200, page: 'Sign in' })
  const plain = { isPlain: true }
  const noRecord = { kind: 'not-json', problem: 'not-an-object' } as const
  const redirect = { kind: 'redirected' } as const
  const teapot = { kind: 'unexpected-status', status: 418 } as const
  const seen = (more: Partial<AnswerWords> = {}) => ({ signed: { status: 418, ...more } })
  const own = { unsigned: answered() }
  it.each<[string, PollFailure, Probes, Partial<Findings>, ...(readonly string[])]>([
    ['a page over http', page, { unsigned: login }, plain, 'captive-portal', 'sign-in-page'],
    ['a page over https', page, { unsigned: login }, {}, 'sign-in-page'],
    ['a page to the signed request only', page, own, plain, 'sign-in-page'],
    ['JSON that is not a record', noRecord, own, plain],
    ['a redirect over http', redirect, { unsigned: redirect }, plain, 'captive-portal', 'redirect'],
    ['a redirect without probes', redirect, {}, plain, 'redirect'],
    ['a redirect over https', redirect, { unsigned: redirect }, {}, 'redirect'],
    ['a redirect of the signed request only', redirect, own, plain, 'redirect'],
    ['an unexpected status with a page', teapot, { unsigned: login }, seen({ page: 'x' }), 'sign-in-page'],
    ['an unexpected status without a page', teapot, {}, seen()],
    ['an error of the service', { kind: 'server-error', status: 500 }, { unsigned: login }, {}],
  ])('%s', (_what, failure, probes, given, ...expected) => {
    expect(found(failure, probes, given)?.likely).toEqual(expected.length === 0 ? undefined : expected)
  })

  it('over http lists that as a clue', () => {
    expect(found(page, { unsigned: login }, plain)?.clues.at(-1)).toEqual({ kind: 'plain-http' })
    expect(found(page, { unsigned: login })?.clues.at(-1)).toEqual({
      kind: 'unsigned',
      answer: login,
      same: undefined,
    })
  })
})

import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { err } from '#base/result.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { parseBy, parsePublicBy, parseServerFile, parseSettings } from '#settings/documents.ts'
import { RulePartsSchema } from '#settings/schema.ts'
import { valueOf } from '#test/support/value-of.ts'

const isRead = (given: object): boolean => parseSettings({ version: 1, ...given }).ok
const DAY_MS = 86_400_000
const BASE = 'https://a.example'
const rule = (condition: object, more: object = {}) => ({
  alarms: { rules: [{ id: 'mine', scope: { for: 'all' }, condition, ...more }] },
})
const stake = { metric: 'stake', test: 'below', limit: 1 }
const window = (when: object) => ({
  alarms: { maintenance: [{ id: 'w', scope: { for: 'all' }, when }] },
})
const weekly = { kind: 'weekly', days: [1], startMinute: 0, minutes: 60 }
const serviceWith = (more: object) => ({ services: [{ baseUrl: BASE, ...more }] })
const tagRule = (parts: object) => ({ rules: [{ for: 'tag', tag: 'eu', ...parts }] })
const many = <T>(count: number, one: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => one(index))

/** A name, settings with this value, its minimum, its maximum, and a step that takes it beyond them. */
const NUMBERS: readonly (readonly [string, (value: number) => object, number, number, step?: number])[] = [
  ['a service’s interval', (pollIntervalMs) => serviceWith({ pollIntervalMs }), 1_000, DAY_MS],
  ['a node’s interval', (pollIntervalMs) => ({ nodes: [{ pollIntervalMs }] }), 1_000, DAY_MS],
  ['a timeout', (timeoutMs) => serviceWith({ timeoutMs }), DEFAULTS.timeoutMinMs, DEFAULTS.timeoutMaxMs],
  ['a pace', (pace) => serviceWith({ pace }), DEFAULTS.paceMin, DEFAULTS.paceMax, 0.01],
  ['days of samples', (samplesDays) => ({ history: { samplesDays } }), 1, 3_650],
  ['days of rollups', (rollupsDays) => ({ history: { rollupsDays } }), 1, 3_650],
  ['a budget', (budgetBytes) => ({ history: { budgetBytes } }), 10_000_000, 1e12],
  ['decimals', (stakeDecimals) => tagRule({ units: { stakeDecimals } }), 0, 36],
  ['a period', (heartbeatPeriodMs) => tagRule({ units: { heartbeatPeriodMs } }), 1_000, DAY_MS],
  ['a lower share', (participationBelow) => tagRule({ limits: { participationBelow } }), 0, 1, 0.001],
  ['an upper share', (participationAbove) => tagRule({ limits: { participationAbove } }), 0, 1, 0.001],
  [
    'a late heartbeat',
    (heartbeatWarningMs) => tagRule({ limits: { heartbeatWarningMs } }),
    1_000,
    30 * DAY_MS,
  ],
  ['a dead node', (heartbeatCriticalMs) => tagRule({ limits: { heartbeatCriticalMs } }), 1_000, 30 * DAY_MS],
  ['a slow answer', (answerTimeAboveMs) => tagRule({ limits: { answerTimeAboveMs } }), 1, 120_000],
  ['a limit', (limit) => rule({ ...stake, limit }), 0, 1e15],
  ['an age', (limit) => rule({ metric: 'heartbeat', test: 'old', limit }), 1_000, 30 * DAY_MS],
  ['an unchanged time', (limit) => rule({ metric: 'proof', test: 'unchanged', limit }), 1_000, 30 * DAY_MS],
  ['a rate', (limit) => rule({ metric: 'threats', test: 'rate-above', limit }), 0, 1e12],
  [
    'a rate’s window',
    (windowMs) => rule({ metric: 'threats', test: 'rate-below', limit: 1, windowMs }),
    60_000,
    DAY_MS,
  ],
  ['a window', (windowMs) => rule({ metric: 'threats', test: 'stuck', windowMs }), 60_000, DAY_MS],
  [
    'a percentile’s window',
    (windowMs) => rule({ metric: 'answerTime', test: 'p95-above', limit: 1, windowMs }),
    60_000,
    DAY_MS,
  ],
  ['bad polls', (polls) => rule(stake, { raiseAfter: { polls, of: 21 } }), 1, 21],
  ['considered polls', (of) => rule(stake, { raiseAfter: { polls: 1, of } }), 1, 21],
  ['good polls', (clearAfter) => rule(stake, { clearAfter }), 1, 21],
  ['a for time', (forMs) => rule(stake, { forMs }), 0, DAY_MS],
  ['a keep-firing time', (keepFiringForMs) => rule(stake, { keepFiringForMs }), 0, DAY_MS],
  ['a day', (day) => window({ ...weekly, days: [day] }), 0, 6],
  ['a minute', (startMinute) => window({ ...weekly, startMinute }), 0, 1_439],
  ['minutes', (minutes) => window({ ...weekly, minutes }), 1, 1_440],
]

describe('a number of the settings', () => {
  for (const [what, withValue, least, most, step = 1] of NUMBERS)
    it(`${what} is within its limits`, () => {
      expect([least, most].map(withValue).map(isRead)).toEqual([true, true])
      expect([least - step, most + step].map(withValue).map(isRead)).toEqual([false, false])
    })
})

/** The most that the settings accept of something, and a value just beyond it. */
type End = readonly [what: string, withValue: (value: never) => object, most: unknown, beyond: unknown]
const end = <T>(what: string, withValue: (value: T) => object, most: T, beyond: T): End => [
  what,
  withValue,
  most,
  beyond,
]
const letters = (count: number) => 'x'.repeat(count)
const view = (name: string, query = '') => ({ views: [{ name, query }] })
const unit = (units: object) => tagRule({ units })
const leastStake = (stakeBelow: string) => tagRule({ limits: { stakeBelow } })
const words = (...all: readonly string[]) =>
  unit({ statusWords: all.map((word) => ({ word, means: 'bad' })) })
const extra = (extraFields: readonly string[]) => unit({ extraFields })
const exactLimit = (limit: string) => rule({ ...stake, limit })
const ruleId = (id: string) => rule(stake, { id })
const metricId = (metric: string) => rule({ ...stake, metric })
const days = (all: readonly number[]) => window({ ...weekly, days: all })
const key = (text: string) => serviceWith({ key: text })

const { notesCharsMax: NOTES, viewsMax: VIEWS, rulesMax: RULES } = DEFAULTS

const ENDS: readonly End[] = [
  end('a label', (label: string) => serviceWith({ label }), letters(60), letters(61)),
  end('notes', (count: number) => ({ nodes: [{ notes: letters(count) }] }), NOTES, NOTES + 1),
  end('a view’s name', view, letters(60), letters(61)),
  end('a view’s required name', view, 'x', ' '),
  end('a view’s query', (query: string) => view('x', query), letters(4_000), letters(4_001)),
  end(
    'services',
    (count: number) => ({ services: many(count, (i) => ({ baseUrl: `s${i}.example` })) }),
    16,
    17,
  ),
  end(
    'views',
    (count: number) => ({ views: many(count, (i) => ({ name: `v${i}`, query: '' })) }),
    VIEWS,
    VIEWS + 1,
  ),
  end(
    'rules',
    (count: number) => ({ rules: many(count, () => ({ for: 'tag', tag: 'eu' })) }),
    RULES,
    RULES + 1,
  ),
  end('a symbol', (stakeSymbol: string) => unit({ stakeSymbol }), letters(12), letters(13)),
  end('status words', (count: number) => words(...many(count, (i) => `W${i}`)), 64, 65),
  end('a status word', words, letters(128), letters(129)),
  end('a nonempty status word', words, 'x', ''),
  end('fields', (count: number) => extra(many(count, (i) => `f${i}`)), 8, 9),
  end('a field', extra, [letters(64)], [letters(65)]),
  end('a nonempty field', extra, ['x'], ['']),
  end('a minimum stake', leastStake, `${'1'.repeat(40)}.${'1'.repeat(36)}`, `${'1'.repeat(41)}.1`),
  end('a minimum stake’s fraction', leastStake, '0.5', `0.${'1'.repeat(37)}`),
  end('a minimum stake’s form', leastStake, '5', '5x'),
  end('a minimum stake’s sign', leastStake, '5', '-5'),
  end('an exact limit', exactLimit, '12.5', '12.'),
  end('an exact limit’s beginning', exactLimit, '12', 'x12'),
  end('an exact limit’s end', exactLimit, '12', '12 '),
  end('a rule’s id', ruleId, 'a-1'.padEnd(40, 'x'), 'a'.repeat(41)),
  end('a rule’s id’s letters', ruleId, 'a', 'A'),
  end('a rule’s id’s end', ruleId, 'a', 'a '),
  end('a metric', metricId, `a${'B'.repeat(39)}`, `a${'B'.repeat(40)}`),
  end('a metric’s beginning', metricId, 'a0', '0a'),
  end('a metric’s end', metricId, 'a', 'a-'),
  end('what to do', (todo: string) => rule(stake, { todo }), letters(2_000), letters(2_001)),
  end('bad polls of three', (polls: number) => rule(stake, { raiseAfter: { polls, of: 3 } }), 3, 4),
  end('days', days, [0, 1, 2, 3, 4, 5, 6], [0, 1, 2, 3, 4, 5, 6, 0]),
  end('at least one day', days, [1], []),
  end('the start of a single window', (fromMs: number) => window({ kind: 'once', fromMs, toMs: 2 }), 1, 2),
  end(
    'a share’s deadband',
    (deadband: number) => rule({ metric: 'participation', test: 'below', limit: 0.5, deadband }),
    1,
    1.1,
  ),
  end(
    'the host of a direct service',
    (baseUrl: string) => ({ services: [{ baseUrl, via: 'direct' }] }),
    BASE,
    'http://a_b',
  ),
  end('a key', key, 'ab'.repeat(32), `${'ab'.repeat(32)}0`),
  end('a key’s beginning', key, 'ab'.repeat(32), `0${'ab'.repeat(32)}`),
]

describe('the settings accept', () => {
  it.each(ENDS)('%s at its limit, and nothing beyond', (_what, withValue, most, beyond) => {
    const isTaken = (value: unknown) => isRead(withValue(value as never))
    expect([isTaken(most), isTaken(beyond)]).toEqual([true, false])
  })

  it('a rule of each kind, with its defaults', () => {
    const parsed = parseSettings({ version: 1, ...rule(stake) })
    expect(parsed.ok && parsed.value.alarms.rules).toEqual([
      {
        id: 'mine',
        off: false,
        scope: { for: 'all' },
        condition: stake,
        severity: 'warning',
        raiseAfter: { polls: 2, of: 2 },
        forMs: 0,
        clearAfter: DEFAULTS.alarmClearAfter,
        keepFiringForMs: 0,
      },
    ])
    for (const [condition, filled] of [
      [
        { metric: 'threats', test: 'rate-above', limit: 3 },
        { windowMs: 3_600_000, deadband: 0 },
      ],
      [
        { metric: 'threats', test: 'rate-below', limit: 3 },
        { windowMs: 3_600_000, deadband: 0 },
      ],
      [{ metric: 'answerTime', test: 'p95-above', limit: 3 }, { windowMs: 600_000 }],
      [{ metric: 'proof', test: 'changed' }, {}],
      [{ metric: 'proof', test: 'wrong' }, {}],
    ] as const) {
      const read = parseSettings({ version: 1, ...rule(condition) })
      expect(read.ok && read.value.alarms.rules[0]?.condition).toEqual({ ...condition, ...filled })
    }
  })

  it('every unit and meaning, and leave unset members open', () => {
    for (const means of ['good', 'warning', 'bad'])
      expect(isRead(unit({ statusWords: [{ word: 'x', means }] }))).toBe(true)
    for (const heartbeat of ['detect', 's', 'ms', 'us', 'ns']) expect(isRead(unit({ heartbeat }))).toBe(true)
    for (const participation of ['detect', 'ratio', 'percent'])
      expect(isRead(unit({ participation }))).toBe(true)
    expect(isRead(unit({ heartbeatPeriodMs: 'detect' }))).toBe(true)
    const read = parseSettings({ version: 1, ...tagRule({ limits: { stakeBelow: null } }) })
    expect(read.ok && read.value.rules).toEqual([
      { for: 'tag', tag: 'eu', units: {}, limits: { stakeBelow: null } },
    ])
  })

  it('a host with an underscore only through the proxy, and explain why', () => {
    expect(isRead({ services: [{ baseUrl: 'http://a_b' }] })).toBe(true)
    const direct = parseSettings({ version: 1, services: [{ baseUrl: 'http://a_b', via: 'direct' }] })
    expect(direct).toMatchObject(
      err([{ path: 'services.0.via', message: expect.stringContaining('underscore') }]),
    )
  })
})

describe('a refused setting', () => {
  const profile = (given: string) => serviceWith({ profile: given })
  const TAGS = Array.from({ length: 17 }, (_, index) => `t${index}`)
  it.each([
    ['a rule’s id', rule(stake, { id: 'A' }), 'is not an id: use a-z, 0-9 and -'],
    ['a metric', rule({ ...stake, metric: '0a' }), 'is not the id of a metric'],
    ['a minimum stake', tagRule({ limits: { stakeBelow: '5x' } }), 'is not a plain decimal number'],
    [
      'a share’s limit',
      rule({ metric: 'participation', test: 'below', limit: 98 }),
      'has a limit or deadband above 1, but the metric is a share from 0 to 1',
    ],
    ['four polls of three', rule(stake, { raiseAfter: { polls: 4, of: 3 } }), 'has more "polls" than "of"'],
    ['an empty single window', window({ kind: 'once', fromMs: 2, toMs: 2 }), 'ends before it begins'],
    ['a view without a name', { views: [{ name: ' ', query: '' }] }, 'is empty'],
    ['an unknown profile', profile('other'), 'is not the id of a preset'],
    ['a key', serviceWith({ key: 'x' }), 'is not a public key of 64 hex digits'],
    ['an unknown word', serviceWith({ via: 'tunnel' }), 'must be "proxy" or "direct", not "tunnel"'],
    ['a wrong type', serviceWith({ profile: 5 }), 'must be a string or an object, not 5'],
    ['an object for a list', { nodes: {} }, 'must be a list, not an object'],
    ['a missing member', { services: [{}] }, 'is missing'],
    ['a short interval', serviceWith({ pollIntervalMs: 10 }), 'must be at least 1000, not 10'],
    ['a high share', tagRule({ limits: { participationBelow: 97 } }), 'must be at most 1, not 97'],
    ['a fraction', serviceWith({ timeoutMs: 5_000.5 }), 'must be a whole number, not 5000.5'],
    ['a long name', serviceWith({ label: 'x'.repeat(61) }), 'has more than 60 characters'],
    ['many tags', { nodes: [{ tags: TAGS }] }, 'has more than 16 entries'],
  ])('(%s) is explained in plain words', (_what, refused, message) => {
    const parsed = parseSettings({ version: 1, ...refused })
    expect(parsed.ok ? [] : parsed.error.map((problem) => problem.message)).toEqual([message])
  })
})

describe('limits of one scope', () => {
  const limits = (given: object) => parseBy(RulePartsSchema, { limits: given })

  it.each([
    ['participationBelow', 0.5, 'participationAbove', 0.6, '“Participation below”'],
    ['heartbeatWarningMs', 30_000, 'heartbeatCriticalMs', 60_000, 'the warning limit'],
  ])('%s is less than %s', (low, lower, high, higher, than) => {
    expect(limits({ [low]: lower, [high]: higher }).ok).toBe(true)
    const problem = { path: `limits.${high}`, message: `must be greater than ${than}` }
    for (const equal of [lower, higher])
      expect(limits({ [low]: equal, [high]: equal })).toMatchObject(err([problem]))
    expect(limits({ [low]: higher, [high]: lower }).ok).toBe(false)
  })

  it.each([
    { participationBelow: 0.5 },
    { participationAbove: 0.5 },
    { heartbeatWarningMs: 5_000, heartbeatCriticalMs: null },
    { heartbeatWarningMs: null, heartbeatCriticalMs: 5_000 },
    {},
  ])('%j may stand alone', (given) => expect(limits(given).ok).toBe(true))
})

const Document = v.strictObject({
  list: v.optional(
    v.array(v.strictObject({ number: v.pipe(v.number(), v.integer(), v.minValue(2), v.maxValue(9)) })),
  ),
  least: v.optional(v.pipe(v.number(), v.minValue(3))),
  text: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(4))),
  texts: v.optional(v.pipe(v.array(v.string()), v.maxLength(1))),
  word: v.optional(v.picklist(['a'])),
  step: v.optional(v.pipe(v.number(), v.multipleOf(5), v.minValue(10), v.maxValue(20))),
})
const problems = (document: unknown) => {
  const parsed = parseBy(Document, document)
  return parsed.ok ? [] : parsed.error.map(({ path, problem }) => [path, problem])
}

it.each([
  [{ list: [{ number: 5 }, { number: 10 }] }, 'list.1.number', { kind: 'out-of-range', min: 2, max: 9 }],
  [{ list: [{ number: 1 }] }, 'list.0.number', { kind: 'out-of-range', min: 2, max: 9 }],
  [{ list: [{ number: 2.5 }] }, 'list.0.number', { kind: 'not-whole' }],
  [{ list: [{ number: '5' }] }, 'list.0.number', { kind: 'not-a-number' }],
  [{ least: 2 }, 'least', { kind: 'out-of-range', min: 3, max: Number.MAX_SAFE_INTEGER }],
  [{ text: '' }, 'text', { kind: 'empty' }],
  [{ text: '12345' }, 'text', { kind: 'too-long', max: 4 }],
  [{ texts: ['', ''] }, 'texts', { kind: 'too-many', max: 1 }],
  [{ step: 5 }, 'step', { kind: 'out-of-range', min: 10, max: 20 }],
])('the problems of a document %j: %s', (document, path, problem) =>
  expect(problems(document)).toEqual([[path, problem]]),
)

const SECRET_NAMES = `
  privateKey PRIVATE_KEY_FILE clientSecret dbPassword2 passphrase my_passwd mnemonic credentials
  accessToken apiKey api_key x-api-key AccessKeyId aws_access_key key Seed pin auth Authorization
  bearer JWT
`

describe('a document that every visitor can read', () => {
  const SECRETS =
    'every visitor can read this file, so it must not contain keys or other secrets: remove the secret, and replace it wherever it is used, because someone may have read it'
  const Public = v.strictObject({
    key: v.optional(v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, 'is no public key'))),
    list: v.optional(v.array(v.strictObject({ name: v.optional(v.string()) }))),
    profile: v.optional(v.strictObject({})),
    proof: v.optional(v.strictObject({})),
    receivers: v.optional(v.array(v.strictObject({}))),
    queryApis: v.optional(v.array(v.strictObject({}))),
  })
  const refused = (document: unknown) => {
    const parsed = parsePublicBy(Public, document)
    return parsed.ok ? [] : parsed.error
  }
  const secretPaths = (document: unknown) =>
    refused(document).flatMap(({ path, message }) => (message === SECRETS ? [path] : []))

  it.each(SECRET_NAMES.trim().split(/\s+/))(
    'is refused for its “%s”, once and before other problems',
    (name) => {
      const [first, ...others] = refused({ odd: 1, list: [{ [name]: 'x' }] })
      const path = `list.0.${name}`
      expect(first).toEqual({ path, message: SECRETS, problem: { kind: 'other', message: SECRETS } })
      expect(others.map((each) => each.path)).toEqual(['odd'])
    },
  )

  it.each(['monkey', 'keyboard', 'seeds', 'linseed', 'pinned', 'spin', 'author', 'oauth', 'bearers', 'jwts'])(
    'may have the member “%s”, which only resembles a secret',
    (name) => {
      expect(secretPaths({ list: [{ [name]: 'x' }] })).toEqual([])
      expect(refused({ list: [{ [name]: 'x' }] }).map(({ path }) => path)).toEqual([`list.0.${name}`])
    },
  )

  it('may name a public key, and no other kind of key', () => {
    const publicKey = 'ab'.repeat(32)
    expect(secretPaths({ key: publicKey, odd: 1 })).toEqual([])
    expect(secretPaths({ seed: publicKey })).toEqual(['seed'])
    for (const other of [`${publicKey}0`, `0${publicKey}`, publicKey.toUpperCase(), [publicKey], 7, null])
      expect(secretPaths({ key: other })).toEqual(['key'])
  })

  it('is not searched for secrets in members for the server only and in profile documents', () => {
    const token = { token: 'x' }
    expect(secretPaths({ receivers: [token], queryApis: [token], profile: token, proof: token })).toEqual([])
    expect(secretPaths({ list: [{ receivers: token, queryApis: token, profile: token }] })).toEqual([
      'list.0.receivers.token',
      'list.0.queryApis.token',
    ])
  })
})

describe('the file of a server', () => {
  const api = { url: 'http://prometheus.example', name: 'P', service: BASE }

  it('is split into the configuration for pages and the parts that only the server knows', () => {
    const parsed = valueOf(
      parseServerFile({
        version: 1,
        services: [{ baseUrl: BASE }],
        receivers: [{ kind: 'ping', url: 'https://secret.example/x' }],
        queryApis: [
          { ...api, bearer: 'env:TOKEN', labels: { job: 'nodes' } },
          { url: 'http://other.example' },
        ],
      }),
    )
    const { config, receivers, queryApis } = parsed
    expect(receivers).toHaveLength(1)
    expect(queryApis).toMatchObject([{ bearer: 'env:TOKEN' }, { url: 'http://other.example' }])
    const told = { scrapeMs: DEFAULTS.scrapeMs, days: DEFAULTS.queryApiDays, live: false }
    expect(config.queryApis).toStrictEqual([
      { service: BASE, name: 'P', ...told },
      { name: 'Prometheus', ...told },
    ])
    expect(config.services).toHaveLength(1)
    for (const secret of ['secret.example', 'TOKEN', 'prometheus.example', 'other.example'])
      expect(JSON.stringify(config)).not.toContain(secret)
  })

  it.each([
    ['receivers', [{}]],
    ['signedByServer', []],
    ['fileProblems', ['x']],
    ['queryApis', [{}]],
    ['queryApis', [{ ...api, labels: { '1a': 'x' } }]],
    ['queryApis', [{ ...api, labels: { 'a-b': 'x' } }]],
    ['queryApis', [{ ...api, labels: Object.fromEntries(many(11, (i) => [`l${i}`, 'x'])) }]],
    ['queryApis', [{ ...api, labels: { a: 'x'.repeat(201) } }]],
    ['queryApis', [{ ...api, bearer: '' }]],
    ['queryApis', [{ ...api, name: '' }]],
    ['queryApis', many(DEFAULTS.servicesMax + 1, () => api)],
    ['queryApis', [{ ...api, scrapeMs: 999 }]],
    ['queryApis', [{ ...api, scrapeMs: 300_001 }]],
    ['queryApis', [{ ...api, days: 0 }]],
    ['queryApis', [{ ...api, days: 3_651 }]],
  ])('is refused for its %s: %j', (name, value) => {
    const parsed = parseServerFile({ version: 1, [name]: value })
    expect(!parsed.ok && parsed.error[0]?.path.startsWith(name)).toBe(true)
  })
})

import { folded } from '#base/read-text.ts'
import * as v from 'valibot'
import { DEFAULTS } from '#base/defaults.ts'
import { type Result } from '#base/result.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts'
import { ProofSetting } from '#proof/proof-profile.ts'
import { TIMESTAMP_UNITS } from '#record/field.ts'
import { parseNodeId } from '#record/node-id.ts'
import { isPolicyHost, parseBaseUrl } from '#record/service.ts'
import { RECEIVERS_MAX, ReceiverSchema } from './receiver.ts'
import { UNNAMEABLE } from './receiver-traits.ts'
import { DEFAULT_PROFILE_ID, isPresetId } from '#signing/preset-ids.ts'
import { ProfileSchema } from '#signing/profile.ts'

// --- what members are made of

/** A whole number within limits, both included. */
const whole = (min: number, max: number) => v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max))
const share = (min: number, max: number) => v.pipe(v.number(), v.minValue(min), v.maxValue(max))
const trimmedText = (charsMax: number) => v.pipe(v.string(), v.trim(), v.maxLength(charsMax))
const listOf = <const TSchema extends v.GenericSchema>(entry: TSchema, max: number) =>
  v.pipe(v.array(entry), v.maxLength(max))

/** A text in the form in which `read` gives it; undefined is refused. */
const readBy = (read: (text: string) => string | undefined, message: string) =>
  v.pipe(
    v.string(),
    v.rawTransform<string, string>(({ dataset, addIssue, NEVER }) => {
      const value = read(dataset.value)
      if (value !== undefined) return value
      addIssue({ message })
      return NEVER
    }),
  )

const valueOf = <T>(result: Result<T, unknown>): T | undefined => (result.ok ? result.value : undefined)

const Label = trimmedText(60)
const BaseUrl = readBy(
  (text) => valueOf(parseBaseUrl(text)),
  'is not the base URL of a service: use http(s)://host[:port][/path], without /node/status, user, query or #',
)
const NodeIdText = v.pipe(
  v.string(),
  v.trim(),
  v.check((text) => parseNodeId(text).ok, 'is not a node id: 0x and hex digits'),
)
const Decimal = v.pipe(v.string(), v.regex(/^\d{1,40}(\.\d{1,36})?$/, 'is not a plain decimal number'))
const PublicKey = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, 'is not a public key of 64 hex digits'))

const TAG_CHARS_MAX = 32
export const TAGS_MAX = 16
const TAG = /^\p{L}[^\s,;|#"'`]*$/u

/** A tag as it is stored: lower case, without the # that people write before it. Undefined where the text can't be one. */
export function parseTag(text: string): string | undefined {
  const tag = folded(text.trim().replace(/^#/, ''))
  return tag.length <= TAG_CHARS_MAX && TAG.test(tag) ? tag : undefined
}

const Tag = readBy(parseTag, 'is not a tag: a letter first, then no space, comma, semicolon, quote or #')

// --- units and limits

/** What an operator says of a status word. `bad` is critical. */
export const STATUS_MEANINGS = ['good', 'warning', 'bad'] as const
export type StatusMeaning = (typeof STATUS_MEANINGS)[number]

export const STATUS_WORDS_MAX = 64
export const STATUS_WORD_CHARS_MAX = 64

/** Letter by letter: a look-alike is another word. Of a word that stands twice the first counts. */
export const StatusWordsSchema = listOf(
  v.strictObject({
    word: v.pipe(v.string(), v.minLength(1), v.maxLength(2 * STATUS_WORD_CHARS_MAX)),
    means: v.picklist(STATUS_MEANINGS),
  }),
  STATUS_WORDS_MAX,
)

/** How to read what the interface leaves open. A member that is left out is taken from the next wider scope. */
const UnitsSchema = v.strictObject({
  participation: v.optional(v.picklist(['detect', 'ratio', 'percent'])),
  /** The number is this many digits larger than what is shown: 18 where the service counts in 10^-18. */
  stakeDecimals: v.optional(whole(0, 36)),
  /** Shown behind stake. */
  stakeSymbol: v.optional(trimmedText(12)),
  heartbeat: v.optional(v.picklist(['detect', ...TIMESTAMP_UNITS])),
  heartbeatPeriodMs: v.optional(v.union([v.literal('detect'), whole(1_000, DAY_MS)])),
  statusWords: v.optional(StatusWordsSchema),
  /** Members of the record that the interface does not describe and that are shown on the node's page. */
  extraFields: v.optional(listOf(v.pipe(v.string(), v.minLength(1), v.maxLength(64)), 8)),
})

/** Beyond which a value is outside; null says that there is no limit here, whatever a wider scope says. */
const LimitsSchema = v.strictObject({
  /** 0 to 1, whatever unit the service writes. */
  participationBelow: v.optional(v.nullable(share(0, 1))),
  participationAbove: v.optional(v.nullable(share(0, 1))),
  /** A plain decimal, in the unit that is shown. */
  stakeBelow: v.optional(v.nullable(Decimal)),
  /** Left out everywhere: multiples of the expected heartbeat period. */
  heartbeatWarningMs: v.optional(v.nullable(whole(1_000, 30 * DAY_MS))),
  heartbeatCriticalMs: v.optional(v.nullable(whole(1_000, 30 * DAY_MS))),
  answerTimeAboveMs: v.optional(v.nullable(whole(1, 120_000))),
})

const RULE_PARTS = { units: v.optional(UnitsSchema, {}), limits: v.optional(LimitsSchema, {}) }

/** Units and limits of one scope: a service, every node with a tag, or one node. The nearest to the node wins. */
const RuleSchema = v.variant('for', [
  v.strictObject({ for: v.literal('service'), service: BaseUrl, ...RULE_PARTS }),
  v.strictObject({ for: v.literal('tag'), tag: Tag, ...RULE_PARTS }),
  /** Without `node`: the node of the signing key. */
  v.strictObject({ for: v.literal('node'), service: BaseUrl, node: v.optional(NodeIdText), ...RULE_PARTS }),
])

export type Units = v.InferOutput<typeof UnitsSchema>
export type Limits = v.InferOutput<typeof LimitsSchema>
export type Rule = v.InferOutput<typeof RuleSchema>

const NOT_IN_ORDER = 'must be greater than the limit before it'
const isInOrder = (low: number | null | undefined, high: number | null | undefined): boolean =>
  typeof low !== 'number' || typeof high !== 'number' || low < high

const limitPath = <const Name extends string>(name: Name) => ['limits', name] as const

/** What one scope says, as a form has it: limits of a pair stand in their order. */
export const RulePartsSchema = v.pipe(
  v.strictObject(RULE_PARTS),
  v.forward(
    v.partialCheck(
      [limitPath('participationBelow'), limitPath('participationAbove')],
      ({ limits }) => isInOrder(limits.participationBelow, limits.participationAbove),
      NOT_IN_ORDER,
    ),
    limitPath('participationAbove'),
  ),
  v.forward(
    v.partialCheck(
      [limitPath('heartbeatWarningMs'), limitPath('heartbeatCriticalMs')],
      ({ limits }) => isInOrder(limits.heartbeatWarningMs, limits.heartbeatCriticalMs),
      NOT_IN_ORDER,
    ),
    limitPath('heartbeatCriticalMs'),
  ),
)

// --- rules for alarms

const TODO_CHARS_MAX = 2_000
/** Polls that a rule remembers; as many as flapping is detected by. */
const POLLS_MAX = 21
const DAY_MINUTES = 1_440

const Id = v.pipe(v.string(), v.regex(/^[a-z0-9-]{1,40}$/, 'is not an id of a-z, 0-9 and -'))
const MetricId = v.pipe(v.string(), v.regex(/^[a-z][a-zA-Z0-9]{0,39}$/, 'is not the id of a metric'))
/** Exact as a decimal text, for metrics that are compared to the last digit. */
const Limit = v.union([share(0, 1e15), Decimal])
const PerHour = share(0, 1e12)
const Polls = whole(1, POLLS_MAX)
const WindowMs = whole(MINUTE_MS, DAY_MS)
const DurationMs = whole(1_000, 30 * DAY_MS)

/** Whom a rule or a window is for. `node` absent: the node of the signing key. */
const AlarmScopeSchema = v.variant('for', [
  v.strictObject({ for: v.literal('all') }),
  v.strictObject({ for: v.literal('service'), service: BaseUrl }),
  v.strictObject({ for: v.literal('tag'), tag: Tag }),
  v.strictObject({ for: v.literal('node'), service: BaseUrl, node: v.optional(NodeIdText) }),
])

/** A metric by its id in the registry, and when it is bad. Without a deadband the metric's own holds. */
const AnyConditionSchema = v.variant('test', [
  ...(['below', 'above'] as const).map((test) =>
    v.strictObject({ metric: MetricId, test: v.literal(test), limit: Limit, deadband: v.optional(Limit) }),
  ),
  /** Of a timestamp: longer ago. */
  v.strictObject({ metric: MetricId, test: v.literal('old'), limit: DurationMs }),
  v.strictObject({ metric: MetricId, test: v.literal('changed') }),
  v.strictObject({ metric: MetricId, test: v.literal('unchanged'), limit: DurationMs }),
  /** Of a counter: its increase in an hour, over the last `windowMs`. */
  ...(['rate-below', 'rate-above'] as const).map((test) =>
    v.strictObject({
      metric: MetricId,
      test: v.literal(test),
      limit: PerHour,
      windowMs: v.optional(WindowMs, HOUR_MS),
      deadband: v.optional(PerHour, 0),
    }),
  ),
  /** Of a counter: no increase for so long. */
  v.strictObject({ metric: MetricId, test: v.literal('stuck'), windowMs: WindowMs }),
  /** Of 20 values within the window 19 are at most the limit. */
  v.strictObject({
    metric: MetricId,
    test: v.literal('p95-above'),
    limit: Limit,
    windowMs: v.optional(WindowMs, 10 * MINUTE_MS),
    deadband: v.optional(Limit),
  }),
  /** It was checked and is wrong. */
  v.strictObject({ metric: MetricId, test: v.literal('wrong') }),
])

/** Shares of 1, by their ids in the registry, which knows settings and not the other way round. */
const SHARES: readonly string[] = ['participation']

/** A limit of 98 for percent would be broken for ever. */
const AlarmConditionSchema = v.pipe(
  AnyConditionSchema,
  v.check((condition) => {
    const { test, metric } = condition
    if (!SHARES.includes(metric) || (test !== 'below' && test !== 'above' && test !== 'p95-above'))
      return true
    return Number(condition.limit) <= 1 && Number(condition.deadband ?? 0) <= 1
  }, 'has a limit beyond 1, but the metric is a share from 0 to 1'),
)

/** A rule that an operator adds to those that always hold. */
export const AlarmRuleSchema = v.strictObject({
  id: Id,
  name: v.optional(Label),
  off: v.optional(v.boolean(), false),
  scope: AlarmScopeSchema,
  condition: AlarmConditionSchema,
  severity: v.optional(v.picklist(['critical', 'warning', 'info']), 'warning'),
  /** It is raised after `polls` bad ones of the last `of`, */
  raiseAfter: v.optional(
    v.pipe(
      v.strictObject({ polls: Polls, of: Polls }),
      v.check(({ polls, of }) => polls <= of, '"polls" is more than "of"'),
    ),
    { polls: 2, of: 2 },
  ),
  /** that lasted so long from the first of them on; */
  forMs: v.optional(whole(0, DAY_MS), 0),
  /** it is cleared after so many good polls in a row that lasted so long. */
  clearAfter: v.optional(Polls, DEFAULTS.alarmClearAfter),
  keepFiringForMs: v.optional(whole(0, DAY_MS), 0),
  todo: v.optional(trimmedText(TODO_CHARS_MAX)),
})

const UnixMs = whole(0, 8.64e15)

/** A time without notifications: once, or on days of the week. 0 is Sunday. */
export const MaintenanceSchema = v.strictObject({
  id: Id,
  reason: v.optional(trimmedText(TODO_CHARS_MAX), ''),
  scope: AlarmScopeSchema,
  when: v.variant('kind', [
    v.pipe(
      v.strictObject({ kind: v.literal('once'), fromMs: UnixMs, toMs: UnixMs }),
      v.check(({ fromMs, toMs }) => toMs > fromMs, 'ends before it begins'),
    ),
    v.strictObject({
      kind: v.literal('weekly'),
      days: v.pipe(v.array(whole(0, 6)), v.minLength(1), v.maxLength(7)),
      startMinute: whole(0, DAY_MINUTES - 1),
      minutes: whole(1, DAY_MINUTES),
      zone: v.optional(v.picklist(['utc', 'local']), 'utc'),
    }),
  ]),
})

export const AlarmSettingsSchema = v.strictObject({
  rules: v.optional(listOf(AlarmRuleSchema, DEFAULTS.alarmRulesMax), []),
  maintenance: v.optional(listOf(MaintenanceSchema, DEFAULTS.alarmRulesMax), []),
})

export type AlarmScope = v.InferOutput<typeof AlarmScopeSchema>
export type AlarmCondition = v.InferOutput<typeof AlarmConditionSchema>
export type AlarmRule = v.InferOutput<typeof AlarmRuleSchema>
export type Maintenance = v.InferOutput<typeof MaintenanceSchema>
export type AlarmSettings = v.InferOutput<typeof AlarmSettingsSchema>

// --- services and nodes

const PollIntervalMs = whole(DEFAULTS.pollIntervalMinMs, DEFAULTS.pollIntervalMaxMs)

/** One watched node. Without `id` the service reports the node of the signing key. */
export const WatchedNodeSchema = v.strictObject({
  /** The service's base URL; absent: the first service. */
  service: v.optional(BaseUrl),
  id: v.optional(NodeIdText),
  name: v.optional(Label),
  tags: v.optional(listOf(Tag, TAGS_MAX), []),
  /** How often it is asked; absent: as often as its service says. */
  pollIntervalMs: v.optional(PollIntervalMs),
  notes: v.optional(trimmedText(DEFAULTS.notesCharsMax)),
})

export const ServiceSchema = v.pipe(
  v.strictObject({
    baseUrl: BaseUrl,
    label: v.optional(Label),
    /** `proxy`: asked through this dashboard's own server, which needs no CORS. `direct`: asked by the browser itself. */
    via: v.optional(v.picklist(['proxy', 'direct']), 'proxy'),
    /** The id of a built-in profile, or a profile's document. */
    profile: v.optional(
      v.union([v.pipe(v.string(), v.check(isPresetId, 'is not a built-in profile')), ProfileSchema]),
      DEFAULT_PROFILE_ID,
    ),
    /** How proofs are checked: a built-in proof profile's id, or a document. Absent: they are not, only their changes are shown. */
    proof: v.optional(ProofSetting),
    /** Public key (64 hex digits) of the key that signs; absent: the only key there is. */
    key: v.optional(PublicKey),
    pollIntervalMs: v.optional(PollIntervalMs, DEFAULTS.pollIntervalMs),
    timeoutMs: v.optional(whole(DEFAULTS.timeoutMinMs, DEFAULTS.timeoutMaxMs), DEFAULTS.timeoutMs),
    /** Requests a second at most; absent: only those in flight are limited. */
    pace: v.optional(share(DEFAULTS.paceMin, DEFAULTS.paceMax)),
  }),
  v.forward(
    v.check(({ baseUrl, via }) => via === 'proxy' || isPolicyHost(new URL(baseUrl).hostname), UNNAMEABLE),
    ['via'],
  ),
)

// --- query APIs

/** What a browser gets to know of a query API: neither its address nor its credentials. */
export const QueryApiSchema = v.strictObject({
  /** The base URL of the service whose nodes it knows; absent: every service. */
  service: v.optional(BaseUrl),
  /** As it is called on screen. */
  name: v.optional(v.pipe(Label, v.minLength(1, 'is empty')), 'Prometheus'),
  /** How often it scrapes the collectors. */
  scrapeMs: v.optional(whole(1_000, 300_000), DEFAULTS.scrapeMs),
  /** How far back it keeps what it scraped. */
  days: v.optional(whole(1, 3_650), DEFAULTS.queryApiDays),
  /** Status requests too are answered from it: a page then signs nothing and needs no key. */
  live: v.optional(v.boolean(), false),
})

const LABELS_MAX = 10
const SecretSource = v.pipe(v.string(), v.minLength(1), v.maxLength(1_000))

/** A Prometheus-compatible query API, as the server's file names it. */
const QueryApiSourceSchema = v.strictObject({
  ...QueryApiSchema.entries,
  /** Below it are `/api/v1/query` and `/api/v1/query_range`. */
  url: BaseUrl,
  /** Labels of this network’s series, where the engine keeps others beside them; named as Prometheus has them. */
  labels: v.optional(
    v.pipe(
      v.record(
        v.pipe(v.string(), v.regex(/^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/, 'is not a label name')),
        v.pipe(v.string(), v.maxLength(200)),
      ),
      v.check((labels) => Object.keys(labels).length <= LABELS_MAX, `has more than ${LABELS_MAX} labels`),
    ),
    {},
  ),
  /** Where a token for it, or a user with a password (`name:password`), is read from: a file of the owner’s alone, `env:NAME` or `credential:NAME`. */
  bearer: v.optional(SecretSource),
  basic: v.optional(SecretSource),
})

export type QueryApi = v.InferOutput<typeof QueryApiSchema>
export type QueryApiSource = v.InferOutput<typeof QueryApiSourceSchema>

// --- the documents

export const SETTINGS_VERSION = 1
/** Of `/config.json`. */
export const CONFIG_VERSION = 1

export const THEMES = ['system', 'dark', 'light'] as const
export const CONTRASTS = ['system', 'normal', 'more'] as const
export const TIME_ZONES = ['utc', 'local'] as const

/** A view of the fleet: what it is called, and what stands behind the "?" of its address. */
const SavedViewSchema = v.strictObject({
  name: v.pipe(v.string(), v.trim(), v.minLength(1, 'is empty'), v.maxLength(60)),
  query: v.pipe(v.string(), v.maxLength(4_000)),
})

const Services = listOf(ServiceSchema, DEFAULTS.servicesMax)
const Nodes = listOf(WatchedNodeSchema, DEFAULTS.nodesMax)
const Views = listOf(SavedViewSchema, DEFAULTS.viewsMax)

/** The part that the operator and the server's file say alike. */
const WATCHED = {
  services: v.optional(Services, []),
  nodes: v.optional(Nodes, []),
  rules: v.optional(listOf(RuleSchema, DEFAULTS.rulesMax), []),
}

/** The part that is each browser's own. */
const OF_BROWSER = {
  display: v.optional(
    v.strictObject({
      theme: v.optional(v.picklist(THEMES), 'system'),
      contrast: v.optional(v.picklist(CONTRASTS), 'system'),
      timeZone: v.optional(v.picklist(TIME_ZONES), 'utc'),
    }),
    {},
  ),
  /** How much history is stored in this browser. */
  history: v.optional(
    v.strictObject({
      samplesDays: v.optional(whole(1, 3_650), DEFAULTS.historySamplesDays),
      rollupsDays: v.optional(whole(1, 3_650), DEFAULTS.historyRollupsDays),
      budgetBytes: v.optional(whole(10_000_000, 1e12), DEFAULTS.historyBudgetBytes),
    }),
    {},
  ),
  /** Which of this browser's keys signs for a service of the server's configuration. */
  serviceKeys: v.optional(listOf(v.strictObject({ service: BaseUrl, key: PublicKey }), DEFAULTS.servicesMax)),
}

/** What the operator set in this browser. One document, one version. */
export const SettingsSchema = v.strictObject({
  version: v.literal(SETTINGS_VERSION),
  ...WATCHED,
  display: OF_BROWSER.display,
  /** Rules for alarms beside those that always hold, and times in which nobody is to be called. */
  alarms: v.optional(AlarmSettingsSchema, {}),
  views: v.optional(Views, []),
  history: OF_BROWSER.history,
  serviceKeys: OF_BROWSER.serviceKeys,
})

/** What the dashboard's server provides as `/config.json`: the first part of the settings, and what a first run offers. */
export const ServerConfigSchema = v.strictObject({
  $schema: v.optional(v.string()),
  version: v.literal(CONFIG_VERSION),
  ...WATCHED,
  /** Rules for alarms, and times in which nobody is called, for everybody who opens this dashboard. */
  alarms: v.optional(AlarmSettingsSchema),
  views: v.optional(Views),
  /** Services whose requests the dashboard’s server signs itself, with the key that it holds: a page needs none for them. */
  signedByServer: v.optional(v.array(v.strictObject({ service: BaseUrl, publicKey: PublicKey }))),
  /** This server raises and sends alarms itself, with or without a page: its `/watch` has them. */
  watch: v.optional(v.strictObject({ version: v.literal(1) })),
  /** Where more is known of nodes than this browser recorded. */
  queryApis: v.optional(listOf(QueryApiSchema, DEFAULTS.servicesMax)),
  /** A demo service on this computer; its nodes are offered with one click. */
  demo: v.optional(v.strictObject({ service: ServiceSchema, nodes: Nodes })),
  /** Why the server does not use its file as it stands now: what it read before holds. */
  fileProblems: v.optional(listOf(v.pipe(v.string(), v.maxLength(1_000)), 20)),
  /** This page can look only: it was not opened by the address that the server printed at its start. */
  isViewOnly: v.optional(v.boolean()),
  /** Whether this server lets the operator add services to its proxy from the browser. */
  canAddServices: v.optional(v.boolean(), false),
})

/** What `--config FILE` holds: what `/config.json` says, and what only the server itself needs to know. */
export const ServerFileSchema = v.strictObject({
  // Which services this server signs for depends on the keys that it is started with.
  ...v.omit(ServerConfigSchema, ['signedByServer', 'watch', 'fileProblems', 'isViewOnly']).entries,
  /** In an exported settings file, which may be used as it is. They have no effect here. */
  ...OF_BROWSER,
  /** Where alarms may be sent to through this server. Their addresses may be secrets, so they are not in `/config.json`. */
  receivers: v.optional(listOf(ReceiverSchema, RECEIVERS_MAX), []),
  /** Prometheus-compatible engines that know more of nodes than a browser recorded. Where they are, only the server knows. */
  queryApis: v.optional(listOf(QueryApiSourceSchema, DEFAULTS.servicesMax), []),
})

export type Service = v.InferOutput<typeof ServiceSchema>
export type WatchedNode = v.InferOutput<typeof WatchedNodeSchema>
export type SavedView = v.InferOutput<typeof SavedViewSchema>
export type Settings = v.InferOutput<typeof SettingsSchema>
export type ServerConfig = v.InferOutput<typeof ServerConfigSchema>

/** The service at a checked base URL, with every default filled in. */
export const serviceAt = (baseUrl: string, via: Service['via']): Service =>
  v.parse(ServiceSchema, { baseUrl, via })

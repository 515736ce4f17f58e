import * as v from 'valibot'
import { Label, PublicKeyHex, trimmedText, whole } from '#base/schemas.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { DAY_MINUTES, DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts'
import { ProofSetting } from '#proof/proof-profile.ts'
import { TIMESTAMP_UNITS } from '#record/field.ts'
import { parseNodeId } from '#record/node-id.ts'
import { isPolicyHost } from '#record/service.ts'
import { BaseUrl, Tag } from '#record/typed-names.ts'
import { RECEIVERS_MAX, ReceiverSchema } from './receiver.ts'
import { UNNAMEABLE } from './receiver-traits.ts'
import { DEFAULT_PROFILE_ID, isPresetId } from '#signing/preset-ids.ts'
import { ProfileSchema } from '#signing/profile.ts'

// --- schemas that members share

const share = (min: number, max: number) => v.pipe(v.number(), v.minValue(min), v.maxValue(max))
const listOf = <const TSchema extends v.GenericSchema>(entry: TSchema, max: number) =>
  v.pipe(v.array(entry), v.maxLength(max))

const NodeIdText = v.pipe(
  v.string(),
  v.trim(),
  v.check((text) => parseNodeId(text).ok, 'is not a node id: 0x and hex digits'),
)
const Decimal = v.pipe(v.string(), v.regex(/^\d{1,40}(\.\d{1,36})?$/, 'is not a plain decimal number'))

export const TAGS_MAX = 16

// --- units and limits

/** `bad` is critical. */
export const STATUS_MEANINGS = ['good', 'warning', 'bad'] as const
export type StatusMeaning = (typeof STATUS_MEANINGS)[number]

export const STATUS_WORDS_MAX = 64
export const STATUS_WORD_CHARS_MAX = 64

/** Words are compared exactly, so a look-alike is another word. Of duplicates the first counts. */
export const StatusWordsSchema = listOf(
  v.strictObject({
    word: v.pipe(v.string(), v.minLength(1), v.maxLength(2 * STATUS_WORD_CHARS_MAX)),
    means: v.picklist(STATUS_MEANINGS),
  }),
  STATUS_WORDS_MAX,
)

/** Units that the interface does not specify. A missing member comes from the next wider scope. */
const UnitsSchema = v.strictObject({
  participation: v.optional(v.picklist(['detect', 'ratio', 'percent'])),
  /** The reported number has this many more digits than the displayed one: 18 if the service counts in 10^-18. */
  stakeDecimals: v.optional(whole(0, 36)),
  stakeSymbol: v.optional(trimmedText(12)),
  heartbeat: v.optional(v.picklist(['detect', ...TIMESTAMP_UNITS])),
  heartbeatPeriodMs: v.optional(v.union([v.literal('detect'), whole(1_000, DAY_MS)])),
  statusWords: v.optional(StatusWordsSchema),
  /** Members of the record that the interface does not describe, shown on the node's page. */
  extraFields: v.optional(listOf(v.pipe(v.string(), v.minLength(1), v.maxLength(64)), 8)),
})

/** null: no limit in this scope, whatever a wider scope sets. */
const LimitsSchema = v.strictObject({
  /** 0 to 1, in whatever unit the service reports. */
  participationBelow: v.optional(v.nullable(share(0, 1))),
  participationAbove: v.optional(v.nullable(share(0, 1))),
  /** A plain decimal in the displayed unit. */
  stakeBelow: v.optional(v.nullable(Decimal)),
  /** Default: multiples of the expected heartbeat period. */
  heartbeatWarningMs: v.optional(v.nullable(whole(1_000, 30 * DAY_MS))),
  heartbeatCriticalMs: v.optional(v.nullable(whole(1_000, 30 * DAY_MS))),
  answerTimeAboveMs: v.optional(v.nullable(whole(1, 120_000))),
})

const RULE_PARTS = { units: v.optional(UnitsSchema, {}), limits: v.optional(LimitsSchema, {}) }

/**
 * Units and limits of one scope: a service, all nodes with a tag, or one node. The scope nearest to the node takes precedence.
 */
const RuleSchema = v.variant('for', [
  v.strictObject({ for: v.literal('service'), service: BaseUrl, ...RULE_PARTS }),
  v.strictObject({ for: v.literal('tag'), tag: Tag, ...RULE_PARTS }),
  /** Without `node`: the default node. */
  v.strictObject({ for: v.literal('node'), service: BaseUrl, node: v.optional(NodeIdText), ...RULE_PARTS }),
])

export type Units = v.InferOutput<typeof UnitsSchema>
export type Limits = v.InferOutput<typeof LimitsSchema>
export type Rule = v.InferOutput<typeof RuleSchema>

const isInOrder = (low: number | null | undefined, high: number | null | undefined): boolean =>
  typeof low !== 'number' || typeof high !== 'number' || low < high

const limitPath = <const Name extends string>(name: Name) => ['limits', name] as const

/** Units and limits of one scope, as in a form. The limits of a pair must be in order. */
export const RulePartsSchema = v.pipe(
  v.strictObject(RULE_PARTS),
  v.forward(
    v.partialCheck(
      [limitPath('participationBelow'), limitPath('participationAbove')],
      ({ limits }) => isInOrder(limits.participationBelow, limits.participationAbove),
      'must be greater than “Participation below”',
    ),
    limitPath('participationAbove'),
  ),
  v.forward(
    v.partialCheck(
      [limitPath('heartbeatWarningMs'), limitPath('heartbeatCriticalMs')],
      ({ limits }) => isInOrder(limits.heartbeatWarningMs, limits.heartbeatCriticalMs),
      'must be greater than the warning limit',
    ),
    limitPath('heartbeatCriticalMs'),
  ),
)

// --- rules for alarms

const TODO_CHARS_MAX = 2_000
/** Polls that a rule remembers; equal to the number used for flapping. */
const POLLS_MAX = 21

const Id = v.pipe(v.string(), v.regex(/^[a-z0-9-]{1,40}$/, 'is not an id: use a-z, 0-9 and -'))
const MetricId = v.pipe(v.string(), v.regex(/^[a-z][a-zA-Z0-9]{0,39}$/, 'is not the id of a metric'))
/** A decimal text for metrics that are compared to the last digit. */
const Limit = v.union([share(0, 1e15), Decimal])
const PerHour = share(0, 1e12)
const Polls = whole(1, POLLS_MAX)
const WindowMs = whole(MINUTE_MS, DAY_MS)
const DurationMs = whole(1_000, 30 * DAY_MS)

/** Scope of a rule or window. `node` absent: the default node. */
const AlarmScopeSchema = v.variant('for', [
  v.strictObject({ for: v.literal('all') }),
  v.strictObject({ for: v.literal('service'), service: BaseUrl }),
  v.strictObject({ for: v.literal('tag'), tag: Tag }),
  v.strictObject({ for: v.literal('node'), service: BaseUrl, node: v.optional(NodeIdText) }),
])

/** A metric by its id in the registry, and when it is bad. Without a deadband the metric's own applies. */
const AnyConditionSchema = v.variant('test', [
  ...(['below', 'above'] as const).map((test) =>
    v.strictObject({ metric: MetricId, test: v.literal(test), limit: Limit, deadband: v.optional(Limit) }),
  ),
  /** For timestamps: older than the limit. */
  v.strictObject({ metric: MetricId, test: v.literal('old'), limit: DurationMs }),
  v.strictObject({ metric: MetricId, test: v.literal('changed') }),
  v.strictObject({ metric: MetricId, test: v.literal('unchanged'), limit: DurationMs }),
  /** For counters: the increase per hour over the last `windowMs`. */
  ...(['rate-below', 'rate-above'] as const).map((test) =>
    v.strictObject({
      metric: MetricId,
      test: v.literal(test),
      limit: PerHour,
      windowMs: v.optional(WindowMs, HOUR_MS),
      deadband: v.optional(PerHour, 0),
    }),
  ),
  /** For counters: no increase for `windowMs`. */
  v.strictObject({ metric: MetricId, test: v.literal('stuck'), windowMs: WindowMs }),
  /** The 95th percentile of the values in the window is above the limit. */
  v.strictObject({
    metric: MetricId,
    test: v.literal('p95-above'),
    limit: Limit,
    windowMs: v.optional(WindowMs, 10 * MINUTE_MS),
    deadband: v.optional(Limit),
  }),
  /** For proofs: checked and wrong. */
  v.strictObject({ metric: MetricId, test: v.literal('wrong') }),
])

/** Metrics that are shares from 0 to 1. Listed by id, because the settings must not import the registry. */
const SHARES: readonly string[] = ['participation']

/** A limit of 98, meant as percent, would never be met. */
const AlarmConditionSchema = v.pipe(
  AnyConditionSchema,
  v.check((condition) => {
    const { test, metric } = condition
    if (!SHARES.includes(metric) || (test !== 'below' && test !== 'above' && test !== 'p95-above'))
      return true
    return Number(condition.limit) <= 1 && Number(condition.deadband ?? 0) <= 1
  }, 'has a limit or deadband above 1, but the metric is a share from 0 to 1'),
)

export const AlarmRuleSchema = v.strictObject({
  id: Id,
  name: v.optional(Label),
  off: v.optional(v.boolean(), false),
  scope: AlarmScopeSchema,
  condition: AlarmConditionSchema,
  severity: v.optional(v.picklist(['critical', 'warning', 'info']), 'warning'),
  /** Raised after `polls` bad polls among the last `of`, or among the last 21 while the alarm flaps. */
  raiseAfter: v.optional(
    v.pipe(
      v.strictObject({ polls: Polls, of: Polls }),
      v.check(({ polls, of }) => polls <= of, 'has more "polls" than "of"'),
    ),
    { polls: 2, of: 2 },
  ),
  /** Minimum time since the first bad poll before the alarm is raised. */
  forMs: v.optional(whole(0, DAY_MS), 0),
  /** Good polls in a row before the alarm clears. `keepFiringForMs`: minimum time since the first of them. */
  clearAfter: v.optional(Polls, DEFAULTS.alarmClearAfter),
  keepFiringForMs: v.optional(whole(0, DAY_MS), 0),
  todo: v.optional(trimmedText(TODO_CHARS_MAX)),
})

/**
 * A change to a built-in rule in one scope. As with limits, each value comes from the scope nearest to the node that sets it,
 * and within one scope from the server's configuration.
 */
export const BuiltInChangeSchema = v.strictObject({
  /** The id of the rule, which is the kind of its alarms, for example `unreachable`. */
  rule: v.pipe(v.string(), v.regex(/^[a-zA-Z][a-zA-Z0-9-]{0,79}$/, 'is not the id of a built-in rule')),
  scope: AlarmScopeSchema,
  off: v.optional(v.boolean()),
  /** Replaces every severity of the rule. */
  severity: v.optional(v.picklist(['critical', 'warning', 'info'])),
  /** Time from the first bad poll to the alarm; replaces the number of bad polls that the rule waits for. */
  forMs: v.optional(whole(0, DAY_MS)),
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
  builtIn: v.optional(listOf(BuiltInChangeSchema, DEFAULTS.alarmRulesMax), []),
})

export type AlarmScope = v.InferOutput<typeof AlarmScopeSchema>
export type AlarmCondition = v.InferOutput<typeof AlarmConditionSchema>
export type AlarmRule = v.InferOutput<typeof AlarmRuleSchema>
export type BuiltInChange = v.InferOutput<typeof BuiltInChangeSchema>
export type Maintenance = v.InferOutput<typeof MaintenanceSchema>
export type AlarmSettings = v.InferOutput<typeof AlarmSettingsSchema>

// --- services and nodes

const PollIntervalMs = whole(DEFAULTS.pollIntervalMinMs, DEFAULTS.pollIntervalMaxMs)

/** Without `id` the service reports the default node. */
export const WatchedNodeSchema = v.strictObject({
  /** The service's base URL; absent: the first service. */
  service: v.optional(BaseUrl),
  id: v.optional(NodeIdText),
  name: v.optional(Label),
  tags: v.optional(listOf(Tag, TAGS_MAX), []),
  /** Absent: the service's interval. */
  pollIntervalMs: v.optional(PollIntervalMs),
  notes: v.optional(trimmedText(DEFAULTS.notesCharsMax)),
})

export const ServiceSchema = v.pipe(
  v.strictObject({
    baseUrl: BaseUrl,
    label: v.optional(Label),
    /** `proxy`: polled through the dashboard server, which needs no CORS. `direct`: polled by the browser. */
    via: v.optional(v.picklist(['proxy', 'direct']), 'proxy'),
    /** The id of a preset, or a profile document. */
    profile: v.optional(
      v.union([v.pipe(v.string(), v.check(isPresetId, 'is not the id of a preset')), ProfileSchema]),
      DEFAULT_PROFILE_ID,
    ),
    /**
     * How proofs are checked: the id of a built-in proof profile, or a document. Absent: proofs are not checked; only their
     * changes are shown.
     */
    proof: v.optional(ProofSetting),
    /** Public key (64 hex digits) of the signing key; absent: the newest key that is allowed for this service. */
    key: v.optional(PublicKeyHex),
    pollIntervalMs: v.optional(PollIntervalMs, DEFAULTS.pollIntervalMs),
    timeoutMs: v.optional(whole(DEFAULTS.timeoutMinMs, DEFAULTS.timeoutMaxMs), DEFAULTS.timeoutMs),
    /** Maximum requests per second; absent: only the number in flight is limited. */
    pace: v.optional(share(DEFAULTS.paceMin, DEFAULTS.paceMax)),
  }),
  v.forward(
    v.check(({ baseUrl, via }) => via === 'proxy' || isPolicyHost(new URL(baseUrl).hostname), UNNAMEABLE),
    ['via'],
  ),
)

// --- query APIs

/** The public part of a query API, without address and credentials. */
export const QueryApiSchema = v.strictObject({
  /** The base URL of the service whose nodes it has; absent: every service. */
  service: v.optional(BaseUrl),
  name: v.optional(v.pipe(Label, v.minLength(1, 'is empty')), 'Prometheus'),
  /** Its scrape interval for the collectors. */
  scrapeMs: v.optional(whole(1_000, 300_000), DEFAULTS.scrapeMs),
  days: v.optional(whole(1, 3_650), DEFAULTS.queryApiDays),
  /** Whether it also answers status requests; pages then sign nothing and need no key. */
  live: v.optional(v.boolean(), false),
})

const LABELS_MAX = 10
const SecretSource = v.pipe(v.string(), v.minLength(1), v.maxLength(1_000))

const QueryApiSourceSchema = v.strictObject({
  ...QueryApiSchema.entries,
  /** `/api/v1/query` and `/api/v1/query_range` are below it. */
  url: BaseUrl,
  /** Labels that select this network's series if the API has others; names as in Prometheus. */
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
  /**
   * Source of a bearer token, or of basic credentials (`name:password`): a file that only its owner can read, `env:NAME` or
   * `credential:NAME`.
   */
  bearer: v.optional(SecretSource),
  basic: v.optional(SecretSource),
})

export type QueryApi = v.InferOutput<typeof QueryApiSchema>
export type QueryApiSource = v.InferOutput<typeof QueryApiSourceSchema>

// --- the documents

export const SETTINGS_VERSION = 1
/** The version of `/config.json`. */
export const CONFIG_VERSION = 1

const THEMES = ['system', 'dark', 'light'] as const
const CONTRASTS = ['system', 'normal', 'more'] as const
const TIME_ZONES = ['utc', 'local'] as const

const SavedViewSchema = v.strictObject({
  name: v.pipe(v.string(), v.trim(), v.minLength(1, 'is empty'), v.maxLength(60)),
  query: v.pipe(v.string(), v.maxLength(4_000)),
})

const Services = listOf(ServiceSchema, DEFAULTS.servicesMax)
const Nodes = listOf(WatchedNodeSchema, DEFAULTS.nodesMax)
const Views = listOf(SavedViewSchema, DEFAULTS.viewsMax)

/** Common to the operator's settings and the server's file. */
const WATCHED = {
  services: v.optional(Services, []),
  nodes: v.optional(Nodes, []),
  rules: v.optional(listOf(RuleSchema, DEFAULTS.rulesMax), []),
}

const OF_BROWSER = {
  display: v.optional(
    v.strictObject({
      theme: v.optional(v.picklist(THEMES), 'system'),
      contrast: v.optional(v.picklist(CONTRASTS), 'system'),
      timeZone: v.optional(v.picklist(TIME_ZONES), 'utc'),
    }),
    {},
  ),
  history: v.optional(
    v.strictObject({
      samplesDays: v.optional(whole(1, 3_650), DEFAULTS.historySamplesDays),
      rollupsDays: v.optional(whole(1, 3_650), DEFAULTS.historyRollupsDays),
      budgetBytes: v.optional(whole(10_000_000, 1e12), DEFAULTS.historyBudgetBytes),
    }),
    {},
  ),
  /** Which of this browser's keys signs for a service of the server's configuration. */
  serviceKeys: v.optional(
    listOf(v.strictObject({ service: BaseUrl, key: PublicKeyHex }), DEFAULTS.servicesMax),
  ),
}

export const SettingsSchema = v.strictObject({
  version: v.literal(SETTINGS_VERSION),
  ...WATCHED,
  display: OF_BROWSER.display,
  alarms: v.optional(AlarmSettingsSchema, {}),
  views: v.optional(Views, []),
  history: OF_BROWSER.history,
  serviceKeys: OF_BROWSER.serviceKeys,
})

/** The server's `/config.json`: configuration shared by all browsers, and offers for the first run. */
export const ServerConfigSchema = v.strictObject({
  $schema: v.optional(v.string()),
  version: v.literal(CONFIG_VERSION),
  ...WATCHED,
  alarms: v.optional(AlarmSettingsSchema),
  views: v.optional(Views),
  /** Services whose requests the dashboard server signs with its own key, so that a page needs no key for them. */
  signedByServer: v.optional(v.array(v.strictObject({ service: BaseUrl, publicKey: PublicKeyHex }))),
  /** This server raises and sends alarms itself, with or without a page: its `/watch` has them. */
  watch: v.optional(v.strictObject({ version: v.literal(1) })),
  queryApis: v.optional(listOf(QueryApiSchema, DEFAULTS.servicesMax)),
  /** A demo service on this computer; the page offers its nodes with one click. */
  demo: v.optional(v.strictObject({ service: ServiceSchema, nodes: Nodes })),
  /** Why the server does not use the current version of its file; the earlier version stays in force. */
  fileProblems: v.optional(listOf(v.pipe(v.string(), v.maxLength(1_000)), 20)),
  /** The page was not opened with the URL that the server printed at its start, so it is read-only. */
  isViewOnly: v.optional(v.boolean()),
  /** Whether this server lets the operator add services to its proxy from the browser. */
  canAddServices: v.optional(v.boolean(), false),
})

/** The file of `--config FILE`: the members of `/config.json` and those that only the server reads. */
export const ServerFileSchema = v.strictObject({
  // These depend on the server's start options and state.
  ...v.omit(ServerConfigSchema, ['signedByServer', 'watch', 'fileProblems', 'isViewOnly']).entries,
  /** Accepted so that an exported settings file can be used unchanged; without effect on the server. */
  ...OF_BROWSER,
  /** Receivers that this server sends to. Their addresses may be secret, so they are not in `/config.json`. */
  receivers: v.optional(listOf(ReceiverSchema, RECEIVERS_MAX), []),
  /** Prometheus-compatible APIs with more history than a browser recorded. Only the server knows their addresses. */
  queryApis: v.optional(listOf(QueryApiSourceSchema, DEFAULTS.servicesMax), []),
})

export type Service = v.InferOutput<typeof ServiceSchema>
export type WatchedNode = v.InferOutput<typeof WatchedNodeSchema>
export type SavedView = v.InferOutput<typeof SavedViewSchema>
export type Settings = v.InferOutput<typeof SettingsSchema>
export type ServerConfig = v.InferOutput<typeof ServerConfigSchema>

/** A service with every default filled in. `baseUrl` must be valid. */
export const serviceAt = (baseUrl: string, via: Service['via']): Service =>
  v.parse(ServiceSchema, { baseUrl, via })

import * as v from 'valibot'
import { DEFAULTS } from '#base/defaults.ts'
import { BaseUrl, Label, NodeIdText, Tag, wholeMs } from './fields.ts'

export const TODO_CHARS_MAX = 2_000
/** Polls that a rule remembers; as many as flapping is detected by. */
export const POLLS_MAX = 21
const WINDOW_MIN_MS = 60_000
const DAY_MS = 86_400_000
const DAY_MINUTES = 1_440

const Id = v.pipe(v.string(), v.regex(/^[a-z0-9-]{1,40}$/, 'is not an id of a-z, 0-9 and -'))
const MetricId = v.pipe(v.string(), v.regex(/^[a-z][a-zA-Z0-9]{0,39}$/, 'is not the id of a metric'))
const Decimal = v.pipe(v.string(), v.regex(/^\d{1,40}(\.\d{1,36})?$/, 'is not a plain decimal number'))
/** Exact as a decimal text, for metrics that are compared to the last digit. */
const Limit = v.union([v.pipe(v.number(), v.minValue(0), v.maxValue(1e15)), Decimal])
const PerHour = v.pipe(v.number(), v.minValue(0), v.maxValue(1e12))
const Polls = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(POLLS_MAX))
const WindowMs = wholeMs(WINDOW_MIN_MS, DAY_MS)
const DurationMs = wholeMs(1_000, 30 * DAY_MS)

/** Whom a rule or a window is for. `node` absent: the node of the signing key. */
export const AlarmScopeSchema = v.variant('for', [
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
      windowMs: v.optional(WindowMs, 3_600_000),
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
    windowMs: v.optional(WindowMs, 600_000),
    deadband: v.optional(Limit),
  }),
  /** It was checked and is wrong. */
  v.strictObject({ metric: MetricId, test: v.literal('wrong') }),
])

/** Shares of 1, by their ids in the registry, which knows settings and not the other way round. */
const SHARES: readonly string[] = ['participation']

/** A limit of 98 for percent would be broken for ever. */
export const AlarmConditionSchema = v.pipe(
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
  forMs: v.optional(wholeMs(0, DAY_MS), 0),
  /** it is cleared after so many good polls in a row that lasted so long. */
  clearAfter: v.optional(Polls, DEFAULTS.alarmClearAfter),
  keepFiringForMs: v.optional(wholeMs(0, DAY_MS), 0),
  /** What to do, in the operator's own words. */
  todo: v.optional(v.pipe(v.string(), v.trim(), v.maxLength(TODO_CHARS_MAX))),
})

const UnixMs = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(8.64e15))
const wholeUpTo = (min: number, max: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max))

/** A time in which nobody is to be called: once, or on days of the week. 0 is Sunday. */
export const MaintenanceSchema = v.strictObject({
  id: Id,
  reason: v.optional(v.pipe(v.string(), v.trim(), v.maxLength(TODO_CHARS_MAX)), ''),
  scope: AlarmScopeSchema,
  when: v.variant('kind', [
    v.pipe(
      v.strictObject({ kind: v.literal('once'), fromMs: UnixMs, toMs: UnixMs }),
      v.check(({ fromMs, toMs }) => toMs > fromMs, 'ends before it begins'),
    ),
    v.strictObject({
      kind: v.literal('weekly'),
      days: v.pipe(v.array(wholeUpTo(0, 6)), v.minLength(1), v.maxLength(7)),
      startMinute: wholeUpTo(0, DAY_MINUTES - 1),
      minutes: wholeUpTo(1, DAY_MINUTES),
      zone: v.optional(v.picklist(['utc', 'local']), 'utc'),
    }),
  ]),
})

export const AlarmSettingsSchema = v.strictObject({
  rules: v.optional(v.pipe(v.array(AlarmRuleSchema), v.maxLength(DEFAULTS.alarmRulesMax)), []),
  maintenance: v.optional(v.pipe(v.array(MaintenanceSchema), v.maxLength(DEFAULTS.alarmRulesMax)), []),
})

export type AlarmScope = v.InferOutput<typeof AlarmScopeSchema>
export type AlarmCondition = v.InferOutput<typeof AlarmConditionSchema>
export type AlarmRule = v.InferOutput<typeof AlarmRuleSchema>
export type Maintenance = v.InferOutput<typeof MaintenanceSchema>
export type AlarmSettings = v.InferOutput<typeof AlarmSettingsSchema>

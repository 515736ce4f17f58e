import { TIMESTAMP_UNITS } from '#record/field.ts'
import * as v from 'valibot'
import { BaseUrl, NodeIdText, Tag, wholeMs } from './fields.ts'

/** What an operator says of a status word. `bad` is critical. */
export const STATUS_MEANINGS = ['good', 'warning', 'bad'] as const
export type StatusMeaning = (typeof STATUS_MEANINGS)[number]

export const STAKE_DECIMALS_MAX = 36
export const STAKE_SYMBOL_CHARS_MAX = 12
export const STATUS_WORDS_MAX = 64
export const STATUS_WORD_CHARS_MAX = 64
export const EXTRA_FIELDS_MAX = 8
export const FIELD_NAME_CHARS_MAX = 64
export const HEARTBEAT_PERIOD_MIN_MS = 1_000
export const SPAN_MAX_MS = 86_400_000

/** Letter by letter: a look-alike is another word. Of a word that stands twice the first counts. */
export const StatusWordsSchema = v.pipe(
  v.array(
    v.strictObject({
      word: v.pipe(v.string(), v.minLength(1), v.maxLength(2 * STATUS_WORD_CHARS_MAX)),
      means: v.picklist(STATUS_MEANINGS),
    }),
  ),
  v.maxLength(STATUS_WORDS_MAX),
)

/** How to read what the interface leaves open. A member that is left out is taken from the next wider scope. */
export const UnitsSchema = v.strictObject({
  participation: v.optional(v.picklist(['detect', 'ratio', 'percent'])),
  /** The number is this many digits larger than what is shown: 18 where the service counts in 10^-18. */
  stakeDecimals: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(STAKE_DECIMALS_MAX))),
  /** Shown behind stake. */
  stakeSymbol: v.optional(v.pipe(v.string(), v.trim(), v.maxLength(STAKE_SYMBOL_CHARS_MAX))),
  heartbeat: v.optional(v.picklist(['detect', ...TIMESTAMP_UNITS])),
  heartbeatPeriodMs: v.optional(
    v.union([v.literal('detect'), wholeMs(HEARTBEAT_PERIOD_MIN_MS, SPAN_MAX_MS)]),
  ),
  statusWords: v.optional(StatusWordsSchema),
  /** Members of the record that the interface does not describe and that are shown on the node's page. */
  extraFields: v.optional(
    v.pipe(
      v.array(v.pipe(v.string(), v.minLength(1), v.maxLength(FIELD_NAME_CHARS_MAX))),
      v.maxLength(EXTRA_FIELDS_MAX),
    ),
  ),
})

const Ratio = v.pipe(v.number(), v.minValue(0), v.maxValue(1))

/** Beyond which a value is outside; null says that there is no limit here, whatever a wider scope says. */
export const LimitsSchema = v.strictObject({
  /** 0 to 1, whatever unit the service writes. */
  participationBelow: v.optional(v.nullable(Ratio)),
  participationAbove: v.optional(v.nullable(Ratio)),
  /** A plain decimal, in the unit that is shown. */
  stakeBelow: v.optional(
    v.nullable(v.pipe(v.string(), v.regex(/^\d{1,40}(\.\d{1,36})?$/, 'is not a plain decimal number'))),
  ),
  /** Left out everywhere: multiples of the expected heartbeat period. */
  heartbeatWarningMs: v.optional(v.nullable(wholeMs(1_000, 30 * SPAN_MAX_MS))),
  heartbeatCriticalMs: v.optional(v.nullable(wholeMs(1_000, 30 * SPAN_MAX_MS))),
  answerTimeAboveMs: v.optional(v.nullable(wholeMs(1, 120_000))),
})

export const RULE_PARTS = { units: v.optional(UnitsSchema, {}), limits: v.optional(LimitsSchema, {}) }

/** Units and limits of one scope: a service, every node with a tag, or one node. The nearest to the node wins. */
export const RuleSchema = v.variant('for', [
  v.strictObject({ for: v.literal('service'), service: BaseUrl, ...RULE_PARTS }),
  v.strictObject({ for: v.literal('tag'), tag: Tag, ...RULE_PARTS }),
  /** Without `node`: the node of the signing key. */
  v.strictObject({ for: v.literal('node'), service: BaseUrl, node: v.optional(NodeIdText), ...RULE_PARTS }),
])

export type Units = v.InferOutput<typeof UnitsSchema>
export type Limits = v.InferOutput<typeof LimitsSchema>
export type Rule = v.InferOutput<typeof RuleSchema>

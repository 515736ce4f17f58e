import * as v from 'valibot'
import { DEFAULTS } from '#base/defaults.ts'
import { BaseUrl, Label, wholeMs } from './fields.ts'

/** What a browser is told of a query API: never where it is, and never how it is asked. */
export const QueryApiSchema = v.strictObject({
  /** The base URL of the service whose nodes it knows; absent: every service. */
  service: v.optional(BaseUrl),
  /** As it is called on screen. */
  name: v.optional(v.pipe(Label, v.minLength(1, 'is empty')), 'Prometheus'),
  /** How often it scrapes the collectors. */
  scrapeMs: v.optional(wholeMs(1_000, 300_000), DEFAULTS.scrapeMs),
  /** How far back it keeps what it scraped. */
  days: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(3_650)), DEFAULTS.queryApiDays),
  /** Status requests too are answered from it: a page then signs nothing and needs no key. */
  live: v.optional(v.boolean(), false),
})

/** A label's name and value, as Prometheus has them. */
const LABELS_MAX = 10
const Labels = v.pipe(
  v.record(
    v.pipe(v.string(), v.regex(/^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/, 'is not a label’s name')),
    v.pipe(v.string(), v.maxLength(200)),
  ),
  v.check((labels) => Object.keys(labels).length <= LABELS_MAX, `has more than ${LABELS_MAX} labels`),
)

const SecretSource = v.pipe(v.string(), v.minLength(1), v.maxLength(1_000))

/** A Prometheus-compatible query API, as the server's file names it. */
export const QueryApiSourceSchema = v.strictObject({
  ...QueryApiSchema.entries,
  /** Below it are `/api/v1/query` and `/api/v1/query_range`. */
  url: BaseUrl,
  /** Labels of this network’s series, where the engine keeps others beside them. */
  labels: v.optional(Labels, {}),
  /** Where a token for it, or a user with a password (`name:password`), is read from: a file of the owner’s alone, `env:NAME` or `credential:NAME`. */
  bearer: v.optional(SecretSource),
  basic: v.optional(SecretSource),
})

export type QueryApi = v.InferOutput<typeof QueryApiSchema>
export type QueryApiSource = v.InferOutput<typeof QueryApiSourceSchema>

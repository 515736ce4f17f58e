import * as v from 'valibot'

/**
 * `POST` to the dashboard server with several status requests, because a fetch costs a browser more than the rest of a poll.
 * Each answer is one line of JSON, sent as soon as the service has answered.
 */
export const BATCH_PATH = '/proxy/batch'
export const BATCH_MAX = 8
/** As much as a single request may have in its headers; a larger batch is sent as single requests. */
export const BATCH_MAX_BYTES = 65_536
/** Longest line of an answer: a body of 64 KiB in which every character is escaped, and its headers. */
export const BATCH_LINE_MAX_CHARS = 524_288
export const BATCH_TYPE = 'application/x-ndjson'

/** A signing profile may name any header. */
const Name = v.pipe(v.string(), v.regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/))
const Value = v.pipe(v.string(), v.regex(/^[\t\x20-\x7e\x80-\xff]*$/))

/** `path`: path and query below the dashboard's own URL, as for a single request. */
export const BatchSchema = v.pipe(
  v.array(v.object({ path: v.string(), headers: v.record(Name, Value) })),
  v.minLength(1),
  v.maxLength(BATCH_MAX),
)
export type Batch = v.InferOutput<typeof BatchSchema>

/**
 * `at`: index of the request. `body` is null if it could not be decoded by its `Content-Encoding`. `afterMs`: time from the
 * arrival of the batch to this answer, so that the page notices if something holds answers up.
 */
export const BatchAnswerSchema = v.object({
  at: v.number(),
  status: v.number(),
  headers: v.record(v.string(), v.string()),
  body: v.nullable(v.string()),
  afterMs: v.number(),
})
export type BatchAnswer = v.InferOutput<typeof BatchAnswerSchema>

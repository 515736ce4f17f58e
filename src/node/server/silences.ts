import * as v from 'valibot'
import { err, ok, type Result } from '#base/result.ts'
import { HOUR_MS } from '#base/time.ts'
import { SILENCE_END_MS } from '#delivery/alertmanager.ts'

/** Twice the length of a page's silences, which it renews, because clocks differ. */
const SILENCE_MAX_MS = 2 * HOUR_MS

/** The author of silences if visitors have no names. */
export const authorOf = (name: string | undefined): string => name ?? 'immune node dashboard'

const textOf = (problem: string) =>
  v.pipe(v.string(problem), v.minLength(1, problem), v.maxLength(4_096, problem))

const timeOf = (problem: string) =>
  v.pipe(
    v.string(problem),
    v.maxLength(40, problem),
    v.transform((text) => Date.parse(text)),
    v.number(problem),
  )

const NO_ALARM = 'matchers must name one alarm and its severity'

/**
 * Exactly two equality matchers: `alarm` alone matches the alerts of all dashboards, and an empty value matches all other
 * alerts.
 */
const MatchersSchema = v.pipe(
  v.array(
    v.object({
      name: v.picklist(['alarm', 'severity']),
      value: textOf(NO_ALARM),
      isRegex: v.literal(false),
      isEqual: v.optional(v.literal(true), true),
    }),
    NO_ALARM,
  ),
  v.check((all) => all.length === 2 && all[0]?.name !== all[1]?.name, NO_ALARM),
  v.transform((all) => all.toSorted((a, b) => a.name.localeCompare(b.name))),
)

const SilenceSchema = v.object({
  id: v.optional(textOf('id is not text')),
  matchers: MatchersSchema,
  startsAt: timeOf('startsAt is not a time'),
  endsAt: timeOf('endsAt is not a time'),
  comment: textOf('comment is not text'),
})

/**
 * Rebuilds a page's silence with nothing else in it: for one alarm of a dashboard, for at most two hours, by `author`. With an
 * id it changes the existing one. The error says what is wrong.
 */
export function readSilence(
  given: unknown,
  author: string,
  nowMs: number,
): Result<{ readonly id: string | undefined; readonly document: object }, string> {
  const read = v.safeParse(SilenceSchema, given, { abortEarly: true })
  if (!read.success) return err(read.issues[0].message)
  const { id, matchers, startsAt, endsAt, comment } = read.output
  if (endsAt > nowMs + SILENCE_MAX_MS) return err('endsAt is more than two hours away')
  // Alertmanager would refuse to end a silence for a page whose clock is slow.
  const endMs = id === undefined ? endsAt : Math.max(endsAt, nowMs + SILENCE_END_MS)
  return ok({
    id,
    document: {
      ...(id !== undefined && { id }),
      matchers,
      startsAt: new Date(startsAt).toISOString(),
      endsAt: new Date(endMs).toISOString(),
      createdBy: author,
      comment,
    },
  })
}

/** Whether an Alertmanager's silence was created by this author for a dashboard. */
export const isSilenceOf = (author: string, given: unknown): boolean =>
  v.is(v.object({ matchers: MatchersSchema, createdBy: v.literal(author) }), given)

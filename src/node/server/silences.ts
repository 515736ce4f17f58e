import * as v from 'valibot'
import { err, ok, type Result } from '#base/result.ts'

/** Twice as long as a page makes one for, which it renews: clocks differ. */
const SILENCE_MAX_MS = 7_200_000

/** Whose silence it is where visitors have no names. */
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

/** Two that are equal to something: `alarm` alone marks the alerts of dashboards, and an empty value matches all others. */
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
  id: v.optional(textOf('id is no text')),
  matchers: MatchersSchema,
  startsAt: timeOf('startsAt is not a time'),
  endsAt: timeOf('endsAt is no time'),
  comment: textOf('comment is no text'),
})

/**
 * A silence as a page makes it, written anew with nothing else in it: of one alarm of a dashboard, for two hours at
 * most, by `author`. With an id it changes the one that is there. The error says what is wrong.
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
  return ok({
    id,
    document: {
      ...(id !== undefined && { id }),
      matchers,
      startsAt: new Date(startsAt).toISOString(),
      endsAt: new Date(endsAt).toISOString(),
      createdBy: author,
      comment,
    },
  })
}

/** Whether what an Alertmanager has is a silence of this author's, and of a dashboard. */
export const isSilenceOf = (author: string, given: unknown): boolean =>
  v.is(v.object({ matchers: MatchersSchema, createdBy: v.literal(author) }), given)

import { err, ok, type Result } from '#base/result.ts'

/** Twice as long as a page makes one for, which it renews: clocks differ. */
const SILENCE_MAX_MS = 7_200_000
const TEXT_CHARS_MAX = 4_096

/** Whose silence it is where visitors have no names. */
export const authorOf = (name: string | undefined): string => name ?? 'immune node dashboard'

/**
 * A silence as a page makes it, written anew with nothing else in it: of one alarm of a dashboard, for two hours at
 * most, by `author`. With an id it changes the one that is there. The error says what is wrong.
 */
export function readSilence(
  given: unknown,
  author: string,
  nowMs: number,
): Result<{ readonly id: string | undefined; readonly document: object }, string> {
  const id = member(given, 'id')
  if (id !== undefined && !isText(id)) return err('id is no text')
  const matchers = matchersIn(given)
  if (matchers === undefined) return err('matchers are not one alarm and its severity')
  const [startsAt, endsAt] = ['startsAt', 'endsAt'].map((name) => timeIn(member(given, name)))
  if (startsAt === undefined || endsAt === undefined) return err('startsAt and endsAt are not both times')
  if (endsAt > nowMs + SILENCE_MAX_MS) return err('endsAt is more than two hours away')
  const comment = member(given, 'comment')
  if (!isText(comment)) return err('comment is no text')
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
  matchersIn(given) !== undefined && member(given, 'createdBy') === author

/** Two that are equal to something: `alarm` alone tells which alerts are a dashboard's, and an empty value fits the others. */
function matchersIn(given: unknown): readonly object[] | undefined {
  const all = member(given, 'matchers')
  if (!Array.isArray(all) || all.length !== 2) return undefined
  const values = new Map(
    all.flatMap((one: unknown) => {
      const [name, value] = [member(one, 'name'), member(one, 'value')]
      const isEqual = member(one, 'isRegex') === false && [undefined, true].includes(truthOf(one))
      return isEqual && isText(name) && isText(value) ? [[name, value] as const] : []
    }),
  )
  const names = ['alarm', 'severity']
  if (values.size !== names.length || !names.every((name) => values.has(name))) return undefined
  return names.map((name) => ({ name, value: values.get(name), isRegex: false, isEqual: true }))
}

const truthOf = (matcher: unknown): boolean | undefined => {
  const isEqual = member(matcher, 'isEqual')
  return isEqual === undefined ? undefined : isEqual === true
}

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= TEXT_CHARS_MAX

function timeIn(value: unknown): number | undefined {
  const ms = typeof value === 'string' && value.length < 40 ? Date.parse(value) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined

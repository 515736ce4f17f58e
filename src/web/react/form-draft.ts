import * as v from 'valibot'
import { err, ok, type Result } from '#base/result.ts'
import { isObject, parseBy, problemOf, type FieldProblem, type PlainKind } from '#settings/documents.ts'

/** A field whose value goes into a document. */
export type WrittenField<T> = {
  /** For example `limits.stakeBelow`. */
  readonly at: string
  /** Undefined leaves the member out of the document. */
  readonly read: (shown: T) => Result<unknown, Unreadable>
  /** Problem kind that replaces the schema's message. */
  readonly refusedAs?: PlainKind
}

export type Field<T> = WrittenField<T> & {
  /** A value of another form, or none, gives what the field shows if nothing is set. */
  readonly show: (value: unknown) => T
}

export type Fields<D> = { readonly [K in keyof D]?: WrittenField<D[K]> }

type ShownFields = { readonly [name: string]: Pick<Field<unknown>, 'at' | 'show'> | undefined }

export type DraftOf<F extends ShownFields> = {
  readonly [K in keyof F]: F[K] extends { show: (value: unknown) => infer T } | undefined ? T : never
}

type Unreadable = Extract<FieldProblem, { kind: PlainKind | 'other' }>

/** `field` is undefined if no field matches. `message` is the schema's. */
export type DraftProblem<D> = {
  readonly field: keyof D | undefined
  readonly path: string
  readonly problem: FieldProblem
  readonly message: string
}

/** The first problem of each field. */
export type FieldProblems<D> = { readonly [K in keyof D]?: FieldProblem }

export function draftOf<F extends ShownFields>(fields: F, document: unknown): DraftOf<F> {
  const draft = Object.entries(fields).map(([name, field]): unknown[] => [
    name,
    field?.show(memberAt(document, field.at.split('.'))),
  ])
  return Object.fromEntries(draft)
}

/** Parses the form into a valid document, or lists all problems. `base` provides members that the form does not show. */
export function readDraft<const TSchema extends v.GenericSchema, D extends object>(
  schema: TSchema,
  fields: Fields<D>,
  draft: D,
  base: object = {},
): Result<v.InferOutput<TSchema>, readonly DraftProblem<D>[]> {
  const unreadable: DraftProblem<D>[] = []
  let document: unknown = base
  for (const name in fields) {
    const field: WrittenField<D[typeof name]> | undefined = fields[name]
    if (field === undefined) continue
    const read = field.read(draft[name])
    document = withMember(document, field.at.split('.'), read.ok ? read.value : undefined)
    if (!read.ok) {
      const message = read.error.kind === 'other' ? read.error.message : ''
      unreadable.push({ field: name, path: field.at, problem: read.error, message })
    }
  }
  const parsed = v.safeParse(schema, document)
  if (parsed.success && unreadable.length === 0) return ok(parsed.output)
  const refused = (parsed.issues ?? []).map((issue): DraftProblem<D> => {
    const path = v.getDotPath(issue) ?? ''
    const field = fieldAt(fields, path)
    // A check across several values says nothing about the notation of one.
    const isOwn = field !== undefined && !issue.type.endsWith('check')
    const kind = isOwn ? fields[field]?.refusedAs : undefined
    const problem = kind === undefined ? problemOf(issue, schema, document) : { kind }
    return { field, path, problem, message: issue.message }
  })
  // For an unreadable field the schema reports only that it is missing.
  const isNew = ({ path }: DraftProblem<D>): boolean =>
    unreadable.every((known) => !`${known.path}.`.startsWith(`${path}.`))
  return err([...unreadable, ...refused.filter(isNew)])
}

/** Like `readDraft`, for a form that shows problems next to its fields. */
export function readFields<const TSchema extends v.GenericSchema, D extends object>(
  schema: TSchema,
  fields: Fields<D>,
  draft: D,
  base: object = {},
): Result<v.InferOutput<TSchema>, FieldProblems<D>> {
  const read = readDraft(schema, fields, draft, base)
  return read.ok ? read : err(problemsByField(read.error))
}

function problemsByField<D>(problems: readonly DraftProblem<D>[]): FieldProblems<D> {
  const first: { [K in keyof D]?: FieldProblem } = {}
  for (const { field, problem } of problems) if (field !== undefined) first[field] ??= problem
  return first
}

/** Updates the visible problems and drops solved ones. New problems appear only on the next save. */
export function stillWrong<D>(shown: FieldProblems<D>, now: FieldProblems<D>): FieldProblems<D> {
  const still: { [K in keyof D]?: FieldProblem } = {}
  for (const name in shown) still[name] = now[name]
  return still
}

/** A line of text; empty leaves the member out. */
export const textField = (at: string): Field<string> => ({
  at,
  show: textOf,
  read: (shown) => ok(shown.trim() === '' ? undefined : shown.trim()),
})

/** Text stored exactly as typed, even if empty. */
export const exactField = (at: string): Field<string> => ({ at, show: textOf, read: (shown) => ok(shown) })

/** One of several options; `unset` leaves the member out. If nothing is set, shows `unset` or the first option. */
export const choiceField = <const C extends string, const U extends string = never>(
  at: string,
  choices: readonly [C, ...C[]],
  unset?: U,
): Field<C | U> => ({
  at,
  show: (value) => choices.find((choice) => choice === value) ?? unset ?? choices[0],
  read: (shown) => ok(shown === unset ? undefined : shown),
})

/** A list checked by `schema`. An empty list leaves the member out. */
export const listField = <T>(
  at: string,
  schema: v.GenericSchema<unknown, readonly T[]>,
): Field<readonly T[]> => ({
  at,
  show(value) {
    const parsed = parseBy(schema, value)
    return parsed.ok ? parsed.value : []
  },
  read: (shown) => ok(shown.length === 0 ? undefined : shown),
})

type NumberForm = {
  /** Factor from form to document. */
  readonly scale?: number
  /** The document requires whole numbers, so input is rounded. */
  readonly rounded?: boolean
  readonly required?: boolean
}

/** A number with a decimal point or comma. */
export const numberField = (
  at: string,
  { scale = 1, rounded = false, required = false }: NumberForm = {},
): Field<string> => ({
  at,
  show: (value) => (typeof value === 'number' ? String(exact(value / scale)) : ''),
  read(shown) {
    const text = shown.trim().replace(',', '.')
    if (text === '' && !required) return ok(undefined)
    if (!/^\d{1,15}(\.\d{1,12})?$/.test(text)) return err({ kind: 'not-a-number' })
    const value = exact(Number(text) * scale)
    return ok(rounded ? Math.round(value) : value)
  },
})

/** Stored in ms, typed in seconds. */
export const secondsField = (at: string, { required = false } = {}): Field<string> =>
  numberField(at, { scale: 1_000, rounded: true, required })

/** Stored as a ratio, typed in percent. */
export const percentField = (at: string, { required = false } = {}): Field<string> => {
  const field = numberField(at, { scale: 0.01, required })
  return {
    ...field,
    read(shown) {
      const read = field.read(shown.replace(/\s*%\s*$/, ''))
      return read.ok ? read : err({ kind: 'not-a-percentage' })
    },
    refusedAs: 'not-a-percentage',
  }
}

/** An amount, stored exactly as typed, because a double would round it. Accepts commas as group separators, as displayed. */
export const amountField = (at: string, { required = false } = {}): Field<string> => ({
  at,
  show: textOf,
  read(shown) {
    const text = shown.trim().replace(/(?<=\d),(?=\d{3})/g, '')
    return text === '' && required ? err({ kind: 'not-a-number' }) : ok(text === '' ? undefined : text)
  },
  refusedAs: 'not-a-number',
})

/** A field in which one word stands for a value that is not text, such as "none" for null. */
export const withWord = (word: string, value: unknown, field: Field<string>): Field<string> => ({
  ...field,
  show: (shown) => (shown === value ? word : field.show(shown)),
  read: (text) => (text.trim().toLowerCase() === word ? ok(value) : field.read(text)),
})

/** Names, one per line; none leaves the member out. */
export const linesField = (at: string): Field<string> => ({
  at,
  show: linesOf,
  read(shown) {
    const lines = new Set(shown.split('\n').map((line) => line.trim()))
    lines.delete('')
    return ok(lines.size === 0 ? undefined : Array.from(lines))
  },
})

export const wordsField = (at: string): Field<string> => ({
  at,
  show: linesOf,
  read: (shown) => ok(shown.split(/\s+/).filter((word) => word !== '')),
})

/** Named texts, one "name: value" per line. The text after the first colon and space is stored unchanged. */
export const namedTextsField = (at: string): Field<string> => ({
  at,
  show: (value) =>
    isObject(value)
      ? Object.entries(value)
          .map(([name, text]) => `${name}: ${String(text)}`)
          .join('\n')
      : '',
  read(shown) {
    const texts = new Map<string, string>()
    for (const line of shown.split('\n').filter((each) => each.trim() !== '')) {
      const colon = line.indexOf(':')
      const name = line.slice(0, colon).trim()
      if (colon <= 0)
        return err({
          kind: 'other',
          message: `has the line “${line.slice(0, 40)}”, which is not of the form name: value`,
        })
      if (texts.has(name)) return err({ kind: 'other', message: `lists ${name} twice` })
      texts.set(name, line.slice(colon + 1).replace(/^ /, ''))
    }
    return ok(Object.fromEntries(texts))
  },
})

const linesOf = (value: unknown): string => (Array.isArray(value) ? value.join('\n') : '')

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Removes floating-point noise such as 0.9750000000000001. */
const exact = (value: number): number => Number(value.toPrecision(15))

/** The document with a new value at a path; undefined removes the member. */
function withMember(document: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value
  const members = isObject(document) ? document : {}
  const next = withMember(members[name], rest, value)
  const { [name]: _before, ...others } = members
  if (next !== undefined) return { ...members, [name]: next }
  return isObject(document) ? others : undefined
}

const memberAt = (document: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), document)

/** The field whose path contains the problem's path, or is contained in it. */
function fieldAt<D>(fields: Fields<D>, path: string): keyof D | undefined {
  for (const name in fields) {
    const at = fields[name]?.at
    if (at !== undefined && path !== '' && (`${path}.`.startsWith(`${at}.`) || at.startsWith(`${path}.`)))
      return name
  }
  return undefined
}

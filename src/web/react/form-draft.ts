import * as v from 'valibot'
import { err, ok, type Result } from '#base/result.ts'
import { isObject, parseBy, problemOf, type FieldProblem, type PlainKind } from '#settings/documents.ts'

/** One field of a form: where its value stands in the document, how it is shown, how it is read. */
export type Field<T> = {
  /** As in `limits.stakeBelow`. */
  readonly at: string
  /** Undefined: the value is not of this form, and the field shows what an empty form does. */
  readonly show: (value: unknown) => T | undefined
  /** Undefined: the document gets no such member. */
  readonly read: (shown: T) => Result<unknown, Unreadable>
  /** Said of every value that the schema refuses, where its own words would not help. */
  readonly refusedAs?: PlainKind
}

/** Every field of a form, or of the variant of it that is chosen. */
export type Fields<D> = { readonly [K in keyof D]?: Field<D[K]> }

type Unreadable = Extract<FieldProblem, { kind: PlainKind | 'other' }>

/** `field` is undefined where no field is to blame. `message` is the schema's. */
export type DraftProblem<D> = {
  readonly field: keyof D | undefined
  readonly path: string
  readonly problem: FieldProblem
  readonly message: string
}

/** The first problem of each field. */
export type FieldProblems<D> = { readonly [K in keyof D]?: FieldProblem }

/** What a form shows of a document. */
export function draftOf<D extends object>(empty: D, fields: Fields<D>, document: unknown): D {
  const draft = { ...empty }
  for (const name in fields) {
    const field: Field<D[typeof name]> | undefined = fields[name]
    const shown = field?.show(memberAt(document, field.at.split('.')))
    if (shown !== undefined) draft[name] = shown
  }
  return draft
}

/** The document that a form describes, as its schema takes it; or everything that is wrong. `base` holds what the form does not show. */
export function readDraft<const TSchema extends v.GenericSchema, D extends object>(
  schema: TSchema,
  fields: Fields<D>,
  draft: D,
  base: object = {},
): Result<v.InferOutput<TSchema>, readonly DraftProblem<D>[]> {
  const unreadable: DraftProblem<D>[] = []
  let document: unknown = base
  for (const name in fields) {
    const field: Field<D[typeof name]> | undefined = fields[name]
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
    // What a check says of several values together is not about how one is written.
    const isOwn = field !== undefined && !issue.type.endsWith('check')
    const kind = isOwn ? fields[field]?.refusedAs : undefined
    const problem = kind === undefined ? problemOf(issue, schema, document) : { kind }
    return { field, path, problem, message: issue.message }
  })
  // Of a field that can't be read the schema only sees that it is not there.
  const isNew = ({ path }: DraftProblem<D>): boolean =>
    unreadable.every((known) => !`${known.path}.`.startsWith(`${path}.`))
  return err([...unreadable, ...refused.filter(isNew)])
}

/** As `readDraft`, for a form that says beside each field what is wrong with it. */
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

/** Of the problems in view, those that are there still, as they are now: a new one only comes with the next save. */
export function stillWrong<D>(shown: FieldProblems<D>, now: FieldProblems<D>): FieldProblems<D> {
  const still: { [K in keyof D]?: FieldProblem } = {}
  for (const name in shown) still[name] = now[name]
  return still
}

// --- fields

/** A line of text; empty: no such member. */
export const textField = (at: string): Field<string> => ({
  at,
  show: textOf,
  read: (shown) => ok(shown.trim() === '' ? undefined : shown.trim()),
})

/** A text that is kept letter by letter, empty or not. */
export const exactField = (at: string): Field<string> => ({ at, show: textOf, read: (shown) => ok(shown) })

/** One of a few; `unset` stands for no such member. */
export const choiceField = <const C extends string, const U extends string = never>(
  at: string,
  choices: readonly C[],
  unset?: U,
): Field<C | U> => ({
  at,
  show: (value) => choices.find((choice) => choice === value),
  read: (shown) => ok(shown === unset ? undefined : shown),
})

/** A member that has fields of its own kind, such as a list; `schema` says what it is. Empty lists are none. */
export const partField = <const TSchema extends v.GenericSchema>(
  at: string,
  schema: TSchema,
): Field<v.InferOutput<TSchema>> => ({
  at,
  show(value) {
    const parsed = parseBy(schema, value)
    return parsed.ok ? parsed.value : undefined
  },
  read: (shown) => ok(Array.isArray(shown) && shown.length === 0 ? undefined : shown),
})

type NumberForm = {
  /** What one in the form is in the document. */
  readonly scale?: number
  /** The document takes whole numbers only, and what is typed is rounded. */
  readonly rounded?: boolean
  readonly required?: boolean
}

/** A number with a point or a comma before its fraction. */
export const numberField = (
  at: string,
  { scale = 1, rounded = false, required = false }: NumberForm = {},
): Field<string> => ({
  at,
  show: (value) => (typeof value === 'number' ? String(exact(value / scale)) : undefined),
  read(shown) {
    const text = shown.trim().replace(',', '.')
    if (text === '' && !required) return ok(undefined)
    if (!/^\d{1,15}(\.\d{1,12})?$/.test(text)) return err({ kind: 'not-a-number' })
    const value = exact(Number(text) * scale)
    return ok(rounded ? Math.round(value) : value)
  },
})

/** Kept in ms, typed in seconds. */
export const secondsField = (at: string, { required = false } = {}): Field<string> =>
  numberField(at, { scale: 1_000, rounded: true, required })

/** Kept as a ratio, typed in percent. */
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

/** An amount, exact as it is typed; a double would round it. Commas between groups are as the screens write them. */
export const amountField = (at: string, { required = false } = {}): Field<string> => ({
  at,
  show: textOf,
  read(shown) {
    const text = shown.trim().replace(/(?<=\d),(?=\d{3})/g, '')
    return text === '' && required ? err({ kind: 'not-a-number' }) : ok(text === '' ? undefined : text)
  },
  refusedAs: 'not-a-number',
})

/** A field in which one word stands for a value that is no text, such as "none" for null. */
export const withWord = (word: string, value: unknown, field: Field<string>): Field<string> => ({
  ...field,
  show: (shown) => (shown === value ? word : field.show(shown)),
  read: (text) => (text.trim().toLowerCase() === word ? ok(value) : field.read(text)),
})

/** Names, one a line; none: no such member. */
export const linesField = (at: string): Field<string> => ({
  at,
  show: linesOf,
  read(shown) {
    const lines = new Set(shown.split('\n').map((line) => line.trim()))
    lines.delete('')
    return ok(lines.size === 0 ? undefined : Array.from(lines))
  },
})

/** A list of words. */
export const wordsField = (at: string): Field<string> => ({
  at,
  show: linesOf,
  read: (shown) => ok(shown.split(/\s+/).filter((word) => word !== '')),
})

/** Named texts, "name: value" one a line. What stands behind the first colon and a space is kept as it is. */
export const namedTextsField = (at: string): Field<string> => ({
  at,
  show: (value) =>
    isObject(value)
      ? Object.entries(value)
          .map(([name, text]) => `${name}: ${String(text)}`)
          .join('\n')
      : undefined,
  read(shown) {
    const texts = new Map<string, string>()
    for (const line of shown.split('\n').filter((each) => each.trim() !== '')) {
      const colon = line.indexOf(':')
      const name = line.slice(0, colon).trim()
      if (colon <= 0)
        return err({ kind: 'other', message: `“${line.slice(0, 40)}” is not of the form name: value` })
      if (texts.has(name)) return err({ kind: 'other', message: `${name} is there twice` })
      texts.set(name, line.slice(colon + 1).replace(/^ /, ''))
    }
    return ok(Object.fromEntries(texts))
  },
})

// --- how documents are taken apart and put together

const linesOf = (value: unknown): string | undefined => (Array.isArray(value) ? value.join('\n') : undefined)

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** 0.975 and not 0.9750000000000001. */
const exact = (value: number): number => Number(value.toPrecision(15))

/** The document with another value at a path, and without a member where that is undefined. */
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

/** The field that shows what a path leads to, a part of it, or what it is a part of. */
function fieldAt<D>(fields: Fields<D>, path: string): keyof D | undefined {
  for (const name in fields) {
    const at = fields[name]?.at
    if (at !== undefined && path !== '' && (`${path}.`.startsWith(`${at}.`) || at.startsWith(`${path}.`)))
      return name
  }
  return undefined
}

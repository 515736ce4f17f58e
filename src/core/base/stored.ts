import * as v from 'valibot'

/** A value read back from storage; undefined if it does not match `schema`. */
export function readStored<const S extends v.GenericSchema>(
  schema: S,
  value: unknown,
): v.InferOutput<S> | undefined {
  // Nobody reads the problems, and a large value may have many.
  const read = v.safeParse(schema, value, { abortEarly: true })
  return read.success ? read.output : undefined
}

/** A stored list. Drops entries that do not match `entry`; anything but a list becomes an empty one. */
export const storedList = <const S extends v.GenericSchema>(entry: S) =>
  v.pipe(
    v.fallback(v.array(v.unknown()), []),
    v.transform((entries): readonly v.InferOutput<S>[] =>
      entries.flatMap((each) => {
        const read = v.safeParse(entry, each)
        return read.success ? [read.output] : []
      }),
    ),
  )

const Members = v.record(v.string(), v.unknown())

/** The members of a JSON object; undefined for any other value. */
export const membersOf = (value: unknown): Record<string, unknown> | undefined =>
  Array.isArray(value) ? undefined : readStored(Members, value)

/** Undefined if the text is not JSON. The parser's messages differ between engines, so they are not passed on. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // The caller reports what it expected.
  }
}

import * as v from 'valibot'
import { err, ok, type Result } from '#base/result.ts'

/** One thing that is wrong with a document: where, and what to do. */
export type DocumentProblem = { readonly path: string; readonly message: string }

const PROBLEMS_MAX = 20

/** A document by its schema, or the first 20 things that are wrong with it. */
export function parseBy<const TSchema extends v.GenericSchema>(
  schema: TSchema,
  input: unknown,
): Result<v.InferOutput<TSchema>, readonly DocumentProblem[]> {
  const parsed = v.safeParse(schema, input)
  if (parsed.success) return ok(parsed.output)
  return err(
    parsed.issues
      .slice(0, PROBLEMS_MAX)
      .map((issue) => ({ path: v.getDotPath(issue) ?? '', message: issue.message })),
  )
}

import { err, ok, type Result } from '#base/result.ts'
import type { FileProblem, LineSource, TransferEnd } from './transfer.ts'

export type NotDone = Exclude<TransferEnd, { readonly kind: 'done' }>

/** `end`: only empty lines may follow. */
type Taken = 'end' | FileProblem['kind'] | NotDone | undefined

/** Reads the first line of a file as its head, and gives each other one to `take`, up to the first problem. Never rejects. */
export async function readLines<Head>(
  lines: LineSource,
  headOf: (text: string) => Result<Head, FileProblem>,
  take: (text: string, head: Head) => Taken | Promise<Taken>,
): Promise<Result<Head, NotDone>> {
  let line = 0
  const refused = (kind: FileProblem['kind']) => err<NotDone>({ kind: 'refused', problem: { kind, line } })
  let head: Result<Head, FileProblem> | undefined
  let isEnded = false
  try {
    for await (const text of lines()) {
      line++
      head ??= headOf(text)
      if (!head.ok) break
      if (line === 1 || (isEnded && text.trim() === '')) continue
      const taken = isEnded ? 'broken-line' : await take(text, head.value)
      if (typeof taken === 'object') return err(taken)
      if (taken === 'end') isEnded = true
      else if (taken !== undefined) return refused(taken)
    }
  } catch {
    line++
    return refused('too-long-line')
  }
  // A file without lines has an empty head.
  head ??= headOf('')
  if (!head.ok) return err({ kind: 'refused', problem: head.error })
  return isEnded ? ok(head.value) : refused('cut-off')
}

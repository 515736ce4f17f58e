import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What browsers added to this server, in memory and in a file of the data folder. */
export type KeptList<T> = { readonly get: () => readonly T[]; readonly set: (items: readonly T[]) => void }

type KeptListOptions<T> = {
  /** Undefined keeps the list in memory only. */
  readonly folder: string | undefined
  readonly file: string
  /** What the list holds, as a person calls it. */
  readonly things: string
  /** Undefined where the document is no such list. */
  readonly parse: (document: unknown) => readonly T[] | undefined
  readonly documentOf: (items: readonly T[]) => object
  readonly report: (line: string) => void
}

/** A folder that can't be used is said once and costs nothing else. */
export function openKeptList<T>(options: KeptListOptions<T>): KeptList<T> {
  const { folder, file, things, documentOf, report } = options
  const path = folder === undefined ? undefined : join(folder, file)
  let items = path === undefined ? [] : readItems(path, options)
  let saidUnwritable = false

  const save = () => {
    if (folder === undefined || path === undefined) return
    try {
      writeAtomically(folder, path, documentOf(items))
      saidUnwritable = false
    } catch (error) {
      if (saidUnwritable) return
      saidUnwritable = true
      report(
        `${path}: can not be written (${codeOf(error)}), so added ${things} are forgotten at the next start. Choose another folder with --data DIR.`,
      )
    }
  }

  return {
    get: () => items,
    set: (next) => {
      items = next
      save()
    },
  }
}

function readItems<T>(path: string, { parse, things, report }: KeptListOptions<T>): readonly T[] {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    // No file yet is the usual case at a first start.
    if (codeOf(error) !== 'ENOENT') report(`${path}: can not be read (${codeOf(error)}).`)
    return []
  }
  const items = parse(jsonOf(text))
  if (items !== undefined) return items
  setAside(path, things, report)
  return []
}

/** A damaged file is kept under another name: nothing that a person wrote is overwritten. */
function setAside(path: string, things: string, report: (line: string) => void) {
  const aside = `${path}.damaged`
  try {
    renameSync(path, aside)
    report(`${path}: is damaged and was renamed to ${aside}. Add the ${things} again in the dashboard.`)
  } catch (error) {
    report(`${path}: is damaged and can not be renamed (${codeOf(error)}).`)
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // no JSON is no valid document, which the caller reports
  }
}

/** A crash in between leaves the old file whole. */
function writeAtomically(folder: string, path: string, document: unknown) {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const draft = `${path}.${process.pid}.new`
  writeFileSync(draft, `${JSON.stringify(document, undefined, 2)}\n`, { mode: 0o600, flush: true })
  renameSync(draft, path)
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown'

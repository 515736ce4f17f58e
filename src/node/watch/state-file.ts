import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { jsonIn, membersOf } from '#base/stored.ts'
import { codeOf, createWriter } from '#node/files.ts'
import { replaceFile } from '#node/replace-file.ts'

/** The files of one folder. `read`: undefined where there is none; every call throws if the disk refuses. */
export type WatchFiles = {
  readonly read: (name: string) => string | undefined
  /** Readers get the old text or the new one, even after a crash. */
  readonly replace: (name: string, text: string) => void
  readonly append: (name: string, text: string) => void
}

export function diskFiles(folder: string): WatchFiles {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const at = (name: string): string => join(folder, name)
  return {
    read: (name) => {
      try {
        return readFileSync(at(name), 'utf8')
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return undefined
        throw error
      }
    },
    replace: (name, text) => replaceFile(at(name), text),
    append: (name, text) => appendFileSync(at(name), text, { mode: 0o600 }),
  }
}

/**
 * One document of several parts. Changes of one turn of the event loop are written together, so that an alarm never
 * counts as notified without its message in the outbox, nor the message without the alarm.
 */
export function openStateFile(files: WatchFiles, name: string, report: (line: string) => void) {
  const parts = new Map<string, string>()
  for (const [part, value] of Object.entries(readDocument(files, name, report)))
    parts.set(part, JSON.stringify(value))
  const write = createWriter(
    report,
    (code) => `${name}: can’t be written (${code}). A restart will lose alarms raised since the last write.`,
  )
  let writing: Promise<boolean> | undefined
  const writeAfterTurn = async (): Promise<boolean> => {
    await endOfTurn()
    writing = undefined
    const members = Array.from(parts, ([part, text]) => `${JSON.stringify(part)}:${text}`)
    return write(() => files.replace(name, `{${members.join(',\n')}}\n`))
  }
  return {
    get: (part: string): unknown => jsonIn(parts.get(part) ?? ''),
    names: (): readonly string[] => Array.from(parts.keys()),
    /** `undefined` removes the part. Resolves once it is on the disk; false: it could not be written. */
    put: (part: string, value: unknown): Promise<boolean> => {
      if (value === undefined) parts.delete(part)
      else parts.set(part, JSON.stringify(value))
      return (writing ??= writeAfterTurn())
    },
  }
}

/** Ticks run once no microtask is left, and before the next timer. */
const endOfTurn = (): Promise<void> =>
  new Promise((resolve) => queueMicrotask(() => process.nextTick(resolve)))

/** Keeps a damaged file under another name, and starts the watch without it. */
function readDocument(files: WatchFiles, name: string, report: (line: string) => void): object {
  const text = files.read(name)
  const document = text === undefined ? {} : membersOf(jsonIn(text))
  if (document !== undefined) return document
  files.replace(`${name}.damaged`, text ?? '')
  report(`${name}: is damaged and was saved as ${name}.damaged. Starting without it.`)
  return {}
}

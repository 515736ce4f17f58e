import { readFileSync, statSync } from 'node:fs'
import { readText } from '#base/read-text.ts'
import { err, type Result } from '#base/result.ts'

/** Node's error code, such as ENOENT; `unknown` if there is none. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown'

/** Why a file could not be read, as text that follows its path. */
export function unreadable(error: unknown): string {
  const code = codeOf(error)
  switch (code) {
    case 'ENOENT':
      return 'does not exist.'
    case 'EACCES':
    case 'EPERM':
      return 'is not readable by this user.'
    default:
      return `can’t be read (${code}).`
  }
}

/** Reads a text file of at most `maxBytes`. The error follows its path. */
export function readTextFile(path: string, maxBytes: number): Result<string, string> {
  try {
    if (statSync(path).size > maxBytes) return err(`is larger than ${maxBytes} bytes.`)
    const text = readText(readFileSync(path))
    return text.ok ? text : err('is not UTF-8 text. Save it as UTF-8.')
  } catch (error) {
    return err(unreadable(error))
  }
}

/** Makes a function that runs a write and returns whether it succeeded. Of successive failures it reports the first. */
export function createWriter(report: (line: string) => void, lineOf: (code: string) => string) {
  let isReported = false
  return (write: () => void): boolean => {
    try {
      write()
      isReported = false
      return true
    } catch (error) {
      if (!isReported) report(lineOf(codeOf(error)))
      isReported = true
      return false
    }
  }
}

/**
 * Changes whenever the file is written, replaced, or gets other permissions. Takes microseconds, so it is called at each use
 * instead of a watcher. Never throws.
 */
export function stampOf(path: string): string {
  try {
    const { ino, mtimeMs, ctimeMs, size } = statSync(path)
    return [ino, mtimeMs, ctimeMs, size].join(' ')
  } catch (error) {
    return codeOf(error)
  }
}

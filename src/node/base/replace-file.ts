import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Replaces a file atomically: concurrent readers, and readers after a crash, get either the old or the new file. Other users
 * of the computer must not read it.
 */
export function replaceFile(path: string, text: string): void {
  const draft = `${path}.${process.pid}.new`
  // May be left from a crash or planted by another user; removing a link leaves its target alone.
  rmSync(draft, { force: true })
  try {
    writeFileSync(draft, text, { flag: 'wx', mode: 0o600, flush: true })
    renameSync(draft, path)
    flushFolder(dirname(path))
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

/** Without this, a power cut may lose the rename, and with it a file that did not exist before. */
function flushFolder(folder: string): void {
  try {
    const entry = openSync(folder, 'r')
    try {
      fsyncSync(entry)
    } finally {
      closeSync(entry)
    }
  } catch {
    // Windows and some network file systems have no such call.
  }
}

import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  type Stats,
} from 'node:fs'
import { dirname } from 'node:path'

/**
 * Replaces a file atomically: concurrent readers, and readers after a crash, get either the old or the new file. `before`:
 * owner and permissions to keep.
 */
export function replaceFile(path: string, text: string, mode: number, before?: Stats): void {
  const draft = `${path}.${process.pid}.new`
  // May be left from a crash or planted by another user; removing a link leaves its target alone.
  rmSync(draft, { force: true })
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
  const file = openSync(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode)
  try {
    try {
      // The process's umask may have removed permissions when the file was created.
      if (before !== undefined) {
        fchownSync(file, before.uid, before.gid)
        fchmodSync(file, before.mode & 0o777)
      }
      writeFileSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
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
    const entry = openSync(folder, constants.O_RDONLY)
    try {
      fsyncSync(entry)
    } finally {
      closeSync(entry)
    }
  } catch {
    // Windows and some network file systems have no such call.
  }
}

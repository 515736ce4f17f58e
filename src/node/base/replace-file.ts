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

/** Readers meanwhile, or after a crash, get the old file or the new one. `before`: the owner and rights to keep. */
export function replaceFile(path: string, text: string, mode: number, before?: Stats): void {
  const draft = `${path}.${process.pid}.new`
  // Left by a crash, or put there by another: removing a link leaves its target alone.
  rmSync(draft, { force: true })
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
  const file = openSync(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode)
  try {
    try {
      // Opening alone leaves out what this process's umask forbids.
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
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder that is removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'dashboard-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A file in a folder of its own, which is removed after the test. */
export function temporaryFile(content: string | Uint8Array, mode?: number): string {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, content, { mode })
  return file
}

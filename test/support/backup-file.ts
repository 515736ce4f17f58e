import { createHash } from 'node:crypto'

/** A line of a backup with a valid checksum, computed independently of our code. */
export function backupLine(content: string): string {
  let sum = 0x811c9dc5
  for (const byte of Buffer.from(content)) sum = Math.imul(sum ^ byte, 0x01000193) >>> 0
  return `{"sum":"${sum.toString(16).padStart(8, '0')}","of":${content}}\n`
}

/** A backup of these lines, with the closing line that a complete file has. */
export function backupOf(contents: readonly string[]): string {
  const lines = contents.map(backupLine).join('')
  const sha256 = createHash('sha256').update(lines).digest('hex')
  return lines + backupLine(JSON.stringify({ end: true, sha256 }))
}

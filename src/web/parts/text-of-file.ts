import { readText } from '#base/read-text.ts'
import { err, type Result } from '#base/result.ts'

export type TextFileProblem = 'too-large' | 'other-encoding'

/** The text of a chosen file, up to `bytesMax` bytes. */
export async function textOfFile(file: Blob, bytesMax: number): Promise<Result<string, TextFileProblem>> {
  return file.size > bytesMax ? err('too-large') : readText(new Uint8Array(await file.arrayBuffer()))
}

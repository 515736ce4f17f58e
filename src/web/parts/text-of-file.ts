import { readText } from '#base/read-text.ts'
import { err, type Result } from '#base/result.ts'

export type TextFileProblem = 'too-large' | 'other-encoding'

export async function textOfFile(file: Blob, bytesMax: number): Promise<Result<string, TextFileProblem>> {
  return file.size > bytesMax ? err('too-large') : readText(new Uint8Array(await file.arrayBuffer()))
}

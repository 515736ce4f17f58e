import { LINE_MAX, type LineSource } from '#history/transfer/transfer.ts'

/** Reads a file line by line without loading all of it. */
export const linesOf = (file: Blob): LineSource =>
  async function* () {
    const reader = file.stream().pipeThrough(new TextDecoderStream()).getReader()
    let rest = ''
    try {
      while (true) {
        const { done, value } = await reader.read()
        if (done) break
        const lines = (rest + value).split('\n')
        rest = lines.pop() ?? ''
        if (rest.length > LINE_MAX) throw new RangeError('a line is too long')
        yield* lines
      }
      if (rest !== '') yield rest
    } finally {
      await reader.cancel()
    }
  }

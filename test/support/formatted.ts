import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { format } from 'oxfmt'

const STYLE = JSON.parse(readFileSync(join(import.meta.dirname, '../../.oxfmtrc.json'), 'utf8'))

/** A generated file's text as the formatter writes it. Throws where it can't be read as what `file` says by its ending. */
export async function formatted(file: string, text: string): Promise<string> {
  const { code, errors } = await format(file, text, STYLE)
  if (errors.length > 0) throw new Error(`${file}: ${errors.map(({ message }) => message).join(', ')}`)
  return code
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { format } from 'oxfmt'

const STYLE = JSON.parse(readFileSync(join(import.meta.dirname, '../../.oxfmtrc.json'), 'utf8'))

/** Formats a generated file's text. Throws if the formatter can't parse it by the extension of `file`. */
export async function formatted(file: string, text: string): Promise<string> {
  const { code, errors } = await format(file, text, STYLE)
  if (errors.length > 0) throw new Error(`${file}: ${errors.map(({ message }) => message).join(', ')}`)
  return code
}

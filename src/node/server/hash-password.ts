import { fail, type Command, type Output } from '#node/command-line.ts'
import { err, ok } from '#base/result.ts'
import { isAccountName, passwordLine } from './password-file.ts'

const NO_OPTIONS = {}

export const HASH_COMMAND: Command<typeof NO_OPTIONS, string> = {
  name: 'hash-password',
  summary: 'read a password from standard input and print its line for --password-file',
  usage: ['hash-password NAME'],
  groups: {},
  options: NO_OPTIONS,
  takesWords: true,
  read: (_, [name, ...more]) =>
    name !== undefined && more.length === 0 && isAccountName(name)
      ? ok(name)
      : err('Usage: hash-password NAME, with the password on standard input.'),
}

/** `readSecret`: reads all of standard input; typed characters are not shown. */
export async function hashPassword(
  name: string,
  output: Output & { readonly readSecret: (prompt: string) => Promise<string> },
  cost?: number,
): Promise<number> {
  const password = (await output.readSecret(`Password for ${name}: `)).replace(/\r?\n$/, '')
  const line = await passwordLine(name, password, cost)
  if (!line.ok) return fail(output, [line.error])
  output.out(line.value)
  return 0
}

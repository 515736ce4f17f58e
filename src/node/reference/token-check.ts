import { err, ok, type Result } from '#base/result.ts'
import { readTextFile } from '#node/files.ts'
import { isSameSecret } from '#node/same-secret.ts'
import type { Profile } from '#signing/profile.ts'
import { usesToken } from '#signing/profile-needs.ts'
import { fillTemplate } from '#signing/template.ts'
import { parseToken, TOKEN_CHARS_MAX } from '#signing/token.ts'
import { OptionsError } from './options.ts'
import type { Authenticate } from './profile-check.ts'

/** Checks a profile that sends a fixed token. The token may read every node. */
export function createTokenCheck(profile: Profile, token: string): Authenticate {
  const expected = Object.entries(profile.headers)
    .filter(([, template]) => template.includes('{token}'))
    .map(([name, template]) => {
      const value = fillTemplate(template, { texts: new Map([['token', token]]), bytes: new Map() })
      if (!value.ok)
        throw new OptionsError(`--profile: header ${name} may have {token} and no other placeholder.`)
      return [name.toLowerCase(), value.value] as const
    })
  if (!usesToken(profile) || expected.length === 0)
    throw new OptionsError('--token-file requires a --profile whose headers send {token}.')
  return ({ headers }) => {
    const sent = expected.map(([name, value]) => [headers[name] ?? [], value] as const)
    if (sent.some(([values]) => values.length === 0)) return err('credentials-missing')
    const fits = sent.every(([values, value]) => values.length === 1 && isSameSecret(values[0] ?? '', value))
    return fits ? ok({ nodes: '*' }) : err('token-wrong')
  }
}

/** Reads a token from a file; a final line end is allowed. The error is one line that says what to change. */
export function readTokenFile(file: string): Result<string, string> {
  const text = readTextFile(file, 2 * TOKEN_CHARS_MAX + 4)
  const line = text.ok ? text.value.replace(/\r?\n$/, '') : ''
  const token = parseToken(new TextEncoder().encode(line))
  return token.ok
    ? token
    : err(`takes a file with 1 to ${TOKEN_CHARS_MAX} visible ASCII characters on one line.`)
}

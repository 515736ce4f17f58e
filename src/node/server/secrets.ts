import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { err, ok, type Result } from '#base/result.ts'
import { KEY_FILE_BYTES_MAX } from '#keys/read-key.ts'
import { unreadable } from '#node/files.ts'

export type SecretWorld = {
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The rights of all but the owner. */
const OTHERS = 0o077
const GROUP_MAY_READ = 0o040

/**
 * Reads a secret from where `source` says: `env:NAME`, `credential:NAME` (systemd's LoadCredential), or a file that
 * only its owner may use. The caller zeroes the bytes. The error says what to do, without the secret.
 */
export function readSecretFrom(source: string, world: SecretWorld): Result<Buffer, string> {
  const [, kind, name = ''] = /^(env|credential):(.*)$/s.exec(source) ?? []
  if (kind === 'env') return fromEnvironment(name, world)
  if (kind === undefined) return fromFile(source, world.platform)
  const folder = world.env['CREDENTIALS_DIRECTORY']
  if (folder === undefined)
    return err(`${source}: CREDENTIALS_DIRECTORY is not set. systemd sets it for units with LoadCredential=.`)
  if (!/^[\w.@-]+$/.test(name) || name.startsWith('.'))
    return err(`${source}: is not a valid credential name.`)
  // systemd itself guards the folder, and gives the group of a unit's user a right to read.
  return read(join(folder, name))
}

function fromEnvironment(name: string, { env }: SecretWorld): Result<Buffer, string> {
  const value = env[name]
  return value === undefined || value === ''
    ? err(`env:${name}: this variable is not set.`)
    : ok(Buffer.from(value, 'utf8'))
}

/** Windows has access lists instead, of which a mode says nothing. */
const fromFile = (path: string, platform: NodeJS.Platform): Result<Buffer, string> =>
  read(path, platform === 'win32' ? 0 : OTHERS)

/** `forbidden`: rights that the file must not give. */
function read(path: string, forbidden = 0): Result<Buffer, string> {
  try {
    const { size, mode, uid } = statSync(path)
    // Kubernetes, Docker and systemd mount a secret as root's, for a group of the program alone, who can't change that.
    const isMounted = uid === 0 && process.getuid?.() !== 0
    if ((mode & forbidden & ~(isMounted ? GROUP_MAY_READ : 0)) !== 0)
      return err(
        isMounted
          ? `${path}: users outside its group may use this file. Mount it with mode 0440.`
          : `${path}: users other than its owner may use this file. Run: chmod 600 ${path}`,
      )
    if (size > KEY_FILE_BYTES_MAX) return err(`${path}: is larger than ${KEY_FILE_BYTES_MAX} bytes.`)
    return ok(readFileSync(path))
  } catch (error) {
    return err(`${path}: ${unreadable(error)}`)
  }
}

/** A word, such as a token: one line, without the line's end. */
export function readWordFrom(source: string, world: SecretWorld): Result<string, string> {
  const bytes = readSecretFrom(source, world)
  if (!bytes.ok) return bytes
  const text = bytes.value.toString('utf8').trim()
  return /^[\x21-\x7e]{1,4096}$/.test(text)
    ? ok(text)
    : err(`${source}: must be one line of printable ASCII without spaces.`)
}

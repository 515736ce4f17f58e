import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { err, ok, type Result } from '#base/result.ts'
import { KEY_FILE_BYTES_MAX } from '#keys/read-key.ts'
import { unreadable } from '#node/files.ts'

export type SecretWorld = {
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Permissions of group and others. */
const OTHERS = 0o077
const GROUP_MAY_READ = 0o040

/**
 * Reads a secret from `source`: `env:NAME`, `credential:NAME` (systemd's LoadCredential), or a file that only its owner may
 * use. The caller zeroes the bytes. The error says what to do and does not contain the secret.
 */
export function readSecretFrom(source: string, world: SecretWorld): Result<Buffer, string> {
  const [, kind, name = ''] = /^(env|credential):(.*)$/s.exec(source) ?? []
  if (kind === 'env') {
    const value = world.env[name] ?? ''
    return value === '' ? err(`${source}: this variable is not set.`) : ok(Buffer.from(value, 'utf8'))
  }
  // Windows uses access lists, which the mode does not show.
  if (kind === undefined) return read(source, world.platform === 'win32' ? 0 : OTHERS)
  const folder = world.env['CREDENTIALS_DIRECTORY']
  if (folder === undefined)
    return err(`${source}: CREDENTIALS_DIRECTORY is not set. systemd sets it for units with LoadCredential=.`)
  if (!/^[\w.@-]+$/.test(name) || name.startsWith('.'))
    return err(`${source}: is not a valid credential name.`)
  // systemd protects the folder itself, and gives the group of a unit's user read permission.
  return read(join(folder, name), 0)
}

/** `forbidden`: permissions that the file must not have. */
function read(path: string, forbidden: number): Result<Buffer, string> {
  try {
    const { size, mode, uid } = statSync(path)
    // Kubernetes, Docker and systemd mount a secret owned by root and readable for the program's own group, which the program
    // cannot change.
    const isMounted = uid === 0 && process.getuid?.() !== 0
    if ((mode & forbidden & ~(isMounted ? GROUP_MAY_READ : 0)) !== 0)
      return err(
        isMounted
          ? `${path}: users outside its group can access this file. Mount it with mode 0440.`
          : `${path}: users other than its owner can access this file. Run: chmod 600 ${path}`,
      )
    if (size > KEY_FILE_BYTES_MAX) return err(`${path}: is larger than ${KEY_FILE_BYTES_MAX} bytes.`)
    return ok(readFileSync(path))
  } catch (error) {
    return err(`${path}: ${unreadable(error)}`)
  }
}

/** A single-line secret such as a token, without the line end. */
export function readWordFrom(source: string, world: SecretWorld): Result<string, string> {
  const bytes = readSecretFrom(source, world)
  if (!bytes.ok) return bytes
  const text = bytes.value.toString('utf8').trim()
  return /^[\x21-\x7e]{1,4096}$/.test(text)
    ? ok(text)
    : err(`${source}: must be one line of printable ASCII without spaces.`)
}

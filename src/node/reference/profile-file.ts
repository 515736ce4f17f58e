import { readFileSync, statSync } from 'node:fs'
import { err, ok, type Result } from '#base/result.ts'
import { parseProfile, type Profile } from '#signing/profile.ts'
import { PROFILES } from '#signing/presets.ts'

export type NamedProfile = { readonly name: string; readonly profile: Profile }

const FILE_BYTES_MAX = 64 * 1024

/** A preset by its id, or the profile's document in a file; the error is one line that says what to change. */
export function readProfile(nameOrFile: string): Result<NamedProfile, string> {
  const preset = Object.hasOwn(PROFILES, nameOrFile) ? PROFILES[nameOrFile] : undefined
  if (preset !== undefined) return ok({ name: nameOrFile, profile: preset })
  const document = readJson(nameOrFile)
  if (document === undefined)
    return err(`takes one of ${Object.keys(PROFILES).join(', ')}, or a file with a profile as JSON.`)
  const profile = parseProfile(document)
  if (profile.ok) return ok({ name: 'custom', profile: profile.value })
  const [first] = profile.error
  return err(`${nameOrFile}: ${first?.path === '' ? '' : `${first?.path}: `}${first?.message}.`)
}

function readJson(file: string): unknown {
  try {
    return statSync(file).size > FILE_BYTES_MAX ? undefined : JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined // not there, not ours to read, or not JSON: the caller says what is wanted
  }
}

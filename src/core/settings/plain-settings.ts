import * as v from 'valibot'
import { DEFAULT_PROFILE_ID, isPresetId, isProofProfileId } from '#signing/preset-ids.ts'
import { documentsWith, SETTINGS_VERSION } from './settings-documents.ts'
import type { ServerConfig, Settings } from './settings.ts'

/** Operators' own rules are read by those who know them. */
const NoAlarms = v.strictObject({ rules: v.array(v.never()), maintenance: v.array(v.never()) })

/**
 * The documents as most are: every service with built-in profiles, no rule for alarms.
 * Reading these needs none of the code that knows the language of profiles.
 */
const { SettingsSchema, ServerConfigSchema } = documentsWith(
  v.optional(v.pipe(v.string(), v.check(isPresetId)), DEFAULT_PROFILE_ID),
  v.optional(v.pipe(v.string(), v.check(isProofProfileId))),
  v.optional(NoAlarms, { rules: [], maintenance: [] }),
)

export const EMPTY_SETTINGS: Settings = v.parse(SettingsSchema, { version: SETTINGS_VERSION })

/** Undefined where it takes `parseSettings` to tell. */
export function readPlainSettings(input: unknown): Settings | undefined {
  const parsed = v.safeParse(SettingsSchema, input)
  return parsed.success ? parsed.output : undefined
}

/** Undefined where it takes `parseServerConfig` to tell. */
export function readPlainServerConfig(input: unknown): ServerConfig | undefined {
  const parsed = v.safeParse(ServerConfigSchema, input)
  return parsed.success ? parsed.output : undefined
}

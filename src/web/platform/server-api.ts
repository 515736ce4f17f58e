import { DEFAULTS } from '#base/defaults.ts'
import { err, ok, type Result } from '#base/result.ts'
import type { ConfigProblem } from '#settings/documents.ts'
import type { ServerConfig } from '#settings/schema.ts'
import { askServer } from './ask-server.ts'
import { knownDocument } from './known-documents.ts'
import { siteName } from './site.ts'

/** Configuration for a host without one, such as a static host. This is not an error. */
export const NO_SERVER_CONFIG: ServerConfig = {
  version: 1,
  services: [],
  nodes: [],
  rules: [],
  canAddServices: false,
}

const known = knownDocument<ServerConfig>(siteName('immune-config-known'))

/** The limit of the configuration file plus space for the server's additions. */
const CONFIG_CHARS_MAX = DEFAULTS.configCharsMax + 65_536

/**
 * Loads the dashboard's own `/config.json`. A static host has none (404), and everything is then set in the browser. Otherwise
 * returns why it cannot be used.
 */
export async function loadServerConfig(): Promise<Result<ServerConfig, ConfigProblem>> {
  let text: string
  try {
    const response = await askServer('/config.json')
    const isJson = response.headers.get('content-type')?.includes('json') === true
    // A static host may answer any path with its page.
    if (response.status === 404 || !isJson) return ok(NO_SERVER_CONFIG)
    if (!response.ok) return err({ kind: 'status', status: response.status })
    text = await response.text()
    if (text.length > CONFIG_CHARS_MAX) return err({ kind: 'too-large' })
  } catch {
    return err({ kind: 'no-answer' })
  }
  try {
    const before = known.read(text)
    if (before !== undefined) return ok(before)
    const { parseServerConfig } = await import('#settings/documents.ts')
    const parsed = parseServerConfig(JSON.parse(text))
    if (!parsed.ok)
      return err({ kind: 'invalid', lines: parsed.error.map(({ path, message }) => `${path}: ${message}`) })
    known.note(text, parsed.value)
    return parsed
  } catch {
    return err({ kind: 'not-json' })
  }
}

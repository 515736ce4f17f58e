import * as v from 'valibot'
import { ok, type Result } from '#base/result.ts'
import { ReceiversSchema, type Receiver } from './receiver.ts'
import { parseBy, type DocumentProblem } from './document-problem.ts'
import { ServerConfigSchema, type ServerConfig } from './settings.ts'

/** What `--config FILE` holds: what `/config.json` says, and what only the server itself needs to know. */
export const ServerFileSchema = v.strictObject({
  ...ServerConfigSchema.entries,
  /** Where alarms may be sent to through this server. Their addresses may be secrets, so they are not in `/config.json`. */
  receivers: v.optional(ReceiversSchema, []),
})

export type ServerFile = { readonly config: ServerConfig; readonly receivers: readonly Receiver[] }

export function parseServerFile(input: unknown): Result<ServerFile, readonly DocumentProblem[]> {
  const parsed = parseBy(ServerFileSchema, input)
  if (!parsed.ok) return parsed
  const { receivers, ...config } = parsed.value
  return ok({ config, receivers })
}

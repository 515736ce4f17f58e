import * as v from 'valibot'
import { DEFAULTS } from '#base/defaults.ts'
import { ok, type Result } from '#base/result.ts'
import { ReceiversSchema, type Receiver } from './receiver.ts'
import { parsePublicBy, type DocumentProblem } from './document-problem.ts'
import { QueryApiSourceSchema, type QueryApiSource } from './query-api.ts'
import { ServerConfigSchema, type ServerConfig } from './settings.ts'

/** What `--config FILE` holds: what `/config.json` says, and what only the server itself needs to know. */
export const ServerFileSchema = v.strictObject({
  // Which services this server signs for depends on the keys that it is started with.
  ...v.omit(ServerConfigSchema, ['signedByServer', 'fileProblems', 'isViewOnly']).entries,
  /** Where alarms may be sent to through this server. Their addresses may be secrets, so they are not in `/config.json`. */
  receivers: v.optional(ReceiversSchema, []),
  /** Prometheus-compatible engines that know more of nodes than a browser recorded. Where they are, only the server knows. */
  queryApis: v.optional(v.pipe(v.array(QueryApiSourceSchema), v.maxLength(DEFAULTS.servicesMax)), []),
})

export type ServerFile = {
  readonly config: ServerConfig
  readonly receivers: readonly Receiver[]
  readonly queryApis: readonly QueryApiSource[]
}

export function parseServerFile(input: unknown): Result<ServerFile, readonly DocumentProblem[]> {
  const parsed = parsePublicBy(ServerFileSchema, input)
  if (!parsed.ok) return parsed
  const { receivers, queryApis, ...config } = parsed.value
  const told = queryApis.map(({ service, name, scrapeMs, days, live }) => ({
    ...(service !== undefined && { service }),
    name,
    scrapeMs,
    days,
    live,
  }))
  return ok({
    config: { ...config, ...(told.length > 0 && { queryApis: told }) },
    receivers,
    queryApis,
  })
}

import * as v from 'valibot'
import type { Result } from '#base/result.ts'
import { parseBy, parsePublicBy, type ValueProblem } from './document-problem.ts'
import { baseUrlOf, type ServiceId } from '#record/service.ts'
import {
  ServerConfigSchema,
  ServiceSchema,
  SettingsSchema,
  type SavedViewSchema,
  type WatchedNodeSchema,
} from './settings-documents.ts'

export type { DocumentProblem, ValueProblem } from './document-problem.ts'
export {
  CONFIG_VERSION,
  CONTRASTS,
  ServerConfigSchema,
  ServiceSchema,
  SETTINGS_VERSION,
  SettingsSchema,
  THEMES,
  TIME_ZONES,
} from './settings-documents.ts'

export type Service = v.InferOutput<typeof ServiceSchema>
export type WatchedNode = v.InferOutput<typeof WatchedNodeSchema>
export type SavedView = v.InferOutput<typeof SavedViewSchema>
export type Settings = v.InferOutput<typeof SettingsSchema>
export type ServerConfig = v.InferOutput<typeof ServerConfigSchema>

/** Why there is nothing from the server to start from. */
export type ConfigProblem =
  | { readonly kind: 'no-answer' | 'not-json' | 'too-large' }
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'invalid'; readonly lines: readonly string[] }

export const parseSettings = (input: unknown): Result<Settings, readonly ValueProblem[]> =>
  parseBy(SettingsSchema, input)
export const parseServerConfig = (input: unknown): Result<ServerConfig, readonly ValueProblem[]> =>
  parsePublicBy(ServerConfigSchema, input)

export const parseService = (input: unknown): Result<Service, readonly ValueProblem[]> =>
  parseBy(ServiceSchema, input)

/** The service at a checked base URL, with every default filled in. */
export const serviceAt = (baseUrl: string, via: Service['via']): Service =>
  v.parse(ServiceSchema, { baseUrl, via })

/** Where a request to a service goes: the service itself, or this server's proxy. `serverOrigin` has no slash at the end. */
export const requestBase = (serviceId: ServiceId, via: 'proxy' | 'direct', serverOrigin: string): string =>
  via === 'proxy' ? `${serverOrigin}/proxy/${serviceId}` : (baseUrlOf(serviceId) ?? '')

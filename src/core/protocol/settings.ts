import * as v from 'valibot'
import { err, ok, type Result } from '#base/result.ts'
import { DEFAULTS } from './defaults.ts'
import { parseNodeId } from './node-id.ts'
import { PROFILES } from './presets.ts'
import { ProfileSchema } from './profile.ts'
import { baseUrlOf, parseBaseUrl, type ServiceId } from './service.ts'

export const SETTINGS_VERSION = 1

const wholeMs = (min: number, max: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max))

const Label = v.pipe(v.string(), v.trim(), v.maxLength(60))

const BaseUrl = v.pipe(
  v.string(),
  v.rawTransform<string, string>(({ dataset, addIssue, NEVER }) => {
    const parsed = parseBaseUrl(dataset.value)
    if (parsed.ok) return parsed.value
    addIssue({
      message:
        'is not the base URL of a service: give http(s)://host[:port][/path], without user, query or #',
    })
    return NEVER
  }),
)

const NodeIdText = v.pipe(
  v.string(),
  v.trim(),
  v.check((text) => parseNodeId(text).ok, 'is not a node id: 0x and hex digits'),
)

/** One service, and what its interface leaves open. */
export const ServiceSchema = v.strictObject({
  baseUrl: BaseUrl,
  label: v.optional(Label),
  /** `proxy`: asked through this dashboard's own server, which needs no CORS. `direct`: asked by the browser itself. */
  via: v.optional(v.picklist(['proxy', 'direct']), 'proxy'),
  /** The id of a built-in profile, or a profile's document. */
  profile: v.optional(
    v.union([
      v.pipe(
        v.string(),
        v.check((id) => Object.hasOwn(PROFILES, id), 'is not a built-in profile'),
      ),
      ProfileSchema,
    ]),
    'bearer-v1',
  ),
  /** Public key (64 hex digits) of the key that signs; absent: the only key there is. */
  key: v.optional(v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, 'is not a public key of 64 hex digits'))),
  pollIntervalMs: v.optional(
    wholeMs(DEFAULTS.pollIntervalMinMs, DEFAULTS.pollIntervalMaxMs),
    DEFAULTS.pollIntervalMs,
  ),
  deadlineMs: v.optional(wholeMs(DEFAULTS.deadlineMinMs, DEFAULTS.deadlineMaxMs), DEFAULTS.deadlineMs),
  heartbeatPeriodMs: v.optional(wholeMs(1_000, 86_400_000), DEFAULTS.heartbeatPeriodMs),
  participationUnit: v.optional(v.picklist(['auto', 'ratio', 'percent']), 'auto'),
  /** Shown behind stake; blank where the service names none. */
  stakeUnit: v.optional(v.pipe(v.string(), v.trim(), v.maxLength(12)), ''),
})

/** One watched node. Without `id` the service reports the node of the signing key. */
export const WatchedNodeSchema = v.strictObject({
  /** The service's base URL; absent: the first service. */
  service: v.optional(BaseUrl),
  id: v.optional(NodeIdText),
  name: v.optional(Label),
  tags: v.optional(v.pipe(v.array(Label), v.maxLength(16)), []),
})

const Services = v.pipe(v.array(ServiceSchema), v.maxLength(DEFAULTS.servicesMax))
const Nodes = v.pipe(v.array(WatchedNodeSchema), v.maxLength(DEFAULTS.nodesMax))

export const THEMES = ['system', 'dark', 'light'] as const
export const CONTRASTS = ['system', 'normal', 'more'] as const
export const TIME_ZONES = ['utc', 'local'] as const

/** What the operator set in this browser. One document, one version. */
export const SettingsSchema = v.strictObject({
  version: v.literal(SETTINGS_VERSION),
  services: v.optional(Services, []),
  nodes: v.optional(Nodes, []),
  display: v.optional(
    v.strictObject({
      theme: v.optional(v.picklist(THEMES), 'system'),
      contrast: v.optional(v.picklist(CONTRASTS), 'system'),
      timeZone: v.optional(v.picklist(TIME_ZONES), 'utc'),
    }),
    {},
  ),
})

/** What the dashboard's server provides as `/config.json`: the first part of the settings, and what a first run offers. */
export const ServerConfigSchema = v.strictObject({
  $schema: v.optional(v.string()),
  version: v.literal(SETTINGS_VERSION),
  services: v.optional(Services, []),
  nodes: v.optional(Nodes, []),
  /** A demo service on this computer; its nodes are offered with one click. */
  demo: v.optional(v.strictObject({ service: ServiceSchema, nodes: Nodes })),
  /** Whether this server lets the operator add services to its proxy from the browser. */
  canAddServices: v.optional(v.boolean(), false),
})

export type Service = v.InferOutput<typeof ServiceSchema>
export type WatchedNode = v.InferOutput<typeof WatchedNodeSchema>
export type Settings = v.InferOutput<typeof SettingsSchema>
export type ServerConfig = v.InferOutput<typeof ServerConfigSchema>

/** One thing that is wrong with a document: where, and what to do. */
export type DocumentProblem = { readonly path: string; readonly message: string }

export const parseSettings = (input: unknown): Result<Settings, readonly DocumentProblem[]> =>
  parseWith(SettingsSchema, input)
export const parseServerConfig = (input: unknown): Result<ServerConfig, readonly DocumentProblem[]> =>
  parseWith(ServerConfigSchema, input)

const PROBLEMS_MAX = 20

function parseWith<const TSchema extends v.GenericSchema>(
  schema: TSchema,
  input: unknown,
): Result<v.InferOutput<TSchema>, readonly DocumentProblem[]> {
  const parsed = v.safeParse(schema, input)
  if (parsed.success) return ok(parsed.output)
  return err(
    parsed.issues
      .slice(0, PROBLEMS_MAX)
      .map((issue) => ({ path: v.getDotPath(issue) ?? '', message: issue.message })),
  )
}

export const EMPTY_SETTINGS: Settings = {
  version: SETTINGS_VERSION,
  services: [],
  nodes: [],
  display: { theme: 'system', contrast: 'system', timeZone: 'utc' },
}

export const profileOf = (service: Service) =>
  typeof service.profile === 'string' ? PROFILES[service.profile] : service.profile

/** Where a request to a service goes: the service itself, or this server's proxy. `serverOrigin` has no slash at the end. */
export const requestBase = (serviceId: ServiceId, via: 'proxy' | 'direct', serverOrigin: string): string =>
  via === 'proxy' ? `${serverOrigin}/proxy/${serviceId}` : (baseUrlOf(serviceId) ?? '')

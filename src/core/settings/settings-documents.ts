import * as v from 'valibot'
import { DEFAULTS } from '#base/defaults.ts'
import { isPolicyHost } from '#record/service.ts'
import { ProofSetting } from '#proof/proof-profile.ts'
import { DEFAULT_PROFILE_ID, isPresetId } from '#signing/preset-ids.ts'
import { ProfileSchema } from '#signing/profile.ts'
import { AlarmSettingsSchema } from './alarm-settings.ts'
import { BaseUrl, Label, NodeIdText, Tag, wholeMs } from './fields.ts'
import { QueryApiSchema } from './query-api.ts'
import { RuleSchema } from './rules.ts'
import { TAGS_MAX } from './tag.ts'

export const SETTINGS_VERSION = 1
/** Of `/config.json`. */
export const CONFIG_VERSION = 1

/** One watched node. Without `id` the service reports the node of the signing key. */
export const WatchedNodeSchema = v.strictObject({
  /** The service's base URL; absent: the first service. */
  service: v.optional(BaseUrl),
  id: v.optional(NodeIdText),
  name: v.optional(Label),
  tags: v.optional(v.pipe(v.array(Tag), v.maxLength(TAGS_MAX)), []),
  /** How often it is asked; absent: as often as its service says. */
  pollIntervalMs: v.optional(wholeMs(DEFAULTS.pollIntervalMinMs, DEFAULTS.pollIntervalMaxMs)),
  /** The operator's own words about the node. */
  notes: v.optional(v.pipe(v.string(), v.trim(), v.maxLength(DEFAULTS.notesCharsMax))),
})

const Nodes = v.pipe(v.array(WatchedNodeSchema), v.maxLength(DEFAULTS.nodesMax))
const Rules = v.pipe(v.array(RuleSchema), v.maxLength(DEFAULTS.rulesMax))

export const VIEW_QUERY_CHARS_MAX = 4_000

/** A view of the fleet: what it is called, and what stands behind the "?" of its address. */
export const SavedViewSchema = v.strictObject({
  name: v.pipe(v.string(), v.trim(), v.minLength(1, 'is empty'), v.maxLength(60)),
  query: v.pipe(v.string(), v.maxLength(VIEW_QUERY_CHARS_MAX)),
})
const Views = v.pipe(v.array(SavedViewSchema), v.maxLength(DEFAULTS.viewsMax))

export const THEMES = ['system', 'dark', 'light'] as const
export const CONTRASTS = ['system', 'normal', 'more'] as const
export const TIME_ZONES = ['utc', 'local'] as const

/** A browser connects only to hosts that the page's policy can name. */
const browserCanName = <T>() =>
  v.rawCheck<T>(({ dataset, addIssue }) => {
    const input: { readonly baseUrl?: unknown; readonly via?: unknown } = Object(dataset.value)
    const { baseUrl, via } = input
    if (via !== 'direct' || typeof baseUrl !== 'string' || !dataset.typed) return
    if (isPolicyHost(new URL(baseUrl).hostname)) return
    addIssue({
      message:
        'can’t be direct: the host has an underscore, which the page’s Content-Security-Policy can’t name',
      path: [{ type: 'object', origin: 'value', input: { ...input }, key: 'via', value: via }],
    })
  })

const Profile = v.optional(
  v.union([v.pipe(v.string(), v.check(isPresetId, 'is not a built-in profile')), ProfileSchema]),
  DEFAULT_PROFILE_ID,
)

const PublicKey = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, 'is not a public key of 64 hex digits'))

/** One service: where it is, and how it is asked. */
const ServiceFields = v.strictObject({
  baseUrl: BaseUrl,
  label: v.optional(Label),
  /** `proxy`: asked through this dashboard's own server, which needs no CORS. `direct`: asked by the browser itself. */
  via: v.optional(v.picklist(['proxy', 'direct']), 'proxy'),
  /** The id of a built-in profile, or a profile's document. */
  profile: Profile,
  /** How proofs are checked: a built-in proof profile's id, or a document. Absent: they are not, only their changes are shown. */
  proof: v.optional(ProofSetting),
  /** Public key (64 hex digits) of the key that signs; absent: the only key there is. */
  key: v.optional(PublicKey),
  pollIntervalMs: v.optional(
    wholeMs(DEFAULTS.pollIntervalMinMs, DEFAULTS.pollIntervalMaxMs),
    DEFAULTS.pollIntervalMs,
  ),
  timeoutMs: v.optional(wholeMs(DEFAULTS.timeoutMinMs, DEFAULTS.timeoutMaxMs), DEFAULTS.timeoutMs),
  /** Requests a second at most; absent: only those in flight are limited. */
  pace: v.optional(v.pipe(v.number(), v.minValue(DEFAULTS.paceMin), v.maxValue(DEFAULTS.paceMax))),
})
export const ServiceSchema = v.pipe(ServiceFields, browserCanName())

const Services = v.pipe(v.array(ServiceSchema), v.maxLength(DEFAULTS.servicesMax))

/** What the operator set in this browser. One document, one version. */
export const SettingsSchema = v.strictObject({
  version: v.literal(SETTINGS_VERSION),
  services: v.optional(Services, []),
  nodes: v.optional(Nodes, []),
  /** Units and limits by service, tag and node. */
  rules: v.optional(Rules, []),
  display: v.optional(
    v.strictObject({
      theme: v.optional(v.picklist(THEMES), 'system'),
      contrast: v.optional(v.picklist(CONTRASTS), 'system'),
      timeZone: v.optional(v.picklist(TIME_ZONES), 'utc'),
    }),
    {},
  ),
  /** Rules for alarms beside those that always hold, and times in which nobody is to be called. */
  alarms: v.optional(AlarmSettingsSchema, {}),
  /** Views of the fleet that were saved, in the order in which they are listed. */
  views: v.optional(Views, []),
  /** How much history is stored in this browser. */
  history: v.optional(
    v.strictObject({
      samplesDays: v.optional(
        v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(3_650)),
        DEFAULTS.historySamplesDays,
      ),
      rollupsDays: v.optional(
        v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(3_650)),
        DEFAULTS.historyRollupsDays,
      ),
      budgetBytes: v.optional(
        v.pipe(v.number(), v.integer(), v.minValue(10_000_000), v.maxValue(1e12)),
        DEFAULTS.historyBudgetBytes,
      ),
    }),
    {},
  ),
})

/** What the dashboard's server provides as `/config.json`: the first part of the settings, and what a first run offers. */
export const ServerConfigSchema = v.strictObject({
  $schema: v.optional(v.string()),
  version: v.literal(CONFIG_VERSION),
  services: v.optional(Services, []),
  nodes: v.optional(Nodes, []),
  /** Units and limits by service, tag and node. */
  rules: v.optional(Rules, []),
  /** Rules for alarms, and times in which nobody is called, for everybody who opens this dashboard. */
  alarms: v.optional(AlarmSettingsSchema),
  /** Views of the fleet under names. */
  views: v.optional(Views),
  /** Services whose requests the dashboard’s server signs itself, with the key that it holds: a page needs none for them. */
  signedByServer: v.optional(v.array(v.strictObject({ service: BaseUrl, publicKey: PublicKey }))),
  /** Where more is known of nodes than this browser recorded. */
  queryApis: v.optional(v.pipe(v.array(QueryApiSchema), v.maxLength(DEFAULTS.servicesMax))),
  /** A demo service on this computer; its nodes are offered with one click. */
  demo: v.optional(v.strictObject({ service: ServiceSchema, nodes: Nodes })),
  /** Why the server does not use its file as it stands now: what it read before holds. */
  fileProblems: v.optional(v.pipe(v.array(v.pipe(v.string(), v.maxLength(1_000))), v.maxLength(20))),
  /** This page can look only: it was not opened by the address that the server printed at its start. */
  isViewOnly: v.optional(v.boolean()),
  /** Whether this server lets the operator add services to its proxy from the browser. */
  canAddServices: v.optional(v.boolean(), false),
})

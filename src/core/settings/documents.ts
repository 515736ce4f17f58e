import * as v from 'valibot'
import { err, ok, type Result } from '#base/result.ts'
import { jsonIn } from '#base/stored.ts'
import { canonicalNodeId } from '#record/node-id.ts'
import { ProfileSchema, type Profile } from '#signing/profile.ts'
import { EMPTY_SETTINGS, ruleKey, type RuleScope } from './effective.ts'
import {
  QueryApiSchema,
  ServerConfigSchema,
  ServerFileSchema,
  ServiceSchema,
  SETTINGS_VERSION,
  SettingsSchema,
  type QueryApiSource,
  type Rule,
  type ServerConfig,
  type Service,
  type Settings,
  type WatchedNode,
} from './schema.ts'
import { ReceiverSchema, type Receiver } from './receiver.ts'

export type PlainKind = 'not-a-number' | 'not-a-percentage' | 'not-whole' | 'empty'

export type FieldProblem =
  | { readonly kind: PlainKind }
  | { readonly kind: 'out-of-range'; readonly min: number; readonly max: number }
  | { readonly kind: 'too-long' | 'too-many'; readonly max: number }
  | { readonly kind: 'other'; readonly message: string }

export type DocumentProblem = { readonly path: string; readonly message: string }

export type ValueProblem = DocumentProblem & { readonly problem: FieldProblem }

export type ConfigProblem =
  | { readonly kind: 'no-answer' | 'not-json' | 'too-large' }
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'invalid'; readonly lines: readonly string[] }

type Parsed<T> = Result<T, readonly ValueProblem[]>

const PROBLEMS_MAX = 20

/** `secretsOf`: paths of secrets that the document must not contain; they are reported first. */
export function parseBy<const TSchema extends v.GenericSchema>(
  schema: TSchema,
  input: unknown,
  secretsOf: (input: unknown) => readonly string[] = () => [],
): Parsed<v.InferOutput<TSchema>> {
  const parsed = v.safeParse(schema, input)
  if (parsed.success) return ok(parsed.output)
  const secrets = secretsOf(input)
  const exposed = { message: EXPOSED, problem: { kind: 'other', message: EXPOSED } } as const
  const others = parsed.issues.map((issue) => ({
    path: v.getDotPath(issue) ?? '',
    message: messageOf(issue),
    problem: problemOf(issue, schema, input),
  }))
  return err(
    firstOf([
      ...secrets.map((path) => ({ path, ...exposed })),
      ...others.filter(({ path }) => !secrets.includes(path)),
    ]),
  )
}

function firstOf(problems: readonly ValueProblem[]): readonly ValueProblem[] {
  if (problems.length <= PROBLEMS_MAX) return problems
  const message = `has ${problems.length - PROBLEMS_MAX + 1} more problems`
  const rest: ValueProblem = { path: '', message, problem: { kind: 'other', message } }
  return [...problems.slice(0, PROBLEMS_MAX - 1), rest]
}

const NOUNS = new Map([
  ['string', 'a string'],
  ['number', 'a number'],
  ['boolean', 'true or false'],
  ['Array', 'a list'],
  ['Object', 'an object'],
])
const nounOf = (type: string): string => NOUNS.get(type) ?? type

/** Valibot's own messages, such as "Invalid type: Expected string but received 5", as the end of a sentence about the member. */
function messageOf({ type, expected, received, requirement, input, message }: Issue): string {
  if (!message.startsWith('Invalid ')) return message
  if (type === 'strict_object' && expected === 'never') return 'is not a known setting'
  if (received === 'undefined') return 'is missing'
  switch (type) {
    case 'integer':
      return `must be a whole number, not ${received}`
    case 'min_value':
      return `must be at least ${String(requirement)}, not ${received}`
    case 'max_value':
      return `must be at most ${String(requirement)}, not ${received}`
    case 'min_length':
      return 'is empty'
    case 'max_length':
      return `has more than ${String(requirement)} ${Array.isArray(input) ? 'entries' : 'characters'}`
    default: {
      const wanted = (expected ?? '').replaceAll(/[()]/g, '').split(' | ').map(nounOf)
      return expected === null
        ? message
        : `must be ${wanted.join(', ').replace(/, ([^,]*)$/, ' or $1')}, not ${nounOf(received)}`
    }
  }
}

export const parseSettings = (input: unknown): Parsed<Settings> => parseBy(SettingsSchema, input)
export const parseService = (input: unknown): Parsed<Service> => parseBy(ServiceSchema, input)
export const parseProfile = (input: unknown): Parsed<Profile> => parseBy(ProfileSchema, input)
export const parseReceiver = (input: unknown): Parsed<Receiver> => parseBy(ReceiverSchema, input)
export const parseServerConfig = (input: unknown): Parsed<ServerConfig> =>
  parsePublicBy(ServerConfigSchema, input)

export type ServerFile = {
  readonly config: ServerConfig
  readonly receivers: readonly Receiver[]
  readonly queryApis: readonly QueryApiSource[]
}

export function parseServerFile(input: unknown): Result<ServerFile, readonly DocumentProblem[]> {
  const parsed = parsePublicBy(ServerFileSchema, input)
  if (!parsed.ok) return parsed
  const {
    receivers,
    queryApis,
    display: _display,
    history: _history,
    serviceKeys: _keys,
    ...config
  } = parsed.value
  // The server's file has further members (URL, credentials) that browsers must not get.
  const shown = v.parse(v.array(v.object(QueryApiSchema.entries)), queryApis)
  return ok({ config: { ...config, ...(shown.length > 0 && { queryApis: shown }) }, receivers, queryApis })
}

/** Names of members that may contain secrets, in any spelling. */
const SECRET =
  /^(.*(private|secret|password|passphrase|passwd|mnemonic|credential|token|api[-_]?key|access[-_]?key).*|key|seed|pin|auth|authorization|bearer|jwt)$/i
/** Only the server reads these; browsers never get them. */
const OF_SERVER: readonly string[] = ['receivers', 'queryApis']
/** Documents with their own member names, where `token` is a setting and not a secret. */
const DOCUMENTS: readonly string[] = ['profile', 'proof']
const PUBLIC_KEY = /^[0-9a-f]{64}$/
const DEPTH_MAX = 32
const EXPOSED =
  'every visitor can read this file, so it must not contain keys or other secrets: remove the secret, and replace it wherever it is used, because someone may have read it'

/** For a document that every visitor can read: members that look like secrets are reported first. */
export const parsePublicBy = <const TSchema extends v.GenericSchema>(schema: TSchema, input: unknown) =>
  parseBy(schema, input, secretsIn)

function secretsIn(value: unknown, path: readonly string[] = []): readonly string[] {
  if (typeof value !== 'object' || value === null || path.length > DEPTH_MAX) return []
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
    const here = [...path, name]
    if (path.length === 0 && OF_SERVER.includes(name)) return []
    if (DOCUMENTS.includes(name)) return []
    const isPublicKey = name === 'key' && typeof member === 'string' && PUBLIC_KEY.test(member)
    if (!Array.isArray(value) && SECRET.test(name) && !isPublicKey) return [here.join('.')]
    return secretsIn(member, here)
  })
}

type Issue = v.BaseIssue<unknown>

export function problemOf(issue: Issue, schema: v.GenericSchema, document: unknown): FieldProblem {
  const max = Number(issue.requirement)
  switch (issue.type) {
    case 'min_value':
    case 'max_value': {
      // An issue names only the bound that was violated.
      const rules = schemasAt(schema, document, keysOf(issue)).flatMap(({ pipe = [] }) => pipe)
      const boundOf = (type: string, unbounded: number) =>
        Number(rules.find((rule) => rule.type === type)?.requirement ?? unbounded)
      const [least, most] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]
      return { kind: 'out-of-range', min: boundOf('min_value', least), max: boundOf('max_value', most) }
    }
    case 'max_length':
      return { kind: Array.isArray(issue.input) ? 'too-many' : 'too-long', max }
    case 'min_length':
      return { kind: 'empty' }
    case 'integer':
      return { kind: 'not-whole' }
    case 'number':
      return { kind: 'not-a-number' }
    default:
      return { kind: 'other', message: messageOf(issue) }
  }
}

// --- paths through a schema and its document

type Walked = {
  readonly wrapped?: unknown
  readonly key?: string
  readonly options?: readonly unknown[]
  readonly entries?: Readonly<Record<string, unknown>>
  readonly item?: unknown
  readonly value?: unknown
  readonly pipe?: readonly { readonly type: string; readonly requirement?: unknown }[]
}

const keysOf = ({ path }: Issue): readonly unknown[] => (path ?? []).map(({ key }) => key)

const memberOf = (value: unknown, key: unknown): unknown => Object(value)[String(key)]

function choicesOf(schema: unknown, value: unknown): readonly Walked[] {
  const walked: Walked = Object(schema)
  if (walked.wrapped !== undefined) return choicesOf(walked.wrapped, value)
  if (walked.options === undefined || walked.entries !== undefined) return [walked]
  const all = walked.options.filter((option) => typeof option === 'object')
  const { key } = walked
  const named = all.filter((option) => {
    const literal: Walked & { readonly literal?: unknown } = Object(
      memberOf(memberOf(option, 'entries'), key),
    )
    return key !== undefined && literal.literal === memberOf(value, key)
  })
  return (named.length > 0 ? named : all).flatMap((option) => choicesOf(option, value))
}

function schemasAt(schema: unknown, document: unknown, path: readonly unknown[]): readonly Walked[] {
  let value = document
  let schemas = choicesOf(schema, value)
  for (const key of path) {
    value = memberOf(value, key)
    schemas = schemas.flatMap(({ entries, item, value: ofRecord }) => {
      const inner = entries?.[String(key)] ?? item ?? ofRecord
      return inner === undefined ? [] : choicesOf(inner, value)
    })
  }
  return schemas
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

// --- documents that are damaged, or of another version

export type Salvaged = {
  readonly settings: Settings
  readonly used: 'all' | 'part' | 'nothing'
  readonly isNewer: boolean
  /** Paths of the parts that were dropped: the first 20, and the total count. */
  readonly dropped: readonly string[]
  readonly droppedCount: number
}

/** Each round removes errors one level further out; no valid document has that many levels. */
const ROUNDS_MAX = 100

/**
 * Reads the valid parts of a damaged or newer document and reports the others. Never throws. A service with an invalid address,
 * route, key or profile is dropped as a whole, because polling it differently from what the operator chose would send
 * signatures on a guess.
 */
export function salvageSettings(text: string): Salvaged {
  const document = jsonIn(text)
  const version = memberOf(document, 'version')
  const isNewer = typeof version === 'number' && version > SETTINGS_VERSION
  const dropped: string[] = []
  const salvaged = (settings: Settings, used: Salvaged['used']): Salvaged => ({
    settings,
    used,
    isNewer,
    dropped: dropped.slice(0, PROBLEMS_MAX),
    droppedCount: dropped.length,
  })
  if (!isObject(document)) return salvaged(EMPTY_SETTINGS, 'nothing')
  document['version'] = SETTINGS_VERSION
  nameServices(document)
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const parsed = v.safeParse(SettingsSchema, document)
    if (parsed.success) {
      const isEmpty = JSON.stringify(parsed.output) === JSON.stringify(EMPTY_SETTINGS)
      const isWhole = dropped.length === 0 && !isNewer
      return salvaged(parsed.output, isWhole ? 'all' : isEmpty ? 'nothing' : 'part')
    }
    for (const issue of parsed.issues) dropped.push(...takeOut(document, issue))
    sweep(document)
  }
  return salvaged(EMPTY_SETTINGS, 'nothing')
}

type Loose = Record<string, unknown>

/** A node without a service belongs to the first one, which may be dropped. */
function nameServices({ services, nodes }: Loose): void {
  const baseUrl = memberOf(memberOf(services, 0), 'baseUrl')
  if (typeof baseUrl !== 'string' || !Array.isArray(nodes)) return
  for (const node of nodes) if (isObject(node)) node['service'] ??= baseUrl
}

/** Members without which a service cannot be polled. */
const VITAL: readonly unknown[] = ['baseUrl', 'via', 'key', 'profile']
/** Placeholder for removed list entries until the list is swept. */
const GONE = Symbol('gone')

/**
 * Removes the subject of an issue: the member, the list entry that lacks one, or the entries beyond a list's maximum. Returns
 * the removed paths.
 */
function takeOut(document: Loose, issue: Issue): readonly string[] {
  const keys = keysOf(issue)
  const path = v.getDotPath(issue) ?? ''
  const valueAt = (steps: readonly unknown[]) => steps.reduce(memberOf, document)
  const subject = valueAt(keys)
  if (issue.type === 'max_length' && Array.isArray(subject)) {
    subject.splice(Number(issue.requirement))
    return [path]
  }
  const owner = valueAt(keys.slice(0, -1))
  if (issue.type === 'strict_object' && issue.expected === 'never' && isObject(owner))
    return takeOutUnknown(document, owner, keys.slice(0, -1))
  const steps = keys.slice(0, keys[0] === 'services' && VITAL.includes(keys[2]) ? 2 : keys.length)
  // If a required member is missing, the object that should have it is removed.
  while (steps.length > 0) {
    const key = steps.pop()
    const parent = valueAt(steps)
    if (Array.isArray(parent) && typeof key === 'number') {
      parent[key] = GONE
      return [path]
    }
    if (isObject(parent) && typeof key === 'string' && Object.hasOwn(parent, key)) {
      delete parent[key]
      return [path]
    }
  }
  return [path]
}

/** Removes all unknown members at once, because an issue names only the first and each round validates the whole document. */
function takeOutUnknown(document: Loose, owner: Loose, steps: readonly unknown[]): readonly string[] {
  const schemas = schemasAt(SettingsSchema, document, steps)
  const known = new Set(schemas.flatMap(({ entries }) => Object.keys(entries ?? {})))
  const unknown = Object.keys(owner).filter((name) => !known.has(name))
  for (const name of unknown) delete owner[name]
  return unknown.map((name) => [...steps, name].join('.'))
}

function sweep(value: unknown): void {
  if (Array.isArray(value)) {
    const kept = value.filter((entry) => entry !== GONE)
    if (kept.length < value.length) value.splice(0, value.length, ...kept)
    value.forEach(sweep)
  } else if (isObject(value)) Object.values(value).forEach(sweep)
}

// --- what changed

export type SettingsChange =
  | {
      readonly kind: 'service'
      readonly change: Change
      readonly name: string
      readonly fields: readonly string[]
    }
  | { readonly kind: 'nodes'; readonly added: number; readonly removed: number; readonly changed: number }
  | {
      readonly kind: 'rule'
      readonly change: Change
      readonly scope: RuleScope
      readonly fields: readonly string[]
    }
  | { readonly kind: 'display'; readonly fields: readonly string[] }
  /** A part of the document that the screen has no text for. */
  | { readonly kind: 'other'; readonly field: string }

type Change = 'added' | 'removed' | 'changed'

const LISTED: readonly string[] = ['services', 'nodes', 'rules', 'display']

export function changesBetween(before: Settings, after: Settings): readonly SettingsChange[] {
  const services = listChanges(before.services, after.services, ({ baseUrl }) => baseUrl)
  const rules = listChanges(before.rules, after.rules, ruleKey)
  const display = differing(before.display, after.display)
  return [
    ...services.map(({ change, entry: { label, baseUrl }, fields }) => {
      return { kind: 'service' as const, change, name: label ?? baseUrl, fields }
    }),
    ...nodeChanges(before, after),
    ...rules.map(({ change, entry, fields }) => {
      return { kind: 'rule' as const, change, scope: scopeOf(entry), fields }
    }),
    ...(display.length === 0 ? [] : [{ kind: 'display' as const, fields: display }]),
    ...differing(before, after).flatMap((field) =>
      LISTED.includes(field) ? [] : [{ kind: 'other' as const, field }],
    ),
  ]
}

function scopeOf({ units: _units, limits: _limits, ...scope }: Rule): RuleScope {
  return scope
}

const nodeKey = ({ service, id }: WatchedNode, settings: Settings): string =>
  `${service ?? settings.services[0]?.baseUrl ?? ''} ${id === undefined ? '' : canonicalNodeId(id)}`

function nodeChanges(before: Settings, after: Settings): readonly SettingsChange[] {
  const named = (settings: Settings) =>
    settings.nodes.map((node) => [nodeKey(node, settings), { ...node, service: undefined }] as const)
  const changes = listChanges(named(before), named(after), ([key]) => key)
  const count = (change: Change): number => changes.filter((each) => each.change === change).length
  return changes.length === 0
    ? []
    : [{ kind: 'nodes', added: count('added'), removed: count('removed'), changed: count('changed') }]
}

type EntryChange<T> = { readonly change: Change; readonly entry: T; readonly fields: readonly string[] }

function listChanges<T extends object>(
  before: readonly T[],
  after: readonly T[],
  keyOf: (entry: T) => string,
): readonly EntryChange<T>[] {
  const olds = new Map(before.map((entry) => [keyOf(entry), entry]))
  const news = new Map(after.map((entry) => [keyOf(entry), entry]))
  const changes: EntryChange<T>[] = []
  for (const [key, entry] of olds) if (!news.has(key)) changes.push({ change: 'removed', entry, fields: [] })
  for (const [key, entry] of news) {
    const old = olds.get(key)
    const fields = old === undefined ? [] : differing(flat(old), flat(entry))
    if (old === undefined) changes.push({ change: 'added', entry, fields })
    else if (fields.length > 0) changes.push({ change: 'changed', entry, fields })
  }
  return changes
}

const flat = (entry: object): object =>
  Object.fromEntries(
    Object.entries(entry).flatMap(([name, value]) =>
      name === 'units' || name === 'limits' ? Object.entries(Object(value)) : [[name, value]],
    ),
  )

function differing(before: object, after: object): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  const text = (document: object, name: string) => JSON.stringify(memberOf(document, name))
  return Array.from(names).filter((name) => text(before, name) !== text(after, name))
}

import * as v from 'valibot'
import { EMPTY_SETTINGS } from './empty-settings.ts'
import { SETTINGS_VERSION, SettingsSchema, type Settings } from './settings.ts'

/** Here, since the page fetches what knows the schema only where it is needed. */
export { parseServerConfig } from './settings.ts'

export type Salvaged = {
  readonly settings: Settings
  /** How much of the document is in `settings`. */
  readonly used: 'all' | 'part' | 'nothing'
  /** Written by a later version of this product. */
  readonly isNewer: boolean
  /** Where the parts stood that could not be used: the first 20, and how many in all. */
  readonly dropped: readonly string[]
  readonly droppedCount: number
}

const NOTHING: Salvaged = {
  settings: EMPTY_SETTINGS,
  used: 'nothing',
  isNewer: false,
  dropped: [],
  droppedCount: 0,
}

/** Each round takes out what is wrong on one more level; no honest document has that many. */
const ROUNDS_MAX = 100
const DROPPED_LISTED_MAX = 20

/**
 * Reads of a damaged or newer document what can be understood, and says what can't. Never
 * throws. A service whose address, route, key or way of signing is not understood is left
 * out whole: asking it in another way than the operator chose would be a guess with a signature.
 */
export function salvageSettings(text: string): Salvaged {
  const read = objectOf(text)
  if (read === undefined) return NOTHING
  const { document, version } = read
  const isNewer = typeof version === 'number' && version > SETTINGS_VERSION
  document['version'] = SETTINGS_VERSION
  nameServices(document)
  const dropped: string[] = []
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const parsed = v.safeParse(SettingsSchema, document)
    if (parsed.success) return salvaged(parsed.output, isNewer, dropped)
    for (const issue of parsed.issues) for (const path of takeOut(document, issue)) dropped.push(path)
    for (const list of [document['services'], document['nodes'], document['rules'], document['alarms']])
      sweep(list)
  }
  return {
    ...NOTHING,
    isNewer,
    dropped: dropped.slice(0, DROPPED_LISTED_MAX),
    droppedCount: dropped.length,
  }
}

type Loose = Record<string, unknown>

const isObject = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function objectOf(text: string): { readonly document: Loose; readonly version: unknown } | undefined {
  try {
    const document: unknown = JSON.parse(text)
    return isObject(document) ? { document, version: document['version'] } : undefined
  } catch {
    return undefined // no JSON, or nested too deeply to be read
  }
}

function salvaged(settings: Settings, isNewer: boolean, dropped: readonly string[]): Salvaged {
  const isEmpty = JSON.stringify(settings) === JSON.stringify(EMPTY_SETTINGS)
  return {
    settings,
    used: dropped.length === 0 && !isNewer ? 'all' : isEmpty ? 'nothing' : 'part',
    isNewer,
    dropped: dropped.slice(0, DROPPED_LISTED_MAX),
    droppedCount: dropped.length,
  }
}

/** A node that names no service belongs to the first one, which may be left out. */
function nameServices({ services, nodes }: Loose): void {
  const first: unknown = Array.isArray(services) ? services[0] : undefined
  const baseUrl = isObject(first) ? first['baseUrl'] : undefined
  if (typeof baseUrl !== 'string' || !Array.isArray(nodes)) return
  for (const node of nodes) if (isObject(node)) node['service'] ??= baseUrl
}

/** Members of a service without which nobody knows whom to ask, and how. */
const VITAL: readonly unknown[] = ['baseUrl', 'via', 'key', 'profile']
/** Stands where an entry of a list was until the list is swept. */
const GONE = Symbol('gone')

type Issue = v.BaseIssue<unknown>

/** Takes out what one issue is about: the member, the entry of a list that lacks one, or what a list has too many of. Says where. */
function takeOut(document: Loose, issue: Issue): readonly string[] {
  const keys = (issue.path ?? []).map(({ key }) => key)
  const paths = [v.getDotPath(issue) ?? '']
  const subject = keys.reduce<unknown>(memberOf, document)
  if (issue.type === 'max_length' && Array.isArray(subject)) {
    subject.splice(Number(issue.requirement))
    return paths
  }
  const owner = keys.slice(0, -1).reduce<unknown>(memberOf, document)
  if (issue.type === 'strict_object' && issue.expected === 'never' && isObject(owner))
    return takeOutUnknown(owner, keys.slice(0, -1))
  const end = keys[0] === 'services' && VITAL.includes(keys[2]) ? 2 : keys.length
  const place = keys.slice(0, end)
  for (;;) {
    const key = place.pop()
    if (key === undefined) return paths
    const parent = place.reduce<unknown>(memberOf, document)
    if (Array.isArray(parent) && typeof key === 'number') {
      parent[key] = GONE
      return paths
    }
    if (isObject(parent) && typeof key === 'string' && Object.hasOwn(parent, key)) {
      delete parent[key]
      return paths
    }
    // What should be there is missing, so what should have it goes.
  }
}

/** All that nobody knows at once: an issue names only the first, and each round reads the whole document. */
function takeOutUnknown(owner: Loose, place: readonly unknown[]): readonly string[] {
  const known = new Set(place.reduce<readonly unknown[]>(within, choicesOf(SettingsSchema)).flatMap(namesIn))
  const unknown = Object.keys(owner).filter((name) => !known.has(name))
  for (const name of unknown) delete owner[name]
  return unknown.map((name) => [...place, name].join('.'))
}

/** What a value may be by its schema, each as an object of its schema's members. */
function choicesOf(schema: unknown): readonly unknown[] {
  const wrapped = memberOf(schema, 'wrapped')
  if (wrapped !== undefined) return choicesOf(wrapped)
  const options = memberOf(schema, 'options')
  return Array.isArray(options) ? options.flatMap(choicesOf) : [schema]
}

const within = (schemas: readonly unknown[], key: unknown): readonly unknown[] =>
  schemas.flatMap((schema) => {
    const inner =
      memberOf(memberOf(schema, 'entries'), key) ?? memberOf(schema, 'item') ?? memberOf(schema, 'value')
    return inner === undefined ? [] : choicesOf(inner)
  })

const namesIn = (schema: unknown): readonly string[] => Object.keys(Object(memberOf(schema, 'entries')))

const memberOf = (value: unknown, key: unknown): unknown =>
  typeof value === 'object' && value !== null && (typeof key === 'string' || typeof key === 'number')
    ? Reflect.get(value, key)
    : undefined

/** Takes what is gone out of a list and the lists in it. */
function sweep(value: unknown): void {
  if (Array.isArray(value)) {
    const kept = value.filter((entry) => entry !== GONE)
    if (kept.length < value.length) value.splice(0, value.length, ...kept)
    value.forEach(sweep)
  } else if (isObject(value)) Object.values(value).forEach(sweep)
}

import { DEFAULTS } from '#base/defaults.ts'
import { err, ok, type Result } from '#base/result.ts'
import { builtInKinds, scopesOf } from '#alarms/built-in-settings.ts'
import {
  CONFIG_VERSION,
  type BuiltInChange,
  type QueryApiSource,
  type ServerConfig,
  type Service,
} from '#settings/schema.ts'
import type { Receiver } from '#settings/receiver.ts'
import { parseServerFile, type ServerFile } from '#settings/documents.ts'
import { METRICS } from '#metrics/metrics.ts'
import { readTextFile, stampOf } from '#node/files.ts'
import { directProblem, fittingSources, noRoom, receiverSources, serviceSources } from './security-headers.ts'

export type ConfigFile = {
  /** The newest valid state. A change with errors is reported once, and the last valid state stays in use. */
  readonly current: () => ServerConfig
  readonly receivers: () => readonly Receiver[]
  /** Current errors of the file; empty: none. Without its path, which pages must not see. */
  readonly problems: () => readonly string[]
  readonly queryApis: () => readonly QueryApiSource[]
}

const EMPTY: ServerConfig = {
  version: CONFIG_VERSION,
  services: [],
  nodes: [],
  rules: [],
  canAddServices: false,
}
const NONE: readonly never[] = []

/** Stands for the file of a server that has none. */
export const NO_FILE: ConfigFile = {
  current: () => EMPTY,
  receivers: () => NONE,
  problems: () => NONE,
  queryApis: () => NONE,
}

/** Larger than what a page reads, because a file may be indented and contains receivers that no page gets. */
export const CONFIG_FILE_MAX_BYTES = 16 * 1024 * 1024

type Newest = { readonly file: ServerFile; readonly problems: readonly string[] }

/** Opens a file. The error has one line for each problem. */
export function openConfigFile(
  path: string,
  report: (line: string) => void,
): Result<ConfigFile, readonly string[]> {
  // Taken before reading, so that a change during the reading is read again.
  let stamp = stampOf(path)
  const first = readConfigFile(path)
  if (!first.ok) return err(first.error.map((line) => `${path}: ${line}`))
  let newest: Newest = { file: first.value, problems: NONE }
  const read = (): Newest => {
    const now = stampOf(path)
    if (now === stamp) return newest
    stamp = now
    const changed = readConfigFile(path)
    newest = changed.ok
      ? { file: changed.value, problems: NONE }
      : { ...newest, problems: changed.error.map(withoutSecrets) }
    if (!changed.ok)
      for (const line of changed.error) report(`${path}: ${line} The last good configuration stays in use.`)
    return newest
  }
  return ok({
    current: () => read().file.config,
    receivers: () => read().file.receivers,
    problems: () => read().problems,
    queryApis: () => read().file.queryApis,
  })
}

/** Messages quote the file. Text that may be secret, or is next to a secret, appears only in the server's log. */
function withoutSecrets(line: string): string {
  const [where = ''] = line.split(': ')
  const isQuoting = where === 'is not JSON' || /^(receivers|queryApis)\b/.test(where)
  return isQuoting ? `${where}: see the server’s log.` : line
}

/** The errors of a file, without its path: "services.0.baseUrl: is listed twice." */
function readConfigFile(path: string): Result<ServerFile, readonly string[]> {
  const text = readTextFile(path, CONFIG_FILE_MAX_BYTES)
  if (!text.ok) return err([text.error])
  let json: unknown
  try {
    json = JSON.parse(text.value)
  } catch (error) {
    return err([`is not JSON: ${error instanceof Error ? error.message : 'unreadable'}.`])
  }
  return parseConfig(json)
}

export function parseConfig(json: unknown): Result<ServerFile, readonly string[]> {
  const parsed = parseServerFile(json)
  if (!parsed.ok)
    return err(parsed.error.map(({ path: where, message }) => `${where || 'document'}: ${message}.`))
  // Pages would refuse a larger configuration, and open pages would do so without a message.
  const chars = JSON.stringify(parsed.value.config).length
  if (chars > DEFAULTS.configCharsMax)
    return err([
      `document: is too large for a page: ${chars} characters, at most ${DEFAULTS.configCharsMax} allowed. Remove nodes or notes.`,
    ])
  const loose = [
    ...looseEnds(parsed.value.config),
    ...blocked('receivers.#.via', parsed.value.receivers),
    ...withoutRoom(parsed.value),
  ]
  return loose.length > 0 ? err(loose) : parsed
}

const LOOSE_ENDS_MAX = 20

/** Checks across fields: duplicates, and references to services that are not listed. */
function looseEnds(config: ServerConfig): readonly string[] {
  const { services, nodes, alarms, views } = config
  const baseUrls = services.map(({ baseUrl }) => baseUrl)
  const known = new Set(baseUrls)
  const unique: Readonly<Record<string, readonly string[] | undefined>> = {
    'alarms.rules.#.id': alarms?.rules?.map(({ id }) => id),
    'alarms.maintenance.#.id': alarms?.maintenance?.map(({ id }) => id),
    'alarms.builtIn.#.scope': alarms?.builtIn?.map(({ rule, scope }) => `${rule} ${JSON.stringify(scope)}`),
    'views.#.name': views?.map(({ name }) => name),
    'services.#.baseUrl': baseUrls,
  }
  const lines = [
    ...Object.entries(unique).flatMap(([path, names]) =>
      linesAbout(path, names, (name, index) =>
        names?.indexOf(name) === index ? undefined : 'is listed twice.',
      ),
    ),
    ...blocked('services.#.via', services),
    ...linesAbout('nodes.#.service', nodes, ({ service }) => {
      if (service !== undefined) return unlisted(service, known)
      return known.size === 0 ? 'is missing, and no service is listed.' : undefined
    }),
    ...unlistedServices(config, known),
    ...linesAbout('alarms.rules.#.condition.metric', alarms?.rules, ({ condition: { metric } }) =>
      METRICS.some(({ id }) => id === metric)
        ? undefined
        : `unknown metric "${metric}"; known metrics: ${METRICS.map(({ id }) => id).join(', ')}.`,
    ),
    ...builtInProblems(alarms?.builtIn ?? []),
  ]
  return lines.slice(0, LOOSE_ENDS_MAX)
}

/** One line for each entry with a problem; "#" in the path stands for its index. */
export const linesAbout = <T>(
  path: string,
  entries: readonly T[] = [],
  problemOf: (entry: T, index: number) => string | undefined,
): readonly string[] =>
  entries.flatMap((entry, index) => {
    const problem = problemOf(entry, index)
    return problem === undefined ? [] : [`${path.replace('#', String(index))}: ${problem}`]
  })

const unlisted = (service: unknown, known: ReadonlySet<string>): string | undefined =>
  typeof service !== 'string' || known.has(service) ? undefined : 'is not the base URL of a listed service.'

function builtInProblems(changes: readonly BuiltInChange[]): readonly string[] {
  const kinds = builtInKinds(METRICS)
  return changes.flatMap(({ rule, scope }, index) => {
    const kind = kinds.find((each) => each === rule)
    if (kind === undefined)
      return [
        `alarms.builtIn.${index}.rule: unknown built-in rule "${rule}"; known rules: ${kinds.join(', ')}.`,
      ]
    const known = scopesOf(kind)
    return known.some((each) => each === scope.for)
      ? []
      : [`alarms.builtIn.${index}.scope.for: must be ${known.join(' or ')} for "${rule}".`]
  })
}

function unlistedServices(
  { rules, alarms, queryApis }: ServerConfig,
  known: ReadonlySet<string>,
): readonly string[] {
  const scoped = (list: readonly { readonly scope: object }[] = []) =>
    list.map(({ scope }) => ('service' in scope ? scope.service : undefined))
  const named: Readonly<Record<string, readonly unknown[]>> = {
    'rules.#.service': rules.map((rule) => (rule.for === 'tag' ? undefined : rule.service)),
    'queryApis.#.service': (queryApis ?? []).map(({ service }) => service),
    'alarms.rules.#.scope.service': scoped(alarms?.rules),
    'alarms.maintenance.#.scope.service': scoped(alarms?.maintenance),
    'alarms.builtIn.#.scope.service': scoped(alarms?.builtIn),
  }
  return Object.entries(named).flatMap(([path, services]) =>
    linesAbout(path, services, (service) => unlisted(service, known)),
  )
}

/** Direct services and receivers for which the policy has no room after the entries before them. */
function withoutRoom({ config, receivers }: ServerFile): readonly string[] {
  const entries = [
    ...config.services.map(
      (service, index) => [`services.${index}.baseUrl`, serviceSources(service)] as const,
    ),
    ...receivers.map((receiver, index) => [`receivers.${index}.url`, receiverSources(receiver)] as const),
  ]
  const fitting = fittingSources(entries.flatMap(([, sources]) => sources))
  return entries.flatMap(([path, sources]) =>
    sources.every((source) => fitting.includes(source))
      ? []
      : [`${path}: ${noRoom(path.startsWith('s') ? 'service' : 'receiver')}.`],
  )
}

const blocked = (path: string, entries: readonly (Service | Receiver)[]): readonly string[] =>
  linesAbout(path, entries, (entry) => {
    const problem = directProblem(entry)
    return problem && `${problem}.`
  })

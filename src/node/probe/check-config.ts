import { findNodeAtLocation, parseTree, printParseErrorCode, type Node, type ParseError } from 'jsonc-parser'
import { err, ok } from '#base/result.ts'
import { membersOf } from '#base/stored.ts'
import { many, one, text, toggle, type Command, type Output, type Values } from '#node/command-line.ts'
import { readTextFile } from '#node/files.ts'
import { CONFIG_FILE_MAX_BYTES, linesAbout, parseConfig } from '#server/config-file.ts'
import { secretProblems } from '#server/deliver.ts'
import type { SecretWorld } from '#server/secrets.ts'
import type { ServerFile } from '#settings/documents.ts'
import type { AlarmScope, Rule, ServerConfig } from '#settings/schema.ts'
import { examineService, type ProbePorts } from './probe.ts'

const OPTIONS = {
  config: one('FILE', 'the configuration of serve and collect, or an export of the settings', text),
  notify: toggle('also warn if the file names no receivers, which --notify needs'),
  probe: toggle('also test the connection to each service'),
  key: many('SOURCE', 'signing key for --probe; without it, runs only the steps that need no key', text),
  passphrase: one('SOURCE', 'passphrase of encrypted key files', text),
  json: toggle('print the result as JSON'),
}

type CheckOptions = Values<typeof OPTIONS> & { readonly config: string }

export const CHECK_COMMAND: Command<typeof OPTIONS, CheckOptions> = {
  name: 'check',
  summary: 'check a configuration file, and name the line and column of each problem',
  usage: ['check --config FILE [OPTIONS]'],
  options: OPTIONS,
  notes: `SOURCE is a file that only its owner may use (chmod 600), env:NAME, or credential:NAME (systemd).

Exit codes
  0  serve and collect accept the file; with --probe, every service passed too
  1  there is an error, or a service failed`,
  read: (values) => {
    const { config, probe, key } = values
    if (config === undefined) return err('check requires --config FILE, the file to check.')
    if (key.length > 0 && !probe) return err('--key requires --probe, which signs requests with it.')
    return ok({ ...values, config })
  },
}

type Finding = {
  readonly severity: 'error' | 'warning'
  /** From 1. */
  readonly line: number
  readonly column: number
  /** The path of members, such as "services.0.baseUrl"; '' for the whole file. */
  readonly path: string
  readonly message: string
}

/** Prints one line per finding in compiler format, then a summary. */
export async function checkConfig(options: CheckOptions, ports: ProbePorts): Promise<number> {
  const { config: path, json } = options
  const read = readTextFile(path, CONFIG_FILE_MAX_BYTES)
  if (!read.ok) {
    ports.err(`${path}: ${read.error}`)
    return 1
  }
  const { file, findings } = findingsOf(read.value, ports.clock.wallMs(), ports, options.notify)
  const services = options.probe ? await probeAll(file?.config, options, ports) : []
  const isGood = file !== undefined && services.every(({ ok: passed }) => passed)
  if (json) ports.out(JSON.stringify({ file: path, ok: isGood, findings, services }, null, 2))
  else print(path, file, findings, services, ports)
  return isGood ? 0 : 1
}

/** `file` undefined: serve and collect refuse the file. */
export function findingsOf(
  content: string,
  nowMs: number,
  world: SecretWorld,
  isForNotify = false,
): { readonly file: ServerFile | undefined; readonly findings: readonly Finding[] } {
  const broken: ParseError[] = []
  const tree = parseTree(content, broken, { disallowComments: true, allowTrailingComma: false })
  const [first] = broken
  if (first !== undefined || tree === undefined) {
    const { offset = 0 } = first ?? {}
    const what = first === undefined ? 'ValueExpected' : printParseErrorCode(first.error)
    const message = `is not JSON: ${what.replace(/(?<=.)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).toLowerCase()}.`
    return {
      file: undefined,
      findings: [{ severity: 'error', ...placeOf(content, offset), path: '', message }],
    }
  }
  const document: unknown = JSON.parse(content)
  const at = (severity: Finding['severity'], line: string): Finding => {
    const [, path = '', message = line] = /^([\w.$-]+): (.*)$/s.exec(line) ?? []
    const named = path === 'document' ? '' : path
    return { severity, ...placeOf(content, offsetOf(tree, named)), path: named, message }
  }
  const parsed = parseConfig(document)
  return parsed.ok
    ? {
        file: parsed.value,
        findings: inOrder(
          [
            ...withoutEffect(parsed.value.config, document, nowMs),
            ...unreachedReceivers(parsed.value, isForNotify),
            ...secretProblems(parsed.value.receivers, world),
          ].map((line) => at('warning', line)),
        ),
      }
    : { file: undefined, findings: inOrder(parsed.error.map((line) => at('error', line))) }
}

const inOrder = (findings: readonly Finding[]): readonly Finding[] =>
  findings.toSorted((a, b) => a.line - b.line || a.column - b.column)

/** The position of the member, or of the nearest existing member around a missing one. */
function offsetOf(tree: Node, path: string): number {
  const steps = path === '' ? [] : path.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step))
  for (let length = steps.length; length > 0; length -= 1) {
    const found = findNodeAtLocation(tree, steps.slice(0, length))
    if (found !== undefined) return found.offset
  }
  return tree.offset
}

function placeOf(content: string, offset: number): { readonly line: number; readonly column: number } {
  const before = content.slice(0, offset).split('\n')
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 }
}

/** Settings that are valid but have no effect. */
function withoutEffect(config: ServerConfig, document: unknown, nowMs: number): readonly string[] {
  const { nodes, services, rules, alarms } = config
  const tags = new Set(nodes.flatMap((node) => node.tags))
  const [first] = services
  const keyOf = (service = first?.baseUrl, id = ''): string => `${service} ${id}`
  const watched = new Set(nodes.map(({ service, id }) => keyOf(service, id)))
  const missing = (scope: AlarmScope | Rule): string | undefined =>
    scope.for === 'tag' && !tags.has(scope.tag)
      ? `has no effect: no node in this file has the tag "${scope.tag}".`
      : scope.for === 'node' && !watched.has(keyOf(scope.service, scope.node))
        ? 'has no effect: this file does not list that node.'
        : undefined
  return [
    ...['display', 'history', 'serviceKeys']
      .filter((member) => membersOf(document)?.[member] !== undefined)
      .map((member) => `${member}: has no effect here: each browser has its own setting.`),
    ...linesAbout('rules.#', rules, (rule) => {
      const isEmpty = Object.keys(rule.units).length + Object.keys(rule.limits).length === 0
      return isEmpty ? 'has no effect: it sets neither units nor limits.' : missing(rule)
    }),
    ...linesAbout('alarms.rules.#.scope', alarms?.rules, ({ scope }) => missing(scope)),
    ...linesAbout('alarms.builtIn.#', alarms?.builtIn, ({ scope, off, severity, forMs }) => {
      const isEmpty = off === undefined && severity === undefined && forMs === undefined
      return isEmpty ? 'has no effect: it sets none of "off", "severity" and "forMs".' : missing(scope)
    }),
    ...linesAbout('alarms.maintenance.#', alarms?.maintenance, ({ scope, when }) => {
      const isOver = when.kind === 'once' && when.toMs < nowMs
      return isOver ? 'has no effect: this maintenance has ended.' : missing(scope)
    }),
    ...repeatedNodes(nodes.map(({ service, id }) => keyOf(service, id))),
  ]
}

/** Receivers that --notify would never send to. */
function unreachedReceivers(
  { receivers, config: { nodes, services } }: ServerFile,
  isForNotify: boolean,
): readonly string[] {
  const tags = new Set(nodes.flatMap((node) => node.tags))
  const urls = new Set(services.map(({ baseUrl }) => baseUrl))
  const unknown = (words: readonly string[] = [], known: ReadonlySet<string>, at: string, what: string) =>
    linesAbout(`${at}.#`, words, (word) =>
      known.has(word) ? undefined : `has no effect: no ${what} "${word}".`,
    )
  const lines = receivers.flatMap(({ routing }, index) => [
    ...unknown(routing?.tags, tags, `receivers.${index}.routing.tags`, 'node in this file has the tag'),
    ...unknown(
      routing?.services,
      urls,
      `receivers.${index}.routing.services`,
      'service in this file has the base URL',
    ),
  ])
  const isNobody = isForNotify && receivers.length === 0
  return isNobody ? ['receivers: none, so --notify would notify nobody.'] : lines
}

function repeatedNodes(keys: readonly string[]): readonly string[] {
  const firstOf = new Map(keys.map((key, index) => [key, index] as const).toReversed())
  return linesAbout('nodes.#', keys, (key, index) => {
    const first = firstOf.get(key)
    return first === index ? undefined : `is the same node as nodes.${first}.`
  })
}

type Probed = { readonly baseUrl: string; readonly ok: boolean; readonly said: string }

/** One after the other, because each may take as long as its timeout and several at once may share a rate limit. */
async function probeAll(
  config: ServerConfig | undefined,
  { key, passphrase }: CheckOptions,
  ports: ProbePorts,
): Promise<readonly Probed[]> {
  const probed: Probed[] = []
  for (const service of config?.services ?? []) {
    const node = config?.nodes.find((each) => (each.service ?? service.baseUrl) === service.baseUrl)?.id
    const found = await examineService({ service, node, key, passphrase }, ports)
    probed.push({ baseUrl: service.baseUrl, ...found })
  }
  return probed
}

function print(
  path: string,
  file: ServerFile | undefined,
  findings: readonly Finding[],
  services: readonly Probed[],
  { out }: Output,
): void {
  for (const { severity, line, column, path: where, message } of findings)
    out(`${path}:${line}:${column}: ${severity}: ${where === '' ? '' : `${where}: `}${message}`)
  for (const { baseUrl, ok: passed, said } of services)
    out(`${passed ? 'ok  ' : 'FAIL'}  ${baseUrl}: ${said}`)
  const count = (of: Finding['severity']): string =>
    plural(findings.filter((each) => each.severity === of).length, of)
  const contents = file && [
    plural(file.config.services.length, 'service'),
    plural(file.config.nodes.length, 'node'),
    plural(file.receivers.length, 'receiver'),
  ]
  out(`${path}: ${[...(contents ?? []), count('error'), count('warning')].join(', ')}.`)
}

const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`

import { join } from 'node:path'
import { toJsonSchema } from '@valibot/to-json-schema'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { builtInKinds } from '#alarms/built-in-settings.ts'
import { METRICS } from '#metrics/metrics.ts'
import { PROFILES } from '#signing/presets.ts'
import { parseServerFile } from '#settings/documents.ts'
import { ServerFileSchema } from '#settings/schema.ts'
import { fieldsOf, RECEIVER_FORMATS } from '#receivers/kinds.ts'
import { formatted } from '#test/support/formatted.ts'

const FILE = join(import.meta.dirname, '../../public/config.schema.json')

/** Field descriptions, and checks that the parser makes in code, which the schema generator cannot see. */
const ADDED: Readonly<Record<string, object>> = {
  '': {
    title: 'Configuration of the immune node dashboard',
    description: 'Services, nodes and settings for every browser that opens this dashboard.',
  },
  $schema: { description: 'URL of this schema, for editors; the dashboard ignores it.' },
  demo: { description: 'A service that the first screen offers with one click.' },
  canAddServices: { description: 'Set by the server’s flags; ignored in a file.' },
  'services.baseUrl': {
    minLength: 1,
    maxLength: 300,
    pattern: '^[^?#@]+$',
    description: 'http(s)://host[:port][/path] of the service, without a user name, password, query or #.',
  },
  'services.label': { description: 'Name of the service on the screen.' },
  'services.via': {
    description:
      'proxy: the dashboard server forwards requests. direct: the browser sends them, which requires CORS.',
  },
  'services.profile': { description: 'Signing profile: the id of a preset, or a document.' },
  'services.profile.string': { enum: Object.keys(PROFILES) },
  'services.key': {
    description: 'Public key of the signing key; absent: the browser’s newest, or the server’s first.',
  },
  'services.pollIntervalMs': { description: 'Poll interval of each node, in ms.' },
  'services.timeoutMs': { description: 'Timeout for headers and body together, in ms.' },
  'nodes.service': { minLength: 1, description: 'Base URL of a listed service; absent: the first one.' },
  'nodes.id': {
    pattern: '^\\s*0[xX][0-9a-fA-F]{1,128}\\s*$',
    description: 'Node id; absent: the default node.',
  },
  'nodes.name': { description: 'Name of the node on the screen.' },
  'nodes.tags': {
    description:
      'For groups, filters and rules. Begins with a letter; at most 32 characters, no space, comma, semicolon, vertical bar, quote or #.',
  },
  'nodes.notes': { description: 'Shown on the node’s page.' },
  rules: { description: 'Units and limits by service, tag and node. The most specific one wins.' },
  'rules.for': { description: 'Scope of the rule.' },
  'rules.service': { description: 'Base URL of the service.' },
  'rules.tag': { description: 'For every node with this tag.' },
  'rules.node': { description: 'Node id; absent: the default node.' },
  'rules.units.participation': { description: 'detect: decided by most of the service’s nodes.' },
  'rules.units.stakeDecimals': {
    description: 'Number of decimals: 18 if the service counts in units of 10^-18.',
  },
  'rules.units.stakeSymbol': { description: 'Unit shown after the stake.' },
  'rules.units.heartbeat': { description: 'Unit of the Unix time; detect: by the number’s size.' },
  'rules.units.heartbeatPeriodMs': { description: 'Expected time between heartbeats, in ms.' },
  'rules.units.statusWords': { description: 'Meanings of status values; bad is critical.' },
  'rules.units.extraFields': { description: 'Additional fields of the record to show.' },
  'rules.limits.participationBelow': {
    description: 'Warning below this value; always 0 to 1, whatever the unit.',
  },
  'rules.limits.participationAbove': {
    description: 'Warning above this value; always 0 to 1, whatever the unit.',
  },
  'rules.limits.stakeBelow': {
    description: 'Warning below this value; a decimal number in the displayed unit.',
  },
  'rules.limits.heartbeatWarningMs': { description: 'Age in ms; null: no limit.' },
  'rules.limits.heartbeatCriticalMs': { description: 'Age in ms; null: no limit.' },
  'alarms.builtIn': {
    description:
      'Changes to built-in rules by service, tag and node, or for all. The most specific one that sets a value wins.',
  },
  'alarms.builtIn.rule': { enum: builtInKinds(METRICS), description: 'Id of the rule.' },
  'alarms.builtIn.off': {
    description:
      'true: disables the rule; false: enables it, even if an entry with a wider scope disables it.',
  },
  'alarms.builtIn.severity': { description: 'Severity of all alarms of the rule.' },
  'alarms.builtIn.forMs': { description: 'Time from the first bad poll to the alarm, in ms.' },
  receivers: {
    description: 'Receivers of alarms; in each browser, the operator chooses which of them it sends to.',
  },
  'receivers.kind': {
    description:
      'webhook: JSON. alertmanager: Prometheus Alertmanager’s v2 API at its base URL. ping: a dead-man’s switch.',
  },
  'receivers.url': {
    pattern: '^\\s*[hH][tT][tT][pP][sS]?://[^@]+$',
    description: 'URL without a user name or password. Browsers never see it unless via is direct.',
  },
  ...Object.fromEntries(
    Object.entries(fieldsOf('webhook')).map(([name, { label, hint }]) => [
      `receivers.${name}`,
      { description: `${label}. ${hint}` },
    ]),
  ),
  'receivers.name': { description: 'Name of the receiver on the screen.' },
  'receivers.via': {
    description:
      'relay: the dashboard server sends. direct: the browser sends, which requires CORS unless kind is ping.',
  },
  'rules.limits.answerTimeAboveMs': { description: 'Warning above this value, in ms; null: no limit.' },
}

/** Receiver kinds whose messages the server renders have members of their own. */
const kindPath = (path: string, variant: object): string => {
  const kind: unknown = Reflect.get(
    Object(Reflect.get(Object(Reflect.get(variant, 'properties')), 'kind')),
    'const',
  )
  return path === 'receivers' && typeof kind === 'string' && kind in RECEIVER_FORMATS
    ? `${path}.${kind}`
    : path
}

const KINDS: Readonly<Record<string, object>> = Object.fromEntries(
  Object.entries(RECEIVER_FORMATS).flatMap(([kind, { text, fields }]) => [
    [`receivers.${kind}`, { description: text }],
    ...Object.entries(fields).map(([name, { label, hint }]): [string, object] => [
      `receivers.${kind}.${name}`,
      { description: `${label}.${hint === undefined ? '' : ` ${hint}`}` },
    ]),
  ]),
)

/** The demo's service and nodes have the same additions as listed ones. */
const additionFor = (path: string): object =>
  KINDS[path] ??
  ADDED[path] ??
  ADDED[path.replace(/^demo\.service\./, 'services.').replace(/^demo\.nodes/, 'nodes')] ??
  {}

function withAdditions(schema: object, path = ''): object {
  const properties: unknown = Reflect.get(schema, 'properties')
  const items: unknown = Reflect.get(schema, 'items')
  const alternatives: unknown = Reflect.get(schema, 'anyOf')
  const variants: unknown = Reflect.get(schema, 'oneOf')
  const described = { ...schema, ...additionFor(path) }
  if (Array.isArray(alternatives))
    return {
      ...described,
      anyOf: alternatives.map((each) => withAdditions(each, `${path}.${Reflect.get(each, 'type')}`)),
    }
  if (Array.isArray(variants))
    return {
      ...described,
      oneOf: variants.map((each) => withAdditions(Object(each), kindPath(path, Object(each)))),
    }
  if (isObject(items)) return { ...described, items: withAdditions(items, path) }
  if (!isObject(properties)) return described
  return {
    ...described,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [
        name,
        withAdditions(Object(property), path === '' ? name : `${path}.${name}`),
      ]),
    ),
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const generated = () => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  ...withAdditions(
    toJsonSchema(ServerFileSchema, {
      target: 'draft-2020-12',
      typeMode: 'input',
      // A schema cannot hold checks made in code; ADDED states them as far as possible.
      errorMode: 'ignore',
    }),
  ),
})

describe('the published schema of the configuration', () => {
  it('matches the parser (npm run docs regenerates the file)', async () => {
    await expect(await formatted(FILE, JSON.stringify(generated()))).toMatchFileSnapshot(FILE)
  })

  const accepts = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(generated())
  const service = { baseUrl: 'https://node.example' }
  it.each([
    [true, { version: 1, rules: [{ for: 'tag', tag: 'eu', limits: { stakeBelow: '10.5' } }] }],
    [true, { version: 1, rules: [{ for: 'node', service: 'https://node.example', node: '0x1' }] }],
    [false, { version: 1, rules: [{ for: 'galaxy' }] }],
    [false, { version: 1, rules: [{ for: 'tag', tag: 'eu', units: { participation: 'often' } }] }],
    [true, { version: 1 }],
    [true, { $schema: 'x', version: 1, services: [service], nodes: [{ id: '0xaa', tags: ['eu'] }] }],
    [true, { version: 1, demo: { service, nodes: [{}] } }],
    [true, { version: 1, services: [{ ...service, profile: 'bearer-v1' }] }],
    [true, { version: 1, receivers: [{ kind: 'webhook', url: 'https://a.example/x?y=1' }] }],
    [false, { version: 1, receivers: [{ kind: 'webhook', url: 'ftp://a.example' }] }],
    [true, { version: 1, receivers: [{ kind: 'slack', url: 'env:SLACK_URL', name: 'Ops' }] }],
    [false, { version: 1, receivers: [{ kind: 'slack', url: 'env:SLACK_URL', via: 'direct' }] }],
    [
      true,
      { version: 1, receivers: [{ kind: 'webhook', url: 'https://a.example', template: { a: ['{{id}}'] } }] },
    ],
    [false, { version: 1, receivers: [{ kind: 'ping', url: 'https://a.example', secret: 'env:HOOK' }] }],
    [false, { version: 1, receivers: [{ kind: 'slack' }] }],
    [false, { version: 1, receivers: [{ kind: 'pigeon', url: 'https://a.example' }] }],
    [false, { version: 2 }],
    [false, { version: 1, service: [] }],
    [false, { version: 1, services: [{}] }],
    [false, { version: 1, services: [{ baseUrl: '' }] }],
    [false, { version: 1, services: [{ baseUrl: 'https://node.example/?a=1' }] }],
    [false, { version: 1, services: [{ ...service, via: 'tunnel' }] }],
    [false, { version: 1, services: [{ ...service, pollIntervalMs: 10 }] }],
    [false, { version: 1, services: [{ ...service, profile: 'none-such' }] }],
    [false, { version: 1, services: [service], nodes: [{ id: 'vela' }] }],
  ])('and the parser both answer %s for %j', (accepted, document) => {
    expect(parseServerFile(document).ok).toBe(accepted)
    expect(accepts(document)).toBe(accepted)
  })
})

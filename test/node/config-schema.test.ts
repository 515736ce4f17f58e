import { join } from 'node:path'
import { toJsonSchema } from '@valibot/to-json-schema'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { PROFILES } from '#signing/presets.ts'
import { parseServerFile } from '#settings/documents.ts'
import { ServerFileSchema } from '#settings/schema.ts'
import { messageKindTexts } from '#texts/en-receivers.ts'
import { formatted } from '#test/support/formatted.ts'

const FILE = join(import.meta.dirname, '../../public/config.schema.json')

/** What the parser checks by code and a schema can't show, and what each field is for. */
const ADDED: Readonly<Record<string, object>> = {
  '': { title: 'Configuration of the immune node dashboard', description: 'Services and nodes to show.' },
  $schema: { description: 'Where this schema is; not read by the dashboard.' },
  demo: { description: 'A service that the first screen offers with one click.' },
  canAddServices: { description: 'Decided by the flags of the server; what a file says is not used.' },
  'services.baseUrl': {
    minLength: 1,
    maxLength: 300,
    pattern: '^[^?#@]+$',
    description: 'http(s)://host[:port][/path] of the service, without user, query or #.',
  },
  'services.label': { description: 'How the service is called on screen.' },
  'services.via': {
    description:
      'proxy: asked through the dashboard’s own server. direct: asked by the browser, which needs CORS.',
  },
  'services.profile': { description: 'How requests are signed: a built-in profile, or a document.' },
  'services.profile.string': { enum: Object.keys(PROFILES) },
  'services.key': { description: 'Public key that signs; absent: the only key there is.' },
  'services.pollIntervalMs': { description: 'How often each node is asked, in ms.' },
  'services.timeoutMs': { description: 'How long an answer may take, headers and body, in ms.' },
  'nodes.service': { minLength: 1, description: 'Base URL of a listed service; absent: the first one.' },
  'nodes.id': {
    pattern: '^\\s*0[xX][0-9a-fA-F]{1,128}\\s*$',
    description: 'Node id; absent: the node of the signing key.',
  },
  'nodes.name': { description: 'How the node is called on screen.' },
  'nodes.tags': {
    description: 'For grouping and finding, and for rules. A letter first; no space, comma or #.',
  },
  'nodes.notes': { description: 'Shown on the node’s page.' },
  rules: { description: 'Units and limits by service, tag and node. The nearest to the node wins.' },
  'rules.for': { description: 'Whom the rule is for.' },
  'rules.service': { description: 'Base URL of the service.' },
  'rules.tag': { description: 'For every node with this tag.' },
  'rules.node': { description: 'Node id; absent: the node of the signing key.' },
  'rules.units.participation': { description: 'detect: by what most of the service’s values are.' },
  'rules.units.stakeDecimals': {
    description: 'Digits of the number that are decimals: 18 where the service counts in 10^-18.',
  },
  'rules.units.stakeSymbol': { description: 'Shown behind stake.' },
  'rules.units.heartbeat': { description: 'Seconds or milliseconds; detect: by the number’s size.' },
  'rules.units.heartbeatPeriodMs': { description: 'How often a node is expected to beat, in ms.' },
  'rules.units.statusWords': { description: 'What words of status mean; bad is critical.' },
  'rules.units.extraFields': { description: 'Further fields of the record to show.' },
  'rules.limits.participationBelow': { description: 'A warning below it; 0 to 1, whatever the unit.' },
  'rules.limits.participationAbove': { description: 'A warning above it; 0 to 1, whatever the unit.' },
  'rules.limits.stakeBelow': { description: 'A warning below it; a decimal, as stake is shown.' },
  'rules.limits.heartbeatWarningMs': { description: 'Age in ms; null: no limit.' },
  'rules.limits.heartbeatCriticalMs': { description: 'Age in ms; null: no limit.' },
  receivers: {
    description: 'Where alarms may be sent to; each browser switches on which of them it sends to.',
  },
  'receivers.kind': {
    description:
      'webhook: JSON. alertmanager: Prometheus Alertmanager’s v2 API at its base URL. ping: a dead-man’s switch.',
  },
  'receivers.url': {
    pattern: '^\\s*[hH][tT][tT][pP][sS]?://[^@]+$',
    description: 'The address, without user. Never shown to a browser, unless via is direct.',
  },
  'receivers.name': { description: 'How it is called on screen.' },
  'receivers.via': {
    description: 'relay: sent by the dashboard’s own server. direct: sent by the browser, which needs CORS.',
  },
  'rules.limits.answerTimeAboveMs': { description: 'A warning above it, in ms; null: no limit.' },
}

/** The same additions for the demo's service and nodes as for listed ones. */
/** Each kind whose messages the server renders has members of its own. */
const kindPath = (path: string, variant: object): string => {
  const kind: unknown = Reflect.get(
    Object(Reflect.get(Object(Reflect.get(variant, 'properties')), 'kind')),
    'const',
  )
  return path === 'receivers' && typeof kind === 'string' ? `${path}.${kind}` : path
}

const KINDS: Readonly<Record<string, object>> = Object.fromEntries(
  Object.entries(messageKindTexts).flatMap(([kind, { text, fields }]) => [
    [`receivers.${kind}`, { description: text }],
    ...Object.entries(fields).map(([name, { label, hint }]): [string, object] => [
      `receivers.${kind}.${name}`,
      { description: `${label}.${hint === undefined ? '' : ` ${hint}`}` },
    ]),
  ]),
)

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
      // Checks by code have no place in a schema; ADDED says them as far as one can.
      errorMode: 'ignore',
    }),
  ),
})

describe('the published schema of the configuration', () => {
  it('is the one that the parser has (npm run docs writes it anew)', async () => {
    await expect(await formatted(FILE, JSON.stringify(generated()))).toMatchFileSnapshot(FILE)
  })

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
  ])('and parser alike say %s to %j', (accepted, document) => {
    expect(parseServerFile(document).ok).toBe(accepted)
    expect(new Ajv2020({ strict: true, allowUnionTypes: true }).validate(generated(), document)).toBe(
      accepted,
    )
  })
})

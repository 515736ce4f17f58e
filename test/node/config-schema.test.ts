import { join } from 'node:path'
import { toJsonSchema } from '@valibot/to-json-schema'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { format, resolveConfig } from 'prettier'
import { describe, expect, it } from 'vitest'
import { PROFILES } from '#protocol/presets.ts'
import { parseServerConfig, ServerConfigSchema } from '#protocol/settings.ts'

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
  'services.deadlineMs': { description: 'How long an answer may take, headers and body, in ms.' },
  'services.heartbeatPeriodMs': { description: 'How often a node is expected to beat, in ms.' },
  'services.participationUnit': { description: 'auto: up to 1 a ratio, above it a percentage.' },
  'services.stakeUnit': { description: 'Shown behind stake.' },
  'nodes.service': { minLength: 1, description: 'Base URL of a listed service; absent: the first one.' },
  'nodes.id': {
    pattern: '^\\s*0[xX][0-9a-fA-F]{1,128}\\s*$',
    description: 'Node id; absent: the node of the signing key.',
  },
  'nodes.name': { description: 'How the node is called on screen.' },
  'nodes.tags': { description: 'For grouping and finding.' },
}

/** The same additions for the demo's service and nodes as for listed ones. */
const additionFor = (path: string): object =>
  ADDED[path] ?? ADDED[path.replace(/^demo\.service\./, 'services.').replace(/^demo\.nodes/, 'nodes')] ?? {}

function withAdditions(schema: object, path = ''): object {
  const properties: unknown = Reflect.get(schema, 'properties')
  const items: unknown = Reflect.get(schema, 'items')
  const alternatives: unknown = Reflect.get(schema, 'anyOf')
  const described = { ...schema, ...additionFor(path) }
  if (Array.isArray(alternatives))
    return {
      ...described,
      anyOf: alternatives.map((each) => withAdditions(each, `${path}.${Reflect.get(each, 'type')}`)),
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
    toJsonSchema(ServerConfigSchema, {
      target: 'draft-2020-12',
      typeMode: 'input',
      // Checks by code have no place in a schema; ADDED says them as far as one can.
      errorMode: 'ignore',
    }),
  ),
})

describe('the published schema of the configuration', () => {
  it('is the one that the parser has (npm run docs writes it anew)', async () => {
    const text = await format(JSON.stringify(generated()), {
      ...(await resolveConfig(FILE)),
      parser: 'json',
    })
    await expect(text).toMatchFileSnapshot(FILE)
  })

  const service = { baseUrl: 'https://node.example' }
  it.each([
    [true, { version: 1 }],
    [true, { $schema: 'x', version: 1, services: [service], nodes: [{ id: '0xaa', tags: ['eu'] }] }],
    [true, { version: 1, demo: { service, nodes: [{}] } }],
    [true, { version: 1, services: [{ ...service, profile: 'bearer-v1' }] }],
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
    expect(parseServerConfig(document).ok).toBe(accepted)
    expect(new Ajv2020({ strict: true, allowUnionTypes: true }).validate(generated(), document)).toBe(
      accepted,
    )
  })
})

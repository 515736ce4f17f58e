import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EMPTY_SETTINGS, effectiveConfig, isOfServer } from '#settings/effective.ts'
import { parseServerConfig, parseSettings } from '#settings/documents.ts'
import { requestBase, serviceIdOf, type ServiceId } from '#record/service.ts'
import type { ServerConfig, Settings } from '#settings/schema.ts'
import { valueOf } from '#test/support/value-of.ts'

const settings = (input: object): Settings => valueOf(parseSettings({ version: 1, ...input }))
const config = (input: object): ServerConfig => valueOf(parseServerConfig({ version: 1, ...input }))

describe('the settings document', () => {
  it('needs nothing but its version', () => {
    expect(parseSettings({ version: 1 })).toEqual({ ok: true, value: EMPTY_SETTINGS })
  })

  it('fills in a service from its base URL alone', () => {
    expect(settings({ services: [{ baseUrl: 'HTTPS://API.example.net/' }] }).services).toEqual([
      {
        baseUrl: 'https://api.example.net',
        via: 'proxy',
        profile: 'bearer-v1',
        pollIntervalMs: 15_000,
        timeoutMs: 10_000,
      },
    ])
  })

  it('reads back what it wrote', () => {
    const written = settings({
      services: [{ baseUrl: 'a.example', label: ' A ', via: 'direct', key: 'ab'.repeat(32) }],
      nodes: [{ id: '0x7F', name: 'vela', tags: ['eu'] }, { service: 'https://a.example' }],
      display: { theme: 'dark' },
    })
    expect(parseSettings(JSON.parse(JSON.stringify(written)))).toEqual({ ok: true, value: written })
  })

  it.each([
    [null, ''],
    [[], 'version'],
    ['x', ''],
    [{}, 'version'],
    [{ version: 2 }, 'version'],
    [{ version: 1, surplus: 1 }, 'surplus'],
    [{ version: 1, services: [{}] }, 'services.0.baseUrl'],
    [{ version: 1, services: [{ baseUrl: 'ftp://x' }] }, 'services.0.baseUrl'],
    [{ version: 1, services: [{ baseUrl: 'https://u:p@x' }] }, 'services.0.baseUrl'],
    [{ version: 1, services: [{ baseUrl: 'a.example', via: 'pigeon' }] }, 'services.0.via'],
    [{ version: 1, services: [{ baseUrl: 'a.example', pollIntervalMs: 999 }] }, 'services.0.pollIntervalMs'],
    [
      { version: 1, services: [{ baseUrl: 'a.example', pollIntervalMs: 2 ** 31 }] },
      'services.0.pollIntervalMs',
    ],
    [
      { version: 1, services: [{ baseUrl: 'a.example', pollIntervalMs: 1500.5 }] },
      'services.0.pollIntervalMs',
    ],
    [{ version: 1, services: [{ baseUrl: 'a.example', timeoutMs: 0 }] }, 'services.0.timeoutMs'],
    [{ version: 1, services: [{ baseUrl: 'a.example', key: 'AB'.repeat(32) }] }, 'services.0.key'],
    [{ version: 1, services: [{ baseUrl: 'a.example', profile: 'toString' }] }, 'services.0.profile'],
    [{ version: 1, nodes: [{ id: 'vela' }] }, 'nodes.0.id'],
    [{ version: 1, nodes: [{ name: 'x'.repeat(61) }] }, 'nodes.0.name'],
    [{ version: 1, display: { theme: 'pink' } }, 'display.theme'],
  ])('refuses %j and says where: %s', (input, path) => {
    const parsed = parseSettings(input)
    expect(parsed.ok).toBe(false)
    if (!parsed.ok) expect(parsed.error[0]?.path).toBe(path)
  })

  it('reports at most 20 problems, the last one with the number of the others', () => {
    const nodes = Array.from({ length: 100 }, () => ({ id: '?' }))
    for (const parsed of [parseSettings({ version: 1, nodes }), parseServerConfig({ version: 1, nodes })]) {
      const problems = parsed.ok ? [] : parsed.error
      expect(problems).toHaveLength(20)
      expect(problems.at(-1)).toMatchObject({ path: '', message: 'has 81 more problems' })
    }
  })

  it('never throws', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (input) => {
        expect(() => parseSettings(input)).not.toThrow()
        expect(() => parseServerConfig(input)).not.toThrow()
      }),
    )
  })
})

describe("the server's configuration", () => {
  it('may name a schema and a demo', () => {
    const parsed = config({
      $schema: './config.schema.json',
      demo: { service: { baseUrl: 'http://127.0.0.1:7421' }, nodes: [{ id: '0x1', name: 'vela-001' }] },
      canAddServices: true,
    })
    expect(parsed.demo?.nodes).toEqual([{ id: '0x1', name: 'vela-001', tags: [] }])
    expect(parsed.canAddServices).toBe(true)
  })

  it('lists services that the server signs for with their keys, and forbids adding services by default', () => {
    const signedByServer = [{ service: 'https://a.example', publicKey: 'ab'.repeat(32) }]
    const parsed = config({ signedByServer })
    expect(parsed.signedByServer).toEqual(signedByServer)
    expect(parsed.canAddServices).toBe(false)
  })
})

describe('the effective configuration', () => {
  const server = config({
    services: [{ baseUrl: 'a.example', label: 'A' }, { baseUrl: 'b.example' }],
    nodes: [
      { id: '0x01', name: 'one' },
      { id: '0x02', service: 'b.example' },
    ],
  })

  it("combines the server's and the operator's nodes, each with its service", () => {
    const { services, nodes } = effectiveConfig(server, settings({ nodes: [{ id: '0x03' }] }))
    expect(services.map(({ baseUrl }) => baseUrl)).toEqual(['https://a.example', 'https://b.example'])
    expect(nodes.map(({ id, service }) => [id, service])).toEqual([
      ['0x01', 'https://a.example'],
      ['0x02', 'https://b.example'],
      ['0x03', 'https://a.example'],
    ])
  })

  it("prefers the operator's copy of a service and the server's copy of a node", () => {
    const own = settings({
      services: [{ baseUrl: 'https://a.example', label: 'mine', via: 'direct' }],
      nodes: [{ service: 'a.example', id: '0X01', name: 'renamed' }],
    })
    const { services, nodes } = effectiveConfig(server, own)
    expect(services).toHaveLength(2)
    expect(services[0]).toMatchObject({ label: 'mine', via: 'direct' })
    expect(nodes.filter(({ service }) => service === 'https://a.example')).toEqual([
      { service: 'https://a.example', id: '0x01', name: 'one', tags: [] },
    ])
  })

  it("lists the server's alarm rules, maintenance and views first, and replaces only views of the same name", () => {
    const rule = { id: 'rule-1', scope: { for: 'all' }, condition: { metric: 'stake', test: 'changed' } }
    const window = {
      id: 'window-1',
      scope: { for: 'all' },
      when: { kind: 'weekly', days: [0], startMinute: 60, minutes: 60 },
    }
    const given = config({
      alarms: { rules: [rule], maintenance: [window] },
      views: [
        { name: 'EU', query: 'tag=eu' },
        { name: 'Stake', query: 'sort=-stake' },
      ],
    })
    const own = settings({
      alarms: { rules: [rule], maintenance: [window] },
      views: [{ name: 'Stake', query: 'sort=stake' }],
    })
    const { alarms, views } = effectiveConfig(given, own)
    expect(alarms.rules.map(({ id }) => id)).toEqual(['server:rule-1', 'rule-1'])
    expect(alarms.maintenance.map(({ id }) => id)).toEqual(['server:window-1', 'window-1'])
    expect(alarms.rules.map(isOfServer)).toEqual([true, false])
    expect(views).toEqual([
      { name: 'EU', query: 'tag=eu' },
      { name: 'Stake', query: 'sort=stake' },
    ])
    // A browser cannot set an id with the server's prefix.
    expect(parseSettings({ version: 1, alarms: { rules: [{ ...rule, id: 'server:rule-1' }] } }).ok).toBe(
      false,
    )
  })

  it("uses the operator's notes of a node if the server's file has none", () => {
    const given = config({
      services: [{ baseUrl: 'a.example' }],
      nodes: [{ id: '0x1' }, { id: '0x2', notes: 'rack 3' }, { id: '0x3' }],
    })
    const own = settings({
      nodes: [{ id: '0x1', notes: 'mine' }, { id: '0x2', notes: 'mine' }, { id: '0x3' }],
    })
    const service = 'https://a.example'
    expect(effectiveConfig(given, own).nodes).toStrictEqual([
      { id: '0x1', notes: 'mine', service, tags: [] },
      { id: '0x2', notes: 'rack 3', service, tags: [] },
      { id: '0x3', service, tags: [] },
    ])
  })

  it('uses the last entry of a node that is listed twice', () => {
    const twice = [
      { id: '0x1', name: 'one' },
      { id: '0x1', name: 'two' },
    ]
    const services = [{ baseUrl: 'a.example' }]
    const names = (from: ServerConfig, own: Settings) =>
      effectiveConfig(from, own).nodes.map(({ name }) => name)
    expect(names(config({ services, nodes: twice }), settings({}))).toEqual(['two'])
    expect(names(config({}), settings({ services, nodes: twice }))).toEqual(['two'])
  })

  it('leaves out nodes of unknown services', () => {
    expect(
      effectiveConfig(config({}), settings({ nodes: [{ id: '0x1' }, { id: '0x2', service: 'x.example' }] }))
        .nodes,
    ).toEqual([])
  })
})

describe('the base URL of requests', () => {
  const id = serviceIdOf('https://a.example/v1')
  it('is the proxy’s or the service’s own', () => {
    expect(requestBase(id, 'proxy', 'http://127.0.0.1:7420')).toBe(`http://127.0.0.1:7420/proxy/${id}`)
    expect(requestBase(id, 'direct', 'http://127.0.0.1:7420')).toBe('https://a.example/v1')
    expect(requestBase('none' as ServiceId, 'direct', 'http://127.0.0.1:7420')).toBe('')
  })
})

import { describe, expect, it } from 'vitest'
import { DEFAULTS } from '#base/defaults.ts'
import { COLLECTED_UNITS } from '#prometheus/collected-now.ts'
import { serviceIdOf } from '#record/service.ts'
import { NO_FILE, type ConfigFile } from '#server/config-file.ts'
import { openAddedServices } from '#server/receivers.ts'
import { createServiceList, namedServices, type ServiceSources } from '#server/service-list.ts'
import { parseServerConfig } from '#settings/documents.ts'
import { serviceAt, type ServerConfig } from '#settings/schema.ts'
import { valueOf } from '#test/support/value-of.ts'

function configOf(document: object): ServerConfig {
  return valueOf(parseServerConfig({ version: 1, ...document }))
}

const fileOf = (document: object, problems: readonly string[] = []): ConfigFile => {
  const config = configOf(document)
  return { current: () => config, receivers: () => [], queryApis: () => [], problems: () => problems }
}

const listOf = (sources: Partial<ServiceSources>) =>
  createServiceList({
    file: NO_FILE,
    demo: undefined,
    added: openAddedServices(undefined, () => undefined),
    keyOf: () => undefined,
    isWatched: false,
    ...sources,
  })

const A = 'https://a.example'
const B = 'https://b.example'
const live = (more: object = {}) => ({ scrapeMs: 15_000, days: 30, live: true, ...more })

describe('the service list', () => {
  const demo = { service: serviceAt('http://127.0.0.1:7421', 'direct'), nodes: [] }

  it('is empty without any source', () => {
    expect(listOf({}).config(true)).toEqual({
      version: 1,
      services: [],
      nodes: [],
      rules: [],
      canAddServices: true,
    })
    expect(listOf({}).named()).toEqual([])
    expect(listOf({}).directOrigins(undefined)).toEqual([])
  })

  it('has those of the file and the demo; a running demo replaces that of the file', () => {
    const fileDemo = { service: { baseUrl: B }, nodes: [] }
    const file = fileOf({ $schema: 'x', services: [{ baseUrl: A }], demo: fileDemo })
    expect(namedServices(file, undefined).map(({ baseUrl }) => baseUrl)).toEqual([A, B])
    expect(namedServices(file, demo).map(({ baseUrl }) => baseUrl)).toEqual([A, demo.service.baseUrl])
    expect(listOf({ file }).config(false)).toMatchObject({
      demo: { service: { baseUrl: B } },
      canAddServices: false,
    })
    expect(listOf({ file, demo }).config(false)).toMatchObject({ demo })
    expect(listOf({ file }).config(false)).not.toHaveProperty('$schema')
  })

  it('finds a service by id, a configured one before an added one', () => {
    const added = openAddedServices(undefined, () => undefined)
    added.add(undefined, { ...serviceAt(A, 'direct'), label: 'added' })
    added.add(undefined, serviceAt(B, 'direct'))
    const list = listOf({ file: fileOf({ services: [{ baseUrl: A, label: 'named' }] }), added })
    expect(list.find(undefined, serviceIdOf(A))).toMatchObject({ entry: { label: 'named' }, isNamed: true })
    expect(list.find(undefined, serviceIdOf(B))).toMatchObject({ entry: { baseUrl: B }, isNamed: false })
    expect(list.find(undefined, serviceIdOf('https://c.example'))).toBeUndefined()
  })

  it('has the origins of direct services, sorted and without duplicates', () => {
    const added = openAddedServices(undefined, () => undefined)
    for (const url of ['https://z.example/v1', `${A}/v2`]) added.add(undefined, serviceAt(url, 'direct'))
    added.add(undefined, serviceAt('https://proxied.example', 'proxy'))
    const file = fileOf({
      services: [
        { baseUrl: `${A}/v1`, via: 'direct' },
        { baseUrl: B, via: 'direct' },
      ],
    })
    expect(listOf({ file, added }).directOrigins(undefined)).toEqual([A, B, 'https://z.example'])
  })
})

it('the problems of the file are sent to pages, up to 20 lines of at most 300 characters', () => {
  const lines = Array.from({ length: 21 }, (_, at) => `${at}: `.padEnd(301, 'x'))
  const { fileProblems = [] } = listOf({ file: fileOf({}, lines) }).config(true)
  expect(fileProblems).toEqual(lines.slice(0, 20).map((line) => line.slice(0, 300)))
  expect(listOf({ file: fileOf({}) }).config(true)).not.toHaveProperty('fileProblems')
})

describe('a service that the server signs for', () => {
  it('is polled by browsers without a key; others are unchanged', () => {
    const file = fileOf({
      services: [{ baseUrl: A, via: 'direct', key: 'ab'.repeat(32), label: 'Main' }, { baseUrl: B }],
    })
    const keyOf = ({ baseUrl }: { readonly baseUrl: string }) => (baseUrl === A ? 'cd' : undefined)
    const { services, signedByServer } = listOf({ file, keyOf }).config(true)
    expect(signedByServer).toEqual([{ service: A, publicKey: 'cd' }])
    expect(services[0]).toMatchObject({
      baseUrl: A,
      label: 'Main',
      via: 'proxy',
      profile: { v: 1, message: { kind: 'none', signer: 'dashboard-server' }, headers: {} },
    })
    expect(services[0]).not.toHaveProperty('key')
    expect(services[1]).toEqual(configOf({ services: [{ baseUrl: B }] }).services[0])
    expect(listOf({ file }).config(true)).not.toHaveProperty('signedByServer')
  })

  it('may be that of the demo', () => {
    const demo = { service: serviceAt(A, 'proxy'), nodes: [] }
    expect(listOf({ demo, keyOf: () => 'cd' }).config(true)).toMatchObject({
      demo: { service: { profile: { message: { signer: 'dashboard-server' } } } },
      signedByServer: [{ service: A, publicKey: 'cd' }],
    })
  })
})

describe('a service that is read from a query API', () => {
  const services = [{ baseUrl: A, pollIntervalMs: 15_000, key: 'ab'.repeat(32) }, { baseUrl: B }]

  it('is polled through this server without a key, at twice the sum of poll and scrape interval', () => {
    const file = fileOf({ services, queryApis: [live({ service: A })] })
    const config = listOf({ file, keyOf: () => 'cd' }).config(true)
    expect(config.services[0]).toMatchObject({
      via: 'proxy',
      pollIntervalMs: 60_000,
      profile: { v: 1, message: { kind: 'none' }, headers: {} },
    })
    expect(config.services[0]?.profile).not.toHaveProperty('message.signer')
    expect(config.services[0]).not.toHaveProperty('key')
    // The server does not sign for a service that it does not poll.
    expect(config.signedByServer).toEqual([{ service: B, publicKey: 'cd' }])
  })

  it('has at most the maximum poll interval', () => {
    const slow = [{ baseUrl: A, pollIntervalMs: DEFAULTS.pollIntervalMaxMs }]
    const file = fileOf({ services: slow, queryApis: [live()] })
    expect(listOf({ file }).config(true).services[0]?.pollIntervalMs).toBe(DEFAULTS.pollIntervalMaxMs)
  })

  it('has collected units in its rules, in place of those of the service', () => {
    const units = { participation: 'percent', stakeDecimals: 18, heartbeat: 's', stakeSymbol: 'IMM' }
    const rules = [
      { for: 'service', service: A, units, limits: { participationBelow: 0.9 } },
      { for: 'service', service: B, units },
      { for: 'tag', tag: 'eu', units },
    ]
    const file = fileOf({ services, rules, queryApis: [live({ service: A })] })
    const told = listOf({ file }).config(true).rules
    const given = configOf({ services, rules }).rules
    expect(told[0]).toEqual({ ...given[0], units: { stakeSymbol: 'IMM', ...COLLECTED_UNITS } })
    expect(told[1]).toEqual(given[1])
    expect(told[2]).toEqual({ ...given[2], units: { stakeSymbol: 'IMM' } })
    expect(told).toHaveLength(3)
  })

  it('has its rule changed if the query API is for all services', () => {
    const rules = [{ for: 'service', service: A, units: { stakeSymbol: 'IMM', stakeDecimals: 18 } }]
    const file = fileOf({ services, rules, queryApis: [live()] })
    expect(listOf({ file }).config(true).rules).toEqual([
      { for: 'service', service: A, units: { stakeSymbol: 'IMM', ...COLLECTED_UNITS }, limits: {} },
      { for: 'service', service: B, units: COLLECTED_UNITS, limits: {} },
    ])
  })

  it('gets a rule for its units if it has none; without a live API rules are unchanged', () => {
    const own = fileOf({ services, queryApis: [live()] })
    expect(listOf({ file: own }).config(true).rules).toEqual(
      [A, B].map((service) => ({ for: 'service', service, units: COLLECTED_UNITS, limits: {} })),
    )
    const rules = [{ for: 'tag', tag: 'eu', units: { participation: 'percent' } }]
    const none = fileOf({ services, rules, queryApis: [live({ live: false })] })
    expect(listOf({ file: none }).config(true).rules).toEqual(configOf({ rules }).rules)
  })
})

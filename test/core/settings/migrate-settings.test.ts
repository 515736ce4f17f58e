import fc from 'fast-check'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { migrated } from '#settings/migrate-settings.ts'
import { parseServerConfig, parseSettings } from '#settings/settings.ts'

const FOLDER = join(import.meta.dirname, '../../vectors/settings')
const document = (name: string): unknown => JSON.parse(readFileSync(join(FOLDER, name), 'utf8'))

describe('documents of older versions, kept as they were written', () => {
  it.each(readdirSync(FOLDER).filter((name) => name.startsWith('settings-')))('%s can be read', (name) => {
    expect(parseSettings(document(name))).toMatchObject({ ok: true })
  })
  it.each(readdirSync(FOLDER).filter((name) => name.startsWith('config-')))('%s can be read', (name) => {
    expect(parseServerConfig(document(name))).toMatchObject({ ok: true })
  })

  it('settings of version 1 keep everything that was set', () => {
    const read = parseSettings(document('settings-v1.json'))
    expect(read.ok && read.value).toEqual({
      version: 3,
      services: [
        {
          baseUrl: 'https://api.immune.example',
          label: 'mainnet',
          via: 'proxy',
          profile: 'bearer-v1',
          pollIntervalMs: 30_000,
          timeoutMs: 10_000,
        },
        {
          baseUrl: 'http://10.0.0.7:8080/v1',
          via: 'direct',
          profile: 'bearer-v1',
          key: 'ab'.repeat(32),
          pollIntervalMs: 15_000,
          timeoutMs: 5_000,
        },
      ],
      nodes: [
        { service: 'https://api.immune.example', id: '0x7F3A', name: 'vela #1', tags: ['eu-west', 't-2024'] },
        { tags: [] },
      ],
      rules: [
        {
          for: 'service',
          service: 'https://api.immune.example',
          units: { heartbeatPeriodMs: 60_000, participation: 'percent', stakeSymbol: 'IMN' },
          limits: {},
        },
      ],
      alarms: { rules: [], maintenance: [] },
      display: { theme: 'dark', contrast: 'more', timeZone: 'local' },
      history: { samplesDays: 30, sumsDays: 730, budgetBytes: 1_000_000_000 },
    })
  })

  it('settings of version 2 keep everything, and have no rule for alarms of their own', () => {
    const read = parseSettings(document('settings-v2.json'))
    const { services, ...rest } = Object(document('settings-v2.json'))
    const [{ deadlineMs, ...service }] = services
    expect(read.ok && read.value).toEqual({
      ...rest,
      services: [{ ...service, timeoutMs: deadlineMs }],
      version: 3,
      alarms: { rules: [], maintenance: [] },
    })
  })

  it('a configuration of version 1 keeps the units of its demo too', () => {
    const read = parseServerConfig(document('config-v1.json'))
    expect(read.ok && read.value.rules).toEqual([
      {
        for: 'service',
        service: 'https://api.immune.example',
        units: { participation: 'ratio' },
        limits: {},
      },
      { for: 'service', service: 'http://127.0.0.1:7421', units: { stakeSymbol: 'IMN' }, limits: {} },
    ])
    expect(read.ok && read.value.demo?.nodes).toEqual([{ id: '0x01', tags: ['a-b'] }])
    expect(read.ok && read.value.nodes[0]?.tags).toEqual(['gold'])
  })
})

describe('bringing a document up to date', () => {
  it.each([[{ version: 2, nodes: 1 }], [{ version: 3 }], [{}], [[]], [null], ['1'], [1]])(
    'leaves %j alone',
    (input) => {
      expect(migrated(input)).toBe(input)
    },
  )

  it('leaves what is no service, node or tag for the parser to name', () => {
    const odd = { version: 1, services: [3, null, {}], nodes: [7, { tags: 'eu' }, { tags: [5] }], demo: 8 }
    expect(migrated(odd)).toEqual({ ...odd, version: 2 })
    expect(migrated({ version: 1, services: 5, nodes: 'x' })).toEqual({ version: 2, services: 5, nodes: 'x' })
  })

  it('makes a tag of every text that was one', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 60, unit: 'grapheme' }), { maxLength: 16 }), (tags) => {
        expect(parseSettings({ version: 1, nodes: [{ tags }] })).toMatchObject({ ok: true })
      }),
    )
  })

  it('never throws', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('services', 'nodes', 'demo', 'rules'), fc.jsonValue()),
        (input) => {
          expect(() => parseSettings({ version: 1, ...input })).not.toThrow()
          expect(() => parseServerConfig({ version: 1, ...input })).not.toThrow()
        },
      ),
    )
  })
})

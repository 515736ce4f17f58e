import { EMPTY_SETTINGS } from '#settings/effective.ts'
import { salvageSettings, parseServerConfig, parseSettings } from '#settings/documents.ts'
import fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isAll } from '#test/fuzz/random.ts'

const salvage = (document: unknown) => salvageSettings(JSON.stringify(document))
const SERVICE = { baseUrl: 'https://a.example' }
const OWN_PROFILE = {
  message: { kind: 'template', template: '{ts.s}' },
  headers: { 'X-Signature': '{sig.hex}' },
}

describe('salvaging a document', () => {
  it.each([['{'], [''], ['null'], ['[]'], ['"x"'], ['7'], ['['.repeat(100_000)]])(
    'gives defaults for unusable text (%#)',
    (text) => {
      expect(salvageSettings(text)).toMatchObject({
        settings: EMPTY_SETTINGS,
        used: 'nothing',
        isNewer: false,
        dropped: [],
        droppedCount: 0,
      })
    },
  )

  it('reads stored documents of version 1 in full, even one with its own profile', () => {
    const old = readFileSync(join(import.meta.dirname, '../../vectors/settings/settings-v1.json'), 'utf8')
    const parsed = parseSettings(JSON.parse(old))
    expect(salvageSettings(old)).toEqual({
      settings: parsed.ok && {
        ...parsed.value,
        nodes: parsed.value.nodes.map((node) => ({ ...node, service: 'https://api.immune.example' })),
      },
      used: 'all',
      isNewer: false,
      dropped: [],
      droppedCount: 0,
    })
    const config: unknown = JSON.parse(
      readFileSync(join(import.meta.dirname, '../../vectors/settings/config-v1.json'), 'utf8'),
    )
    expect(parseServerConfig(config)).toMatchObject({ ok: true, value: config })
    const own = salvage({ version: 1, services: [{ ...SERVICE, profile: OWN_PROFILE }] })
    expect(own).toMatchObject({ used: 'all' })
    expect(own.settings.services[0]?.profile).toMatchObject(OWN_PROFILE)
  })

  it('uses a later version as far as it is understood', () => {
    const read = salvage({
      version: 99,
      services: [{ ...SERVICE, label: 'main', mood: 'new' }],
      nodes: [{ id: '0x1', tags: ['eu'], shape: 'round' }, { id: '0x2' }],
      rules: [
        { for: 'tag', tag: 'eu', limits: { stakeBelow: '5', moodBelow: 3 } },
        { for: 'galaxy', galaxy: 'x' },
      ],
      display: { theme: 'sepia', contrast: 'more' },
      charts: { lanes: [] },
    })
    expect(read).toMatchObject({ used: 'part', isNewer: true })
    expect(read.dropped.toSorted()).toEqual([
      'charts',
      'display.theme',
      'nodes.0.shape',
      'rules.0.limits.moodBelow',
      'rules.1.for',
      'rules.1.for',
      'services.0.mood',
    ])
    expect(read.droppedCount).toBe(7)
    expect(read.settings).toEqual({
      ...EMPTY_SETTINGS,
      services: [
        {
          ...SERVICE,
          label: 'main',
          via: 'proxy',
          profile: 'bearer-v1',
          pollIntervalMs: 15_000,
          timeoutMs: 10_000,
        },
      ],
      nodes: [
        { service: 'https://a.example', id: '0x1', tags: ['eu'] },
        { service: 'https://a.example', id: '0x2', tags: [] },
      ],
      rules: [{ for: 'tag', tag: 'eu', units: {}, limits: { stakeBelow: '5' } }],
      display: { theme: 'system', contrast: 'more', timeZone: 'utc' },
    })
  })

  it.each([
    ['baseUrl', { baseUrl: 'ftp://x' }],
    ['via', { ...SERVICE, via: 'relay' }],
    ['key', { ...SERVICE, key: 'short' }],
    ['profile', { ...SERVICE, profile: 'quantum' }],
    ['profile in every part', { ...SERVICE, profile: { ...OWN_PROFILE, headers: { Host: 'x' } } }],
    ['baseUrl at all', {}],
  ])('drops a service without a valid %s, and moves its nodes to no other', (_what, odd) => {
    const other = { baseUrl: 'https://b.example' }
    const { settings, used } = salvage({ version: 1, services: [odd, other], nodes: [{ id: '0x1' }] })
    expect(used).toBe('part')
    expect(settings.services.map(({ baseUrl }) => baseUrl)).toEqual(['https://b.example'])
    if ('baseUrl' in odd && odd.baseUrl === SERVICE.baseUrl)
      expect(settings.nodes).toEqual([{ service: 'https://a.example', id: '0x1', tags: [] }])
  })

  it('drops single settings that are out of range, but not their service', () => {
    const { settings } = salvage({ version: 1, services: [{ ...SERVICE, pollIntervalMs: 1, label: 'kept' }] })
    expect(settings.services[0]).toMatchObject({ pollIntervalMs: 15_000, label: 'kept' })
  })

  it('keeps the first entries of a list that is too long', () => {
    const services = Array.from({ length: 20 }, (_, index) => ({ baseUrl: `https://s${index}.example` }))
    expect(salvage({ version: 1, services }).settings.services.map(({ baseUrl }) => baseUrl)).toEqual(
      services.slice(0, 16).map(({ baseUrl }) => baseUrl),
    )
  })

  it('lists the first 20 dropped settings', () => {
    const nodes = Array.from({ length: 100 }, () => ({ id: 'x' }))
    const { dropped, droppedCount, settings } = salvage({ version: 1, nodes: [...nodes, { id: '0x1' }] })
    expect(dropped).toHaveLength(20)
    expect(droppedCount).toBe(100)
    expect(settings.nodes).toHaveLength(101)
  })

  it('drops any number of unknown members, and keeps the others', () => {
    const unknown = (name: string) =>
      Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`${name}${n}`, 1]))
    const salvaged = salvage({
      version: 1,
      services: [{ ...SERVICE, ...unknown('s') }],
      nodes: [{ id: '0x1', ...unknown('n') }],
      alarms: { rules: [], ...unknown('a') },
      ...unknown('x'),
    })
    expect(salvaged).toMatchObject({ used: 'part', droppedCount: 200_000 })
    expect(salvaged.settings.services).toMatchObject([SERVICE])
    expect(salvaged.settings.nodes).toMatchObject([{ id: '0x1' }])
    expect(salvaged.dropped).toHaveLength(20)
  })

  it('gives defaults for a later version of which nothing is understood, and reports that', () => {
    expect(salvage({ version: 99, charts: 1 })).toMatchObject({
      used: 'nothing',
      isNewer: true,
      dropped: ['charts'],
    })
    expect(salvage({ version: 99, display: { theme: 'dark' } })).toMatchObject({ used: 'part', dropped: [] })
    expect(salvage({ version: 1 })).toMatchObject({ used: 'all', dropped: [] })
  })

  it('drops invalid entries of a list, and keeps the others', () => {
    const { settings, dropped } = salvage({
      version: 1,
      services: [SERVICE, 7],
      nodes: [null, 7, '0x1', [1], { id: '0x2' }],
      rules: [null, { for: 'tag', tag: 'eu' }],
    })
    expect(settings.services).toHaveLength(1)
    expect(settings.nodes).toEqual([{ service: SERVICE.baseUrl, id: '0x2', tags: [] }])
    expect(settings.rules).toEqual([{ for: 'tag', tag: 'eu', units: {}, limits: {} }])
    expect(dropped.toSorted()).toEqual([
      'nodes.0',
      'nodes.1',
      'nodes.2',
      'nodes.3.0',
      'rules.0',
      'services.1',
    ])
  })

  it('drops entries without a valid required member, even in nested lists', () => {
    const statusWords = [
      { word: 'DRAINING', means: 'odd' },
      { word: 'NAP', means: 'good' },
    ]
    const alarmRule = { id: 'a', scope: { for: 'all' }, condition: { metric: 'stake', test: 'changed' } }
    const { settings, used } = salvage({
      version: 1,
      rules: [{ for: 'tag', tag: 'eu', units: { statusWords } }],
      alarms: { rules: [{ ...alarmRule, id: 'A B' }, alarmRule] },
    })
    expect(used).toBe('part')
    expect(settings.rules[0]?.units.statusWords).toEqual([{ word: 'NAP', means: 'good' }])
    expect(settings.alarms.rules.map(({ id }) => id)).toEqual(['a'])
  })

  it('reads a document without a version as the current version', () => {
    expect(salvage({ services: [SERVICE] }).settings.services).toHaveLength(1)
    expect(salvage({ version: '2', services: [SERVICE] })).toMatchObject({ used: 'all', isNewer: false })
    expect(salvage({ version: 'x', services: [SERVICE] })).toMatchObject({ used: 'all', isNewer: false })
  })
})

const MEMBERS = `
  baseUrl profile id tags for tag service node units limits stakeBelow statusWords word means __proto__
  constructor x.y 0 headers message`

const odd = fc.letrec<{ readonly any: unknown }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(
      'https://a.example',
      '0x1',
      'eu',
      'tag',
      'service',
      'node',
      'bearer-v1',
      15_000,
      null,
      0.5,
    ),
    fc.jsonValue({ maxDepth: 1 }),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...MEMBERS.trim().split(/\s+/)), tie('any')),
  ),
})).any

const documents = fc.record(
  {
    version: fc.oneof(fc.constantFrom(1, 2, 3), odd),
    services: odd,
    nodes: odd,
    rules: odd,
    display: odd,
    more: odd,
  },
  { requiredKeys: [] },
)

it('no document makes a reader throw, and what is salvaged is a valid document', () => {
  fc.assert(
    fc.property(documents, (document) => {
      const text = JSON.stringify(document)
      const { settings } = salvageSettings(text)
      expect(parseSettings(settings)).toEqual({ ok: true, value: settings })
      expect(() => parseSettings(JSON.parse(text))).not.toThrow()
    }),
    { numRuns: isAll() ? 500 : 150 },
  )
})

import { describe, expect, it } from 'vitest'
import {
  initialDraft,
  nodesOf,
  serviceOf,
  settingsWith,
  usesDemoNodes,
  type Draft,
} from '#features/first-run/draft.ts'
import { effectiveConfig } from '#settings/effective.ts'
import { EMPTY_SETTINGS } from '#settings/empty-settings.ts'
import { parseServerConfig, type Settings } from '#settings/settings.ts'
import type { Configuration } from '#react/dashboard.ts'
import { aService, BASE_URL } from '#test/support/fleet-fixture.ts'

const DEMO_URL = 'http://127.0.0.1:7421'
const PAGE = 'http://127.0.0.1:7420'

function configuration(
  server: Readonly<Record<string, unknown>>,
  settings: Settings = EMPTY_SETTINGS,
): Configuration {
  const parsed = parseServerConfig({ version: 1, ...server })
  if (!parsed.ok) throw new Error('the fixture is no configuration')
  return {
    settings,
    server: parsed.value,
    effective: effectiveConfig(parsed.value, settings),
    problem: undefined,
  }
}

const demo = { service: { baseUrl: DEMO_URL }, nodes: [{ id: '0x1', name: 'vela' }, {}] }
const draftOf = (part: Partial<Draft>, from = configuration({ demo })): Draft => ({
  ...initialDraft(from, false),
  ...part,
})

describe('the answers to begin with', () => {
  it('are the demo, a new key and the demo’s nodes', () => {
    expect(initialDraft(configuration({ demo, canAddServices: true }), false)).toEqual({
      service: 'demo',
      address: '',
      via: 'proxy',
      key: 'make',
      demoNodes: '0x1  vela\nown',
      ownNodes: '',
    })
  })

  it('are an own service and the key that is there, where there is no demo', () => {
    expect(initialDraft(configuration({}), true)).toMatchObject({
      service: 'own',
      via: 'direct',
      key: 'existing',
    })
  })
})

describe('the service', () => {
  it('is the demo’s when the demo is chosen', () => {
    const service = serviceOf(draftOf({}), configuration({ demo }), PAGE)
    expect(service.ok && service.value.baseUrl).toBe(DEMO_URL)
  })

  it('is the typed one, with every default, when an own one is chosen', () => {
    const draft = draftOf({ service: 'own', address: `${BASE_URL}/`, via: 'proxy' })
    expect(serviceOf(draft, configuration({ demo }), PAGE)).toEqual({ ok: true, value: aService() })
  })

  it('says what is wrong with the typed one', () => {
    const draft = draftOf({ service: 'own', address: '' })
    expect(serviceOf(draft, configuration({ demo }), PAGE)).toEqual({ ok: false, error: 'empty' })
  })

  it('is the first that is configured, whatever else is offered', () => {
    const from = configuration({ demo, services: [{ baseUrl: BASE_URL }] })
    const service = serviceOf(draftOf({}), from, PAGE)
    expect(service.ok && service.value.baseUrl).toBe(BASE_URL)
    expect(usesDemoNodes(draftOf({}), from)).toBe(false)
  })

  it('is still the demo with its nodes when only its nodes were taken out', () => {
    const from = configuration({ demo, services: [{ baseUrl: DEMO_URL }] })
    expect(usesDemoNodes(draftOf({ service: 'own' }), from)).toBe(true)
  })
})

describe('the nodes', () => {
  it.each([
    ['', { ok: true, value: [{ service: BASE_URL, tags: [] }] }],
    ['0x1 vela', { ok: true, value: [{ id: '0x1', name: 'vela', service: BASE_URL, tags: [] }] }],
    ['0x1\nnope', { ok: true, value: [{ id: '0x1', service: BASE_URL, tags: [] }] }],
    ['nope', { ok: false, error: 'only-bad-lines' }],
  ])('%j', (text, expected) => {
    expect(nodesOf(text, aService())).toEqual(expected)
  })
})

it('adds the answers to the settings and takes nothing away', () => {
  const settings: Settings = {
    ...EMPTY_SETTINGS,
    services: [aService({ label: 'old' }), aService({ baseUrl: DEMO_URL })],
    nodes: [{ id: '0x9', service: DEMO_URL, tags: ['eu'] }],
  }
  const next = settingsWith(settings, aService({ label: 'new' }), [{ service: BASE_URL, tags: [] }])
  expect(next.services.map(({ baseUrl, label }) => [baseUrl, label])).toEqual([
    [DEMO_URL, undefined],
    [BASE_URL, 'new'],
  ])
  expect(next.nodes).toEqual([
    { id: '0x9', service: DEMO_URL, tags: ['eu'] },
    { service: BASE_URL, tags: [] },
  ])
})

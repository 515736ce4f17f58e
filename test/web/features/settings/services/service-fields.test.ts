import { describe, expect, it } from 'vitest'
import {
  readServiceFields,
  serviceFieldsOf,
  withoutService,
  withService,
  type ServiceFields,
} from '#features/settings/services/service-fields.ts'
import { EMPTY_SETTINGS } from '#settings/effective.ts'
import type { Settings } from '#settings/schema.ts'
import { aService, BASE_URL } from '#test/support/fleet-fixture.ts'

const OTHER = 'https://other.example'
const read = (part: Partial<ServiceFields>) =>
  readServiceFields(aService(), { ...serviceFieldsOf(aService()), ...part })

describe('the fields of a service', () => {
  it('read back as the service that they were made from', () => {
    const service = aService({
      label: 'main',
      via: 'direct',
      pollIntervalMs: 500_500,
    })
    expect(readServiceFields(service, serviceFieldsOf(service))).toEqual({ ok: true, value: service })
  })

  it.each([
    ['15', 15_000],
    [' 2.5 ', 2_500],
    ['2,5', 2_500],
    ['1', 1_000],
    ['86400', 86_400_000],
  ])('%j seconds are %i ms', (poll, pollIntervalMs) => {
    expect(read({ poll })).toMatchObject({ ok: true, value: { pollIntervalMs } })
  })

  it.each([
    ['', 'not-a-number'],
    ['fast', 'not-a-number'],
    ['1e3', 'not-a-number'],
    ['-5', 'not-a-number'],
    ['1 2', 'not-a-number'],
    ['0.999', 'out-of-range'],
    ['86400.1', 'out-of-range'],
  ])('%j is refused as %s', (poll, kind) => {
    expect(read({ poll })).toMatchObject({ ok: false, error: { poll: { kind } } })
  })

  it('takes no pace as none, and refuses one that is no number of requests', () => {
    const set = read({ pace: '2,5' })
    expect(set.ok && set.value.pace).toBe(2.5)
    const none = read({ pace: ' ' })
    expect(none.ok && 'pace' in none.value).toBe(false)
    expect(read({ pace: '0' })).toMatchObject({ error: { pace: { kind: 'out-of-range' } } })
    expect(read({ pace: 'fast' })).toMatchObject({ error: { pace: { kind: 'not-a-number' } } })
  })
})

describe('services in the settings', () => {
  const settings: Settings = {
    ...EMPTY_SETTINGS,
    services: [aService(), aService({ baseUrl: OTHER })],
    nodes: [
      { id: '0x1', tags: [] },
      { id: '0x2', service: OTHER, tags: [] },
    ],
    rules: [
      { for: 'service', service: BASE_URL, units: {}, limits: {} },
      { for: 'node', service: BASE_URL, node: '0x1', units: {}, limits: {} },
      { for: 'tag', tag: 'eu', units: {}, limits: {} },
      { for: 'service', service: OTHER, units: {}, limits: {} },
    ],
  }

  it('are changed in their place and added behind the others', () => {
    expect(withService(settings, aService({ label: 'new' })).services.map(({ label }) => label)).toEqual([
      'new',
      undefined,
    ])
    expect(withService(settings, aService({ baseUrl: 'https://third.example' })).services).toHaveLength(3)
  })

  it('go with their nodes, those that name no service included', () => {
    const next = withoutService(settings, BASE_URL, false)
    expect(next.services.map(({ baseUrl }) => baseUrl)).toEqual([OTHER])
    expect(next.nodes).toEqual([{ id: '0x2', service: OTHER, tags: [] }])
    expect(next.rules).toEqual(settings.rules.slice(2))
  })

  it('leave their nodes where the server goes on describing them', () => {
    const next = withoutService(settings, BASE_URL, true)
    expect(next.rules).toEqual(settings.rules.slice(1))
    expect(next.nodes).toEqual([
      { id: '0x1', service: BASE_URL, tags: [] },
      { id: '0x2', service: OTHER, tags: [] },
    ])
  })
})

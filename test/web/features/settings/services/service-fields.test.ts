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

describe('the service form fields', () => {
  it('round-trip a service', () => {
    const service = aService({
      label: 'main',
      via: 'direct',
      pollIntervalMs: 500_500,
    })
    expect(readServiceFields(service, serviceFieldsOf(service))).toEqual({ ok: true, value: service })
  })

  it('accept a decimal or blank pace, and reject an invalid pace or poll interval', () => {
    const set = read({ pace: '2,5' })
    expect(set.ok && set.value.pace).toBe(2.5)
    const none = read({ pace: ' ' })
    expect(none.ok && 'pace' in none.value).toBe(false)
    expect(read({ poll: 'fast' })).toMatchObject({ error: { poll: { kind: 'not-a-number' } } })
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
    serviceKeys: [
      { service: BASE_URL, key: 'a'.repeat(64) },
      { service: OTHER, key: 'b'.repeat(64) },
    ],
  }

  it('are updated in place, and appended when new', () => {
    expect(withService(settings, aService({ label: 'new' })).services.map(({ label }) => label)).toEqual([
      'new',
      undefined,
    ])
    expect(withService(settings, aService({ baseUrl: 'https://third.example' })).services).toHaveLength(3)
  })

  it('are removed with their rules, keys and nodes, including nodes that name no service', () => {
    const next = withoutService(settings, BASE_URL, false)
    expect(next.services.map(({ baseUrl }) => baseUrl)).toEqual([OTHER])
    expect(next.nodes).toEqual([{ id: '0x2', service: OTHER, tags: [] }])
    expect(next.rules).toEqual(settings.rules.slice(2))
    expect(next.serviceKeys).toEqual([{ service: OTHER, key: 'b'.repeat(64) }])
  })

  it('leave their nodes and node rules in place if the server still has the service', () => {
    const next = withoutService(settings, BASE_URL, true)
    expect(next.rules).toEqual(settings.rules.slice(1))
    expect(next.nodes).toEqual([
      { id: '0x1', service: BASE_URL, tags: [] },
      { id: '0x2', service: OTHER, tags: [] },
    ])
  })
})

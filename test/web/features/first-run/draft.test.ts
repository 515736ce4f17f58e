import { expect, it } from 'vitest'
import { settingsWith } from '#features/first-run/draft.ts'
import { EMPTY_SETTINGS } from '#settings/effective.ts'
import type { Settings } from '#settings/schema.ts'
import { aService, BASE_URL } from '#test/support/fleet-fixture.ts'

const DEMO_URL = 'http://127.0.0.1:7421'
it('adds the answers to the settings and takes nothing away', () => {
  const settings: Settings = {
    ...EMPTY_SETTINGS,
    services: [aService({ label: 'old' }), aService({ baseUrl: DEMO_URL })],
    nodes: [{ id: '0x9', service: DEMO_URL, tags: ['eu'] }],
  }
  const next = settingsWith(settings, [aService({ label: 'new' })], [{ service: BASE_URL, tags: [] }])
  expect(next.services.map(({ baseUrl, label }) => [baseUrl, label])).toEqual([
    [DEMO_URL, undefined],
    [BASE_URL, 'new'],
  ])
  expect(next.nodes).toEqual([
    { id: '0x9', service: DEMO_URL, tags: ['eu'] },
    { service: BASE_URL, tags: [] },
  ])
})

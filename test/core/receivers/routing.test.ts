import { expect, it } from 'vitest'
import { isRouted, quietUntil, RoutingSchema } from '#receivers/routing.ts'
import { parseBy } from '#settings/documents.ts'

const at = (time: string): number => Date.parse(`2026-06-01T${time}:30Z`)
const NIGHT = { from: '22:00', to: '07:00', zone: 'utc' } as const

it.each([
  ['21:59', NIGHT, undefined],
  ['22:00', NIGHT, '2026-06-02T07:00:00.000Z'],
  ['06:59', NIGHT, '2026-06-01T07:00:00.000Z'],
  ['07:00', NIGHT, undefined],
  ['12:30', { ...NIGHT, from: '12:00', to: '13:00' }, '2026-06-01T13:00:00.000Z'],
  ['13:30', { ...NIGHT, from: '12:00', to: '13:00' }, undefined],
  ['12:00', { ...NIGHT, to: '22:00' }, undefined],
  ['20:30', { ...NIGHT, zone: 'local' }, '2026-06-02T05:00:00.000Z'],
] as const)('quiet hours at %s of %j end at %s', (time, quiet, end) => {
  const endMs = quietUntil(quiet, at(time), () => 7_200_000)
  expect(endMs && new Date(endMs).toISOString()).toBe(end)
})

it.each([
  [{ tags: ['eu'] }, undefined, true],
  [{ tags: ['eu'] }, { tags: ['us', 'eu'] }, true],
  [{ tags: ['eu'] }, { tags: ['us'] }, false],
  [{}, { tags: ['us'] }, false],
  [{ service: 'https://a.example' }, { services: ['https://a.example'] }, true],
  [{ service: 'https://b.example' }, { services: ['https://a.example'] }, false],
])('an alarm of %j is routed to a receiver with %j: %s', (facts, routing, expected) =>
  expect(isRouted(facts, routing)).toBe(expected),
)

it('accepts tags and services as people write them, and rejects those that can match no node', () => {
  const written = { tags: ['#EU'], services: ['HTTPS://a.example:443/'] }
  expect(parseBy(RoutingSchema, written)).toEqual({
    ok: true,
    value: { tags: ['eu'], services: ['https://a.example'] },
  })
  const wrong = parseBy(RoutingSchema, { tags: ['1'], services: ['a.example/node/status'] })
  expect(!wrong.ok && wrong.error.map(({ path }) => path)).toEqual(['tags.0', 'services.0'])
})

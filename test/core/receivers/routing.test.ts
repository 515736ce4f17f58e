import { expect, it } from 'vitest'
import { isQuiet, isRouted, RoutingSchema } from '#receivers/routing.ts'
import { parseBy } from '#settings/documents.ts'

const at = (time: string): number => Date.parse(`2026-06-01T${time}:30Z`)
const NIGHT = { from: '22:00', to: '07:00', zone: 'utc' } as const

it.each([
  ['21:59', NIGHT, false],
  ['22:00', NIGHT, true],
  ['06:59', NIGHT, true],
  ['07:00', NIGHT, false],
  ['12:30', { ...NIGHT, from: '12:00', to: '13:00' }, true],
  ['13:30', { ...NIGHT, from: '12:00', to: '13:00' }, false],
  ['12:00', { ...NIGHT, to: '22:00' }, false],
  ['20:30', { ...NIGHT, zone: 'local' }, true],
] as const)('%s is in the quiet hours %j: %s', (time, quiet, expected) =>
  expect(isQuiet(quiet, at(time), () => 7_200_000)).toBe(expected),
)

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

import { describe, expect, it } from 'vitest'
import { isDimmed, shiftAt, VIEWS_MAX, wallOptionsOf } from '#features/wall/wall-options.ts'

const DEFAULT = {
  views: [{ kind: 'fleet' }],
  everyS: 30,
  dim: undefined,
  shift: true,
  theme: undefined,
  zone: undefined,
  odd: [],
}

describe('the wall screen URL', () => {
  it.each([
    ['/wall', '', {}],
    ['/wall/', '', {}],
    ['/wall/abc!0x01', '', { views: [{ kind: 'node', node: 'abc!0x01' }] }],
    ['/wall/abc%210x01', '', { views: [{ kind: 'node', node: 'abc!0x01' }] }],
    ['/wall/100%', '', { views: [{ kind: 'node', node: '100%' }] }],
    [
      '/wall',
      'show=fleet,a!1,b!2&every=5',
      {
        views: [{ kind: 'fleet' }, { kind: 'node', node: 'a!1' }, { kind: 'node', node: 'b!2' }],
        everyS: 5,
      },
    ],
    ['/wall', 'every=3600', { everyS: 3_600 }],
    ['/wall', 'dim=22:00-06:30', { dim: { fromMin: 1_320, toMin: 390 } }],
    ['/wall', 'dim=0:00-23:59&shift=off', { dim: { fromMin: 0, toMin: 1_439 }, shift: false }],
    ['/wall', 'theme=light&time=utc&shift=on', { theme: 'light', zone: 'utc' }],
  ])('%s?%s sets what is shown and how', (path, query, says) => {
    expect(wallOptionsOf(path, query)).toEqual({ ...DEFAULT, ...says })
  })

  it.each([
    ...'every=4 every=3601 every=1e2 every= dim=24:00-06:00 dim=22:60-06:00 dim=22:00'.split(' '),
    ...'shift=maybe theme=pink time=mars show='.split(' '),
    `show=${Array.from({ length: VIEWS_MAX + 1 }, (_, n) => `a!${n}`).join(',')}`,
    'colour=red',
  ])('with %s reports it as not understood and keeps the defaults', (query) => {
    expect(wallOptionsOf('/wall', query)).toEqual({ ...DEFAULT, odd: [query] })
  })

  it('accepts the maximum number of views', () => {
    const keys = Array.from({ length: VIEWS_MAX }, (_, n) => `a!${n}`)
    expect(wallOptionsOf('/wall', `show=${keys.join(',')}`).views).toHaveLength(VIEWS_MAX)
  })
})

describe('the dimmed hours', () => {
  const night = { fromMin: 1_320, toMin: 360 }
  const noon = { fromMin: 720, toMin: 780 }
  it.each([
    [undefined, 0, false],
    [night, 1_319, false],
    [night, 1_320, true],
    [night, 0, true],
    [night, 359, true],
    [night, 360, false],
    [noon, 719, false],
    [noon, 720, true],
    [noon, 779, true],
    [noon, 780, false],
    [{ fromMin: 60, toMin: 60 }, 30, true],
    [{ fromMin: 60, toMin: 60 }, 90, true],
  ])('%o include minute %d of the day: %s', (dim, minute, says) => {
    expect(isDimmed(dim, minute)).toBe(says)
  })
})

it('the image is shifted by 1 to 4 px, differently each minute, and repeats after 8 minutes', () => {
  const walk = Array.from({ length: 8 }, (_, minute) => shiftAt(minute))
  expect(new Set(walk.map(String)).size).toBe(8)
  for (const [x, y] of walk) {
    for (const px of [x, y]) {
      expect(Math.abs(px)).toBeGreaterThanOrEqual(1)
      expect(Math.abs(px)).toBeLessThanOrEqual(4)
    }
  }
  expect(shiftAt(8)).toBe(walk[0])
  expect(shiftAt(9.9)).toBe(walk[1])
})

import { describe, expect, it } from 'vitest'
import type { ServiceLive } from '#fleet/live.ts'
import { fleet, live, node, NOW_MS } from '#test/core/monitor/fleet.ts'
import { causesOf } from '#test/support/evaluated.ts'

const URLS = [
  'https://a.example',
  'https://b.example',
  'https://c.example',
  'https://d.example',
  'https://e.example',
]
const around = (middleMs: number, widthMs = 1_000) => ({
  lowMs: middleMs - widthMs / 2,
  highMs: middleMs + widthMs / 2,
})
const RIGHT = { offset: around(0) }
const FAST = { offset: around(90_000) }
const CORRECTED = { ms: 90_000, state: 'used' } as const

/** The clock causes of services with these offsets; each has one node, except the first `unwatched` ones. */
function said(compared: readonly Partial<ServiceLive>[], unwatched = 0) {
  const urls = URLS.slice(0, compared.length)
  const snapshot = fleet(
    urls.slice(unwatched).map((url, index) => node(index, {}, url)),
    compared.map((given, place) => live(given, urls[place])),
  )
  return causesOf(snapshot, NOW_MS)
    .filter(({ code }) => code === 'data/clock')
    .map(({ scope, severity, nodes, evidence, id }) => {
      const { kind, ...found } = evidence
      expect(kind).toBe('clock-offset')
      return { id, scope, severity, nodes: nodes.length, ...found }
    })
}

const whose = (compared: readonly Partial<ServiceLive>[], unwatched = 0) =>
  said(compared, unwatched).map((one) => [one.scope, 'whose' in one ? one.whose : undefined])

describe('a wrong clock', () => {
  it.each<[string, readonly Partial<ServiceLive>[], readonly (readonly [string, string | undefined])[]]>([
    ['is no cause if all services agree with this computer', [RIGHT, RIGHT], []],
    ['is unattributed with one service', [FAST], [['service', undefined]]],
    ['is unattributed if only one has a time', [FAST, { offset: undefined }], [['service', undefined]]],
    ['is this computer’s if all services have the same offset', [FAST, FAST], [['screen', undefined]]],
    ['is the service’s if most agree with the computer', [RIGHT, RIGHT, FAST], [['service', 'service']]],
    ['is unknown if one of two services has an offset', [RIGHT, FAST], [['service', 'unknown']]],
    [
      'is unknown if both services have different offsets',
      [FAST, { offset: around(-90_000) }],
      [
        ['service', 'unknown'],
        ['service', 'unknown'],
      ],
    ],
    [
      'is this computer’s and that of the one service that differs',
      [FAST, FAST, { offset: around(-90_000) }],
      [
        ['screen', undefined],
        ['service', 'service'],
      ],
    ],
    [
      'is this computer’s if the offsets of the services just touch',
      [FAST, { offset: around(91_000) }],
      [['screen', undefined]],
    ],
  ])('%s', (_, compared, expected) => {
    expect(whose(compared)).toEqual(expected)
  })

  it.each([
    ['is the one that was set', [{ ...FAST, clockSet: 'computer' }], 'computer'],
    ['is the service’s if it was set', [RIGHT, { ...FAST, clockSet: 'service' }], 'service'],
    [
      'is not the one that was set, if others show it',
      [RIGHT, RIGHT, { ...FAST, clockSet: 'computer' }],
      undefined,
    ],
  ] as const)('%s', (_, compared, clockSet) => {
    expect(said(compared).map((one) => ('clockSet' in one ? one.clockSet : undefined))).toEqual([clockSet])
  })

  it('is that of each service that was seen being set, even if all were set alike', () => {
    const set = { ...FAST, clockSet: 'service' } as const
    expect(said([set, set])).toMatchObject([set, set].map((one) => ({ scope: 'service', ...one })))
    expect(said([set, set, RIGHT])).toMatchObject([{ scope: 'service' }, { scope: 'service' }])
  })

  it('is unknown if an offset around the limit overlaps with one beyond it', () => {
    const near = { offset: { lowMs: 29_500, highMs: 30_500 } }
    const far = { offset: { lowMs: 30_100, highMs: 31_000 } }
    expect(whose([near, far])).toEqual([['service', 'unknown']])
  })

  it('of this computer covers all nodes, with the offset that all services allow', () => {
    expect(said([FAST, { offset: around(90_200) }, { offset: undefined }])).toEqual([
      {
        id: 'data/clock@screen',
        scope: 'screen',
        severity: 'warning',
        nodes: 2,
        offset: { lowMs: 89_700, highMs: 90_500 },
        services: 2,
        corrected: false,
      },
    ])
  })

  it('is found from heartbeats if no service reports its time', () => {
    const beats = { offset: undefined, heartbeatOffset: around(90_000) }
    expect(said([beats])).toMatchObject([{ by: 'heartbeats' }])
    expect(said([beats, beats])).toMatchObject([{ scope: 'screen', by: 'heartbeats' }])
    expect(said([beats, FAST])[0]).not.toHaveProperty('by')
  })

  it('is not a warning while signing is corrected by its offset', () => {
    expect(said([{ ...FAST, correction: CORRECTED }])).toMatchObject([{ severity: 'info', corrected: true }])
    expect(said([{ ...FAST, correction: CORRECTED }, FAST])).toMatchObject([
      { scope: 'screen', severity: 'info', corrected: true },
    ])
    const asked = { ms: 90_000, state: 'ask' } as const
    expect(said([{ ...FAST, correction: asked }])).toEqual([])
    expect(said([{ ...FAST, correction: { ...asked, state: 'refused' } }])).toMatchObject([
      { severity: 'warning' },
    ])
    expect(said([{ ...RIGHT, correction: CORRECTED }])).toEqual([])
  })
})

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

/** What is said of clocks, of services that compare like this; one node each, unless there is none. */
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

describe('whose clock is wrong', () => {
  it.each<[string, readonly Partial<ServiceLive>[], readonly (readonly [string, string | undefined])[]]>([
    ['nothing where all agree', [RIGHT, RIGHT], []],
    ['nobody knows with one service', [FAST], [['service', undefined]]],
    ['nobody knows where only one tells the time', [FAST, { offset: undefined }], [['service', undefined]]],
    ['this computer’s, where all say the same', [FAST, FAST], [['screen', undefined]]],
    ['the service’s, where most agree with this computer', [RIGHT, RIGHT, FAST], [['service', 'service']]],
    ['nobody knows where two differ', [RIGHT, FAST], [['service', 'unknown']]],
    [
      'nobody knows where each says something else',
      [FAST, { offset: around(-90_000) }],
      [
        ['service', 'unknown'],
        ['service', 'unknown'],
      ],
    ],
    [
      'this computer’s, and the one’s that says otherwise',
      [FAST, FAST, { offset: around(-90_000) }],
      [
        ['screen', undefined],
        ['service', 'service'],
      ],
    ],
    [
      'this computer’s, where what they say only touches',
      [FAST, { offset: around(91_000) }],
      [['screen', undefined]],
    ],
  ])('%s', (_, compared, expected) => {
    expect(whose(compared)).toEqual(expected)
  })

  it('is not known where one that is near may be right, and one that is not', () => {
    const near = { offset: { lowMs: 29_500, highMs: 30_500 } }
    const far = { offset: { lowMs: 30_100, highMs: 31_000 } }
    expect(whose([near, far])).toEqual([['service', 'unknown']])
  })

  it('of this computer’s clock it is told for all nodes, by what all services allow', () => {
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

  it('by heartbeats is said where no service tells the time', () => {
    const beats = { offset: undefined, heartbeatOffset: around(90_000) }
    expect(said([beats])).toMatchObject([{ by: 'heartbeats' }])
    expect(said([beats, beats])).toMatchObject([{ scope: 'screen', by: 'heartbeats' }])
    expect(said([beats, FAST])[0]).not.toHaveProperty('by')
  })

  it('is no warning where signing is corrected by it', () => {
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

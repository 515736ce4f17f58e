import { describe, expect, it } from 'vitest'
import { additionOf, hasNotesOfServer, rowsOf, withEdits, withNotes, withoutOwn } from '#parts/node-edits.ts'
import type { Configuration } from '#react/dashboard.ts'
import { EMPTY_SETTINGS, effectiveConfig } from '#settings/effective.ts'
import type { ServerConfig, Settings } from '#settings/schema.ts'
import { aService } from '#test/support/fleet-fixture.ts'

const A = 'https://a.example'
const B = 'https://b.example'
const NO_SERVER: ServerConfig = { version: 1, services: [], nodes: [], rules: [], canAddServices: false }
const settings: Settings = {
  ...EMPTY_SETTINGS,
  nodes: [
    { id: '0xAB', name: 'one', tags: ['eu'], notes: 'kept' },
    { id: '0x2', service: A, tags: [] },
    { service: A, tags: [] },
    { id: '0xab', service: B, tags: [] },
  ],
}

const configurationOf = (now: Settings, server = NO_SERVER): Configuration => ({
  settings: now,
  server,
  effective: effectiveConfig(server, now),
  problem: undefined,
})

const two: Settings = {
  ...settings,
  services: [aService({ baseUrl: A }), aService({ baseUrl: B })],
}

describe('editing the nodes of a service', () => {
  it('counts those that name no service to the first one', () => {
    expect(rowsOf(configurationOf(two), A).map(({ key }) => key)).toEqual(['0xab', '0x2', ''])
    expect(rowsOf(configurationOf(two), B).map(({ key }) => key)).toEqual(['0xab'])
  })

  it('tells the server’s nodes, those of this browser, and those that are both', () => {
    const server = {
      ...NO_SERVER,
      services: [aService({ baseUrl: A })],
      nodes: [
        { id: '0x9', tags: [] },
        { id: '0xAb', name: 'theirs', tags: [] },
      ],
    }
    expect(
      rowsOf(configurationOf(two, server), A).map(({ node, isOwn, isConfigured }) => [
        node.name ?? node.id,
        isOwn,
        isConfigured,
      ]),
    ).toEqual([
      ['0x9', false, true],
      ['theirs', true, true],
      ['0x2', true, false],
      [undefined, true, false],
    ])
  })

  it.each([
    ['a node in the middle', new Map([['0x2', { node: undefined }]]), 3],
    [
      'several at once',
      new Map([
        ['0xab', { node: undefined }],
        ['', { node: undefined }],
      ]),
      2,
    ],
    ['a changed one', new Map([['0xab', { node: { id: '0xAB', name: 'uno', tags: [] } }]]), 4],
    ['a new one', new Map([['0x7', { node: { id: '0x7', tags: [] } }]]), 5],
  ])('is taken back, with each node where it was: %s', (_what, edits, count) => {
    const applied = withEdits(configurationOf(two), new Map([[A, edits]]))
    expect(applied.settings.nodes).toHaveLength(count)
    const back = withEdits(configurationOf(applied.settings), applied.undo).settings.nodes
    expect(back.map(({ service = A, ...node }) => ({ service, ...node }))).toEqual(
      two.nodes.map(({ service = A, ...node }) => ({ service, ...node })),
    )
  })

  it('keeps notes, and touches no node of another service', () => {
    const edits = new Map([[B, new Map([['0xab', { node: undefined }]])]])
    const { nodes } = withEdits(configurationOf(two), edits).settings
    expect(nodes).toEqual(two.nodes.slice(0, 3))
  })
})

describe('a list that is added', () => {
  it('adds what is new and changes what it names otherwise, and takes nothing away', () => {
    const addition = additionOf(configurationOf(two), A, [
      { id: '0x5', name: 'five' },
      { id: '0xab' },
      { id: '0x2', name: 'two', tags: ['us'] },
    ])
    expect([addition.added, addition.changed, addition.unchanged]).toEqual([1, 1, 1])
    const { nodes } = withEdits(configurationOf(two), addition.edits).settings
    expect(nodes).toEqual([
      two.nodes[0],
      { id: '0x2', name: 'two', tags: ['us'], service: A },
      ...two.nodes.slice(2),
      { id: '0x5', name: 'five', tags: [], service: A },
    ])
  })

  it('adds each node to the service that it names, and is undone as a whole', () => {
    const configuration = configurationOf(two)
    const { edits, added, unchanged } = additionOf(configuration, A, [
      { id: '0x5', service: B },
      { id: '0x5' },
      { id: '0xab', service: B },
    ])
    expect([added, unchanged]).toEqual([2, 1])
    const applied = withEdits(configuration, edits)
    expect(applied.settings.nodes.slice(two.nodes.length)).toEqual([
      { id: '0x5', service: B, tags: [] },
      { id: '0x5', service: A, tags: [] },
    ])
    expect(withEdits({ ...configuration, ...applied }, applied.undo).settings).toEqual(two)
  })
})

describe('a node of the server’s file that this browser had set otherwise', () => {
  const server = {
    ...NO_SERVER,
    services: [aService({ baseUrl: A })],
    nodes: [{ id: '0xAb', name: 'theirs', tags: ['gold'] }],
  }
  const rows = rowsOf(configurationOf(two, server), A)
  const row = rows.find(({ key }) => key === '0xab')

  it('is as the file says, with the notes of this browser; what it had set is kept and told', () => {
    expect(row?.node).toEqual({ id: '0xAb', name: 'theirs', tags: ['gold'], notes: 'kept', service: A })
    expect(row?.unused).toBe(two.nodes[0])
    expect(rows.filter(({ unused }) => unused !== undefined)).toHaveLength(1)
  })

  it('is changed by no list', () => {
    const addition = additionOf(configurationOf(two, server), A, [
      { id: '0xab', name: 'other' },
      { id: '0xAB' },
    ])
    expect([addition.fixed, addition.changed, addition.unchanged, addition.edits.size]).toEqual([1, 0, 1, 0])
  })

  it('loses here what is not used when that is discarded, and keeps its notes', () => {
    if (row === undefined) throw new Error('no row')
    const discarded = withEdits(configurationOf(two), new Map([[A, withoutOwn(row)]])).settings
    const [next] = rowsOf(configurationOf(discarded, server), A)
    expect(next).toEqual({ key: '0xab', node: row.node, isOwn: true, isConfigured: true })
  })

  it('has the notes of the file where it has some', () => {
    const noted = { ...server, nodes: [{ id: '0xAb', tags: [], notes: 'of all' }] }
    const [first] = rowsOf(configurationOf(two, noted), A)
    expect(first?.node.notes).toBe('of all')
    expect(hasNotesOfServer(noted, { id: '0xab', service: A, tags: [] })).toBe(true)
    expect(hasNotesOfServer(server, { id: '0xab', service: A, tags: [] })).toBe(false)
  })
})

describe('notes of a node', () => {
  it('are kept with the node, however its id is written, and nothing else is touched', () => {
    const next = withNotes(settings, { id: '0xab', service: A, tags: [] }, A, '  rack 4\nask Ann ')
    expect(next.nodes[0]).toEqual({ id: '0xAB', name: 'one', tags: ['eu'], notes: 'rack 4\nask Ann' })
    expect(next.nodes.slice(1)).toEqual(settings.nodes.slice(1))
    expect(withNotes(settings, { id: '0xab', service: B, tags: [] }, A, 'x').nodes[3]).toEqual({
      id: '0xab',
      service: B,
      tags: [],
      notes: 'x',
    })
    expect(withNotes(settings, { service: A, tags: [] }, A, 'own').nodes[2]?.notes).toBe('own')
  })

  it('are gone when they are empty', () => {
    const { nodes } = withNotes(settings, { id: '0xAB', service: A, tags: [] }, A, ' \n ')
    expect(nodes[0]).toEqual({ id: '0xAB', name: 'one', tags: ['eu'] })
  })

  it('of a node that the server’s configuration names make an entry here, as it is now', () => {
    const theirs = { id: '0x7', name: 'theirs', service: B, tags: ['gold'] }
    expect(withNotes(settings, theirs, A, 'x').nodes.at(-1)).toEqual({ ...theirs, notes: 'x' })
  })
})

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
  it('assigns nodes without a service to the first service', () => {
    expect(rowsOf(configurationOf(two), A).map(({ key }) => key)).toEqual(['0xab', '0x2', ''])
    expect(rowsOf(configurationOf(two), B).map(({ key }) => key)).toEqual(['0xab'])
  })

  it('marks each node as the server’s, this browser’s or both', () => {
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
    ['removing a node in the middle', new Map([['0x2', { node: undefined }]]), 3],
    [
      'removing several at once',
      new Map([
        ['0xab', { node: undefined }],
        ['', { node: undefined }],
      ]),
      2,
    ],
    ['changing one', new Map([['0xab', { node: { id: '0xAB', name: 'uno', tags: [] } }]]), 4],
    ['adding one', new Map([['0x7', { node: { id: '0x7', tags: [] } }]]), 5],
  ])('undoes %s, with each node back in its place', (_what, edits, count) => {
    const applied = withEdits(configurationOf(two), new Map([[A, edits]]))
    expect(applied.settings.nodes).toHaveLength(count)
    const back = withEdits(configurationOf(applied.settings), applied.undo).settings.nodes
    expect(back.map(({ service = A, ...node }) => ({ service, ...node }))).toEqual(
      two.nodes.map(({ service = A, ...node }) => ({ service, ...node })),
    )
  })

  it('leaves the nodes and notes of other services unchanged', () => {
    const edits = new Map([[B, new Map([['0xab', { node: undefined }]])]])
    const { nodes } = withEdits(configurationOf(two), edits).settings
    expect(nodes).toEqual(two.nodes.slice(0, 3))
  })
})

describe('adding a list of nodes', () => {
  it('adds new nodes, updates nodes that differ, and removes none', () => {
    const addition = additionOf(configurationOf(two), A, [
      { id: '0x5', name: 'five' },
      { id: '0xab' },
      { id: '0x2', name: 'two', tags: ['us'] },
    ])
    const onlyNotes = additionOf(configurationOf(two), A, [{ id: '0xab', notes: 'new' }])
    expect(onlyNotes.changed).toBe(1)
    expect([addition.added, addition.changed, addition.unchanged]).toEqual([1, 1, 1])
    const { nodes } = withEdits(configurationOf(two), addition.edits).settings
    expect(nodes).toEqual([
      two.nodes[0],
      { id: '0x2', name: 'two', tags: ['us'], service: A },
      ...two.nodes.slice(2),
      { id: '0x5', name: 'five', tags: [], service: A },
    ])
  })

  it('adds each node to the service it names, and can be undone as a whole', () => {
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

describe('a server node that this browser also configures', () => {
  const server = {
    ...NO_SERVER,
    services: [aService({ baseUrl: A })],
    nodes: [{ id: '0xAb', name: 'theirs', tags: ['gold'] }],
  }
  const rows = rowsOf(configurationOf(two, server), A)
  const row = rows.find(({ key }) => key === '0xab')

  it('uses the server’s values and this browser’s notes, and keeps the unused local entry', () => {
    expect(row?.node).toEqual({ id: '0xAb', name: 'theirs', tags: ['gold'], notes: 'kept', service: A })
    expect(row?.unused).toBe(two.nodes[0])
    expect(rows.filter(({ unused }) => unused !== undefined)).toHaveLength(1)
  })

  it('does not change when a list is added', () => {
    const addition = additionOf(configurationOf(two, server), A, [
      { id: '0xab', name: 'other' },
      { id: '0xAB' },
    ])
    expect([addition.fixed, addition.changed, addition.unchanged, addition.edits.size]).toEqual([1, 0, 1, 0])
  })

  it('keeps its notes when the unused local entry is discarded', () => {
    if (row === undefined) throw new Error('no row')
    const discarded = withEdits(configurationOf(two), new Map([[A, withoutOwn(row)]])).settings
    const [next] = rowsOf(configurationOf(discarded, server), A)
    expect(next).toEqual({ key: '0xab', node: row.node, isOwn: true, isConfigured: true })
  })

  it('prefers the server’s notes to this browser’s', () => {
    const noted = { ...server, nodes: [{ id: '0xAb', tags: [], notes: 'of all' }] }
    const [first] = rowsOf(configurationOf(two, noted), A)
    expect(first?.node.notes).toBe('of all')
    expect(hasNotesOfServer(noted, { id: '0xab', service: A, tags: [] })).toBe(true)
    expect(hasNotesOfServer(server, { id: '0xab', service: A, tags: [] })).toBe(false)
  })
})

describe('a node’s notes', () => {
  it('are saved with the node, whatever the case of its id, and change nothing else', () => {
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

  it('are removed when blank', () => {
    const { nodes } = withNotes(settings, { id: '0xAB', service: A, tags: [] }, A, ' \n ')
    expect(nodes[0]).toEqual({ id: '0xAB', name: 'one', tags: ['eu'] })
  })

  it('create a local entry with the server’s values for a server node', () => {
    const theirs = { id: '0x7', name: 'theirs', service: B, tags: ['gold'] }
    expect(withNotes(settings, theirs, A, 'x').nodes.at(-1)).toEqual({ ...theirs, notes: 'x' })
  })
})

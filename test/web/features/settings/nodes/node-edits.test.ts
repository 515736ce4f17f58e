import { describe, expect, it } from 'vitest'
import { changesOf, ownNodesOf, withNodes, withNotes } from '#features/settings/nodes/node-edits.ts'
import { EMPTY_SETTINGS } from '#settings/plain-settings.ts'
import type { Settings } from '#settings/settings.ts'

const A = 'https://a.example'
const B = 'https://b.example'
const settings: Settings = {
  ...EMPTY_SETTINGS,
  nodes: [
    { id: '0xAB', name: 'one', tags: ['eu'], notes: 'kept' },
    { id: '0x2', service: A, tags: [] },
    { service: A, tags: [] },
    { id: '0xab', service: B, tags: [] },
  ],
}

describe('editing the nodes of a service', () => {
  it('counts those that name no service to the first one', () => {
    expect(ownNodesOf(settings.nodes, A, A)).toHaveLength(3)
    expect(ownNodesOf(settings.nodes, B, A)).toHaveLength(1)
  })

  it.each([
    ['nothing', [{ id: '0xAB', name: 'one', tags: ['eu'] }, { id: '0x2' }, {}], [0, 0, 0, 0]],
    ['letter case', [{ id: '0xab', name: 'one', tags: ['eu'] }, { id: '0x2' }, {}], [0, 0, 0, 0]],
    ['a name', [{ id: '0xab', name: 'two', tags: ['eu'] }, { id: '0x2' }, {}], [0, 0, 1, 0]],
    ['a name less', [{ id: '0xab', tags: ['eu'] }, { id: '0x2' }, {}], [0, 0, 1, 0]],
    ['tags', [{ id: '0xab', name: 'one' }, { id: '0x2', tags: ['us'] }, {}], [0, 0, 0, 2]],
    ['one more, two less', [{ id: '0xab', name: 'one', tags: ['eu'] }, { id: '0x9' }], [1, 2, 0, 0]],
  ])('sees a change of %s', (_what, listed, [added, removed, renamed, retagged]) => {
    expect(changesOf(ownNodesOf(settings.nodes, A, A), listed)).toEqual({ added, removed, renamed, retagged })
  })

  it('replaces the nodes of that service and keeps what the list does not tell', () => {
    expect(
      withNodes(settings, A, A, [{ id: '0xab', name: 'uno', tags: ['us'] }, { id: '0x9' }]).nodes,
    ).toEqual([
      { id: '0xab', service: B, tags: [] },
      { id: '0xab', name: 'uno', service: A, tags: ['us'], notes: 'kept' },
      { id: '0x9', service: A, tags: [] },
    ])
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

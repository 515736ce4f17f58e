import { describe, expect, it } from 'vitest'
import { changesOf, ownNodesOf, withNodes } from '#features/settings/node-edits.ts'
import { EMPTY_SETTINGS, type Settings } from '#protocol/settings.ts'

const A = 'https://a.example'
const B = 'https://b.example'
const settings: Settings = {
  ...EMPTY_SETTINGS,
  nodes: [
    { id: '0xAB', name: 'one', tags: ['eu'] },
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
    ['nothing', [{ id: '0xAB', name: 'one' }, { id: '0x2' }, {}], [0, 0, 0]],
    ['letter case', [{ id: '0xab', name: 'one' }, { id: '0x2' }, {}], [0, 0, 0]],
    ['a name', [{ id: '0xab', name: 'two' }, { id: '0x2' }, {}], [0, 0, 1]],
    ['a name less', [{ id: '0xab' }, { id: '0x2' }, {}], [0, 0, 1]],
    ['one more, two less', [{ id: '0xab', name: 'one' }, { id: '0x9' }], [1, 2, 0]],
  ])('sees a change of %s', (_what, listed, [added, removed, renamed]) => {
    expect(changesOf(ownNodesOf(settings.nodes, A, A), listed)).toEqual({ added, removed, renamed })
  })

  it('replaces the nodes of that service and keeps what the list does not tell', () => {
    expect(withNodes(settings, A, A, [{ id: '0xab', name: 'uno' }, { id: '0x9' }]).nodes).toEqual([
      { id: '0xab', service: B, tags: [] },
      { id: '0xab', name: 'uno', service: A, tags: ['eu'] },
      { id: '0x9', service: A, tags: [] },
    ])
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DEFAULTS } from '#base/defaults.ts'
import { formatNodeList, parseNodeList } from '#settings/node-list.ts'

const problems = (text: string) => parseNodeList(text).bad.map(({ line, problem }) => [line, problem])

const NO_REMARKS = { bad: [], badCount: 0, badText: '', shortened: [] }

describe('a list of nodes', () => {
  it.each([
    ['an id alone', '0x1', [{ id: '0x1' }]],
    ['id and name', '0x1 vela-007', [{ id: '0x1', name: 'vela-007' }]],
    ['a name with spaces', '0x1   vela  of the   north ', [{ id: '0x1', name: 'vela of the north' }]],
    ['a name with a comma', '0x1 vela, north', [{ id: '0x1', name: 'vela, north' }]],
    ['CSV', '0x1,vela', [{ id: '0x1', name: 'vela' }]],
    ['CSV with a space', '0x1, vela', [{ id: '0x1', name: 'vela' }]],
    ['CSV with a space before', '0x1 ,vela', [{ id: '0x1', name: 'vela' }]],
    ['semicolons', '0x1;vela;eu', [{ id: '0x1', name: 'vela' }]],
    ['tabs', '0x1\tvela north\teu', [{ id: '0x1', name: 'vela north' }]],
    ['quotes', '"0x1","vela, ""north"""', [{ id: '0x1', name: 'vela, "north"' }]],
    ['a quoted separator', '"0x1";"a;b";c', [{ id: '0x1', name: 'a;b' }]],
    ['quotes without a separator', '"0x1"', [{ id: '0x1' }]],
    ['an empty name', '0x1,', [{ id: '0x1' }]],
    ['a heading', 'id,name\n0x1,vela', [{ id: '0x1', name: 'vela' }]],
    ['a heading without a separator', 'Node ID  Name\n0x1 vela', [{ id: '0x1', name: 'vela' }]],
    ['a heading in another order', 'Region;Name;Node_ID\neu;vela;0x1', [{ id: '0x1', name: 'vela' }]],
    ['a heading with a label', 'node,label\n0x1,vela', [{ id: '0x1', name: 'vela' }]],
    ['a heading without a name', 'id,region\n0x1,eu', [{ id: '0x1' }]],
    ['a heading of one word', 'id\n0x1 vela', [{ id: '0x1', name: 'vela' }]],
    ['the node of the key', 'own my node\n0x1', [{ name: 'my node' }, { id: '0x1' }]],
    ['the node of the key, any case', 'OWN', [{}]],
    ['blank lines and remarks', '\n# mine\n  \n0x1\n', [{ id: '0x1' }]],
    ['other line ends', '0x1\r\n0x2\r0x3', [{ id: '0x1' }, { id: '0x2' }, { id: '0x3' }]],
    ['a byte order mark', '\ufeff0x1', [{ id: '0x1' }]],
    ['nothing', '', []],
  ])('reads %s', (_what, text, nodes) => {
    expect(parseNodeList(text)).toEqual({ nodes, ...NO_REMARKS })
  })

  it.each([
    ['7f3a', 'no-prefix'],
    ['vela-007 0x1', 'no-prefix'],
    ['0x', 'not-hex'],
    ['0xZZ', 'not-hex'],
    [`0x${'1'.repeat(129)}`, 'too-long'],
    [',vela', 'empty'],
  ])('says what is wrong with %s', (line, problem) => {
    expect(problems(`0xa first\n${line}\n0xb`)).toEqual([[2, problem]])
    expect(parseNodeList(`0xa first\n${line}\n0xb`).nodes).toHaveLength(2)
  })

  it('keeps a name of 60 characters', () => {
    expect(parseNodeList(`0x1 ${'n'.repeat(60)}`)).toEqual({
      nodes: [{ id: '0x1', name: 'n'.repeat(60) }],
      ...NO_REMARKS,
    })
  })

  it.each([
    ['one too long by a character', 'n'.repeat(61), `${'n'.repeat(59)}…`],
    ['one cut in the middle of a pair of surrogates', `${'n'.repeat(58)}🚀🚀`, `${'n'.repeat(58)}…`],
    ['one cut behind a space', `${'n'.repeat(58)} nn`, `${'n'.repeat(58)}…`],
  ])('keeps a node with a longer name, %s, and names its line', (_what, name, kept) => {
    const { nodes, shortened, badCount } = parseNodeList(`0xa\n0x1 ${name}`)
    expect(nodes).toEqual([{ id: '0xa' }, { id: '0x1', name: kept }])
    expect(kept.length).toBeLessThanOrEqual(60)
    expect(shortened).toEqual([{ line: 2, text: `0x1 ${name}`.slice(0, 80) }])
    expect(badCount).toBe(0)
  })

  it('gives the bad lines back whole, to be mended', () => {
    const long = 'z'.repeat(500)
    expect(parseNodeList(`0x1\n${long}\n# remark\n0x2\n7f`).badText).toBe(`${long}\n7f\n`)
  })

  it('marks the second line that names the same node, whatever its letter case', () => {
    expect(problems('0xAB one\n0xab two\nown\nOwn')).toEqual([
      [2, 'repeated'],
      [4, 'repeated'],
    ])
  })

  it('takes a heading only as the first line', () => {
    expect(problems('0x1\nid,name')).toEqual([[2, 'no-prefix']])
    expect(problems('id\nid')).toEqual([[2, 'no-prefix']])
  })

  it.each([
    ['0x1  id', '0x1', 'id'],
    ['0x1,node', '0x1', 'node'],
    ['Own  node id', undefined, 'node id'],
  ])('takes no node for a heading because of its name: %s', (line, id, name) => {
    expect(parseNodeList(line)).toEqual({
      nodes: [{ ...(id !== undefined && { id }), name }],
      ...NO_REMARKS,
    })
  })

  it('shows the beginning of a bad line', () => {
    const { bad } = parseNodeList('z'.repeat(500))
    expect(bad).toEqual([{ line: 1, text: 'z'.repeat(80), problem: 'no-prefix' }])
  })

  it('counts every bad line and keeps the first hundred', () => {
    const { bad, badCount } = parseNodeList('bad\n'.repeat(250))
    expect([bad.length, badCount, bad.at(-1)?.line]).toEqual([100, 250, 100])
  })

  it('stops at the most nodes that a configuration may name', () => {
    const lines = Array.from({ length: DEFAULTS.nodesMax + 2 }, (_, index) => `0x${index.toString(16)}`)
    const { nodes, bad } = parseNodeList(lines.join('\n'))
    expect(nodes).toHaveLength(DEFAULTS.nodesMax)
    expect(bad.map(({ problem }) => problem)).toEqual(['too-many', 'too-many'])
  })

  it('is read back as it was written', () => {
    expect(formatNodeList([{ id: '0x1', name: 'vela north' }, { id: '0x2' }, { name: 'mine' }])).toBe(
      '0x1  vela north\n0x2\nown  mine',
    )
    const node = fc.record({
      id: fc.nat().map((n) => `0x${n.toString(16)}`),
      name: fc.stringMatching(/^[a-z][a-z,; -]{0,20}[a-z]$/),
    })
    fc.assert(
      fc.property(fc.uniqueArray(node, { selector: ({ id }) => id }), (nodes) => {
        const { nodes: again, badCount } = parseNodeList(formatNodeList(nodes))
        expect(badCount).toBe(0)
        expect(again.map(({ id }) => id)).toEqual(nodes.map(({ id }) => id))
        expect(again.map(({ name }) => name)).toEqual(nodes.map(({ name }) => name.replace(/ +/g, ' ')))
      }),
    )
  })

  it('never throws', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => parseNodeList(text).nodes.length >= 0))
  })
})

describe('tags in a list', () => {
  const only = (text: string) => {
    const { nodes, bad } = parseNodeList(text)
    return nodes[0] ?? bad[0]?.problem
  }

  it.each([
    ['0x1 vela #eu #Gold', { id: '0x1', name: 'vela', tags: ['eu', 'gold'] }],
    ['0x1 #eu', { id: '0x1', tags: ['eu'] }],
    ['own  mine  #eu #eu', { name: 'mine', tags: ['eu'] }],
    ['0x1 vela #1', { id: '0x1', name: 'vela #1' }],
    ['0x1 vela #1 #eu', { id: '0x1', name: 'vela #1', tags: ['eu'] }],
    ['0x1 #eu vela', { id: '0x1', name: '#eu vela' }],
    ['0x1 "vela #eu"', { id: '0x1', name: 'vela #eu' }],
    ['0x1 "vela #eu" #us', { id: '0x1', name: 'vela #eu', tags: ['us'] }],
    ['id,name,tags\n0x1,vela,eu gold;#us|x', { id: '0x1', name: 'vela', tags: ['eu', 'gold', 'us', 'x'] }],
    ['tag,id\neu,0x1', { id: '0x1', tags: ['eu'] }],
    ['0x1,vela,eu', { id: '0x1', name: 'vela' }],
    ['id,name\n0x1,vela,2nd', { id: '0x1', name: 'vela' }],
    ['id,name,tags\n0x1 vela #eu', { id: '0x1', name: 'vela', tags: ['eu'] }],
    ['0x1,vela #eu', { id: '0x1', name: 'vela #eu' }],
    ['id,name,tags\n0x1,vela,2nd', 'bad-tag'],
    [`0x1 ${Array.from({ length: 17 }, (_, i) => `#t${i}`).join(' ')}`, 'too-many-tags'],
  ])('%j', (text, expected) => {
    expect(only(text)).toEqual(expected)
  })

  it('read back as they were written, whatever the name looks like', () => {
    for (const name of ['vela', 'vela #eu', '#eu', '"vela', 'vela #1', 'a "b" #c']) {
      const nodes = [{ id: '0x1', name, tags: ['eu', 'gold'] }, { name }]
      expect(parseNodeList(formatNodeList(nodes)).nodes, name).toEqual(nodes)
    }
  })
})

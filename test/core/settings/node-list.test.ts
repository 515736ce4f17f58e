import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { DEFAULTS } from '#base/defaults.ts'
import { formatNodeList, parseNodeList } from '#settings/node-list.ts'
import { anyCharacter } from '#test/support/any-character.ts'

const problems = (text: string) => parseNodeList(text).bad.map(({ line, problem }) => [line, problem])

const NO_REMARKS = {
  bad: [],
  badCount: 0,
  repeatedCount: 0,
  badText: '',
  shortened: [],
  unknownServices: [],
}

const ABCD = ['a', 'b', 'c', 'd'].map((name, place) => ({ id: `0x${place + 1}`, name }))

afterEach(() => vi.restoreAllMocks())

describe('a list of nodes', () => {
  it.each([
    ['an id alone', '0x1', [{ id: '0x1' }]],
    ['id and name', '0x1 vela-007', [{ id: '0x1', name: 'vela-007' }]],
    ['a name with spaces', '0x1   vela  of the   north ', [{ id: '0x1', name: 'vela of the north' }]],
    ['a name with a comma', '0x1 vela, north', [{ id: '0x1', name: 'vela, north' }]],
    ['CSV', '0x1,vela', [{ id: '0x1', name: 'vela' }]],
    ['CSV with a space', '0x1, vela', [{ id: '0x1', name: 'vela' }]],
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
    ['the default node', 'own my node\n0x1', [{ name: 'my node' }, { id: '0x1' }]],
    ['the default node in any letter case', 'OWN', [{}]],
    ['blank lines and comments', '\n# mine\n  \n0x1\n', [{ id: '0x1' }]],
    ['invisible characters around an id', '0x1\u200b,a\n\u200e0x2,b\n0x3\u00a0,c\n\u20600x\u00ad4 d', ABCD],
    ['a joiner in a name', '0x1,\u{1f469}\u200d\u{1f680}', [{ id: '0x1', name: '\u{1f469}\u200d\u{1f680}' }]],
    ['Excel’s separator line', 'sep=;\r\nid;name\r\n0x1;a', [{ id: '0x1', name: 'a' }]],
    ['vertical bars', 'id|name\n0x1|a', [{ id: '0x1', name: 'a' }]],
    [
      'headings in another language',
      'Knoten;Bezeichnung;Tags\n0x1;a;eu',
      [{ id: '0x1', name: 'a', tags: ['eu'] }],
    ],
    ['a heading alias in any column', 'Region,nodeId,Host name\neu,0x1,a', [{ id: '0x1', name: 'a' }]],
    ['a title above the headings', 'My fleet\nas of today;;\n\nId;Name\n0x1;a', [{ id: '0x1', name: 'a' }]],
    [
      'a cell of several lines',
      'id,name,notes,tags\n0x1,a,"rack 4\nrow 2",eu',
      [{ id: '0x1', name: 'a', tags: ['eu'], notes: 'rack 4\nrow 2' }],
    ],
    [
      'an id in a cell of several lines',
      'id,name,tags\n0x1,"b\r\n0x2 was here\r\n",us',
      [{ id: '0x1', name: 'b 0x2 was here', tags: ['us'] }],
    ],
    ['other line ends', '0x1\r\n0x2\r0x3', [{ id: '0x1' }, { id: '0x2' }, { id: '0x3' }]],
    ['a byte order mark in the middle', '0x1\n\ufeff0x2', [{ id: '0x1' }, { id: '0x2' }]],
    ['two byte order marks', '\ufeff\ufeff0x1', [{ id: '0x1' }]],
    ['an empty name in quotes', '0x1,""', [{ id: '0x1' }]],
    ['a quote within a name', '0x1 ve"la', [{ id: '0x1', name: 've"la' }]],
    ['one quote as a name', '0x1 "', [{ id: '0x1', name: '"' }]],
    ['spaces within quotes', '0x1;"  vela "', [{ id: '0x1', name: 'vela' }]],
    ['a bracket in a name', '0x1 [vela]', [{ id: '0x1', name: '[vela]' }]],
    ['a heading in capitals, with dashes', 'NODE-ID,NAME\n0x1,vela', [{ id: '0x1', name: 'vela' }]],
    ['a heading with two spaces', 'node  id;name\n0x1;vela', [{ id: '0x1', name: 'vela' }]],
    ['a heading below a comment', '# mine\n\nid;name\n0x1;vela', [{ id: '0x1', name: 'vela' }]],
    ['several spaces before a separator', '0x1   ;vela', [{ id: '0x1', name: 'vela' }]],
    ['a separator within quotes before another', '"0x1"   ,"a,b",c', [{ id: '0x1', name: 'a,b' }]],
    ['a tab and a comma', '0x1\ta,b', [{ id: '0x1', name: 'a,b' }]],
    ['a name of one letter', '0x1 v', [{ id: '0x1', name: 'v' }]],
    ['a byte order mark within a name', '0x1 ve\ufeffla', [{ id: '0x1', name: 'vela' }]],
    ['a name that ends in quotes', '0x1 the "vela"', [{ id: '0x1', name: 'the "vela"' }]],
    ['a name that begins with quotes', '0x1 "the" vela', [{ id: '0x1', name: '"the" vela' }]],
    ['lines with another separator than their heading', 'Name;ID\nvela,0x1', [{ id: '0x1', name: 'vela' }]],
    ['lines separated by spaces with the id last', 'Name\tID\nvela  0x1', [{ id: '0x1', name: 'vela' }]],
    ['a separator in quotes before another', 'Name;ID\n"a;b",0x1', [{ id: '0x1', name: 'a;b' }]],
    ['names with spaces before the id', 'Name,ID\nvela north,0x1', [{ id: '0x1', name: 'vela north' }]],
    ['names with commas before the id', 'Name;ID\nvela, north;0x1', [{ id: '0x1', name: 'vela, north' }]],
    ['a name of 60 characters', `0x1 ${'n'.repeat(60)}`, [{ id: '0x1', name: 'n'.repeat(60) }]],
    ['a name that is a heading', '0x1  id', [{ id: '0x1', name: 'id' }]],
    ['a name that is a heading, in CSV', '0x1,node', [{ id: '0x1', name: 'node' }]],
    ['a heading as the name of the default node', 'Own  node id', [{ name: 'node id' }]],
    ['a name that ends like a heading', '0x1  vela, id, name', [{ id: '0x1', name: 'vela, id, name' }]],
    ['two headings as the name of the default node', 'own  node, id', [{ name: 'node, id' }]],
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
  ])('reports what is wrong with %s', (line, problem) => {
    expect(problems(`0xa first\n${line}\n0xb`)).toEqual([[2, problem]])
    expect(parseNodeList(`0xa first\n${line}\n0xb`).nodes).toHaveLength(2)
  })

  it.each([
    ['a wrong id above the first good one', '0xZZ,a\n0x1,b', [[1, 'not-hex']]],
    [
      'an id without 0x above the first good one',
      '7f3a,a\ncafe,b\n0x1,c',
      [
        [1, 'no-prefix'],
        [2, 'no-prefix'],
      ],
    ],
    [
      'only lines without a node',
      'hello\nworld',
      [
        [1, 'no-prefix'],
        [2, 'no-prefix'],
      ],
    ],
    ['a line below the heading that is not a node', 'id,name\nn/a,a\n0x1,b', [[2, 'no-prefix']]],
  ])('does not mistake %s for a heading', (_what, text, wrong) => {
    expect(problems(text)).toEqual(wrong)
  })

  it('has no node hidden by an unclosed quote above it', () => {
    const { nodes } = parseNodeList('0x1,"a\n0x2,b\n0x3,"c\n0x4,d')
    expect(nodes.map(({ id }) => id)).toEqual(['0x1', '0x2', '0x3', '0x4'])
  })

  it('shows what is wrong with a long id, wherever it is', () => {
    const { bad } = parseNodeList(`0x${'12'.repeat(20)}×${'34'.repeat(11)},alpha`)
    expect(bad[0]?.problem).toBe('not-hex')
    expect(bad[0]?.text.slice(0, 24)).toContain('×')
  })

  it.each([
    ['one character too long', 'n'.repeat(61), `${'n'.repeat(59)}…`],
    ['cut in the middle of a surrogate pair', `${'n'.repeat(58)}🚀🚀`, `${'n'.repeat(58)}…`],
    ['cut after a surrogate pair', `🚀 ${'n'.repeat(60)}`, `🚀 ${'n'.repeat(56)}…`],
    ['cut after a space', `${'n'.repeat(58)} nn`, `${'n'.repeat(58)}…`],
  ])('shortens a long name (%s) and reports its line', (_what, name, kept) => {
    const { nodes, shortened, badCount } = parseNodeList(`0xa\n0x1 ${name}`)
    expect(nodes).toEqual([{ id: '0xa' }, { id: '0x1', name: kept }])
    expect(kept.length).toBeLessThanOrEqual(60)
    expect(shortened).toEqual([{ line: 2, text: `0x1 ${name}`.slice(0, 80) }])
    expect(badCount).toBe(0)
  })

  it('returns bad lines in full, to be corrected', () => {
    const long = 'z'.repeat(500)
    expect(parseNodeList(`0x1\n${long}\n# remark\n0x2\n7f`).badText).toBe(`${long}\n7f\n`)
  })

  it('returns bad lines below their heading, without duplicates', () => {
    const heading = 'Tags;Name;Id'
    expect(parseNodeList(`${heading}\neu;one;0x1\n2nd;two;0x2\nus;again;0x1`).badText).toBe(
      `${heading}\n2nd;two;0x2\n`,
    )
    expect(parseNodeList('id\n0x1').badText).toBe('')
  })

  it('reports the second line of a node, whatever its letter case', () => {
    expect(problems('0xAB one\n0xab two\nown\nOwn')).toEqual([
      [2, 'repeated'],
      [4, 'repeated'],
    ])
  })

  it.each(['My fleet, node', '7f3a rack 3, node', 'Validators: name; id'])(
    'does not mistake "%s" for a heading, and reads the lines below',
    (line) => {
      const { nodes, bad } = parseNodeList(`${line}\n0x1 vela\n0x2 north`)
      expect(nodes).toEqual([
        { id: '0x1', name: 'vela' },
        { id: '0x2', name: 'north' },
      ])
      expect(bad).toMatchObject([{ line: 1, problem: 'no-prefix' }])
    },
  )

  it('is read up to 8,388,608 characters', () => {
    const most = `0x1\n${'#'.repeat(8_388_608 - 9)}`
    expect(parseNodeList(`${most}\n0x2\n0x3`).nodes).toEqual([{ id: '0x1' }, { id: '0x2' }])
  })

  it('accepts nodes up to the limit, and reports a duplicate beyond it as such', () => {
    const lines = Array.from({ length: DEFAULTS.nodesMax }, (_, index) => `0x${index.toString(16)}`)
    expect(problems([...lines, '0x0', '0xfffff'].join('\n'))).toEqual([
      [DEFAULTS.nodesMax + 1, 'repeated'],
      [DEFAULTS.nodesMax + 2, 'too-many'],
    ])
  })

  it('counts every bad line and keeps the first 100', () => {
    const { bad, badCount } = parseNodeList('bad\n'.repeat(250))
    expect([bad.length, badCount, bad.at(-1)?.line]).toEqual([100, 250, 100])
  })

  it('is written with quotes around names that would be read differently', () => {
    const names = ['"the" vela', 'the "vela"', 'vela #eu']
    expect(formatNodeList(names.map((name) => ({ id: '0x1', name }))).split('\n')).toEqual([
      '0x1  """the"" vela"',
      '0x1  the "vela"',
      '0x1  "vela #eu"',
    ])
  })

  it('without a service column is for the service it is read for', () => {
    const service = { baseUrl: 'https://a.example', label: 'Main' }
    expect(parseNodeList('0x1;vela', [service])).toEqual({
      nodes: [{ id: '0x1', name: 'vela' }],
      ...NO_REMARKS,
    })
  })

  it('survives a round trip through text', () => {
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
    fc.assert(fc.property(fc.string({ unit: anyCharacter }), (text) => parseNodeList(text).nodes.length >= 0))
  })
})

describe('a list of nodes in JSON', () => {
  const read = (json: unknown) => parseNodeList(JSON.stringify(json))

  it.each([
    ['ids', ['0x1', '0x2'], [{ id: '0x1' }, { id: '0x2' }]],
    [
      'nodes',
      [{ id: '0x1', name: 'vela', tags: ['eu', 'Gold'] }],
      [{ id: '0x1', name: 'vela', tags: ['eu', 'gold'] }],
    ],
    [
      'nodes of a configuration',
      { version: 1, nodes: [{ id: '0x1', notes: ' rack 3 ' }] },
      [{ id: '0x1', notes: 'rack 3' }],
    ],
    ['tags as one text', [{ id: '0x1', tags: 'eu, gold' }], [{ id: '0x1', tags: ['eu', 'gold'] }]],
    ['the record’s member for the id', [{ node_id: '0x1', status: 'ACTIVE' }], [{ id: '0x1' }]],
    ['one node', { id: '0x1' }, [{ id: '0x1' }]],
    ['the default node', [{ name: 'mine' }, 'own'], [{ name: 'mine' }]],
    ['nothing', [], []],
  ])('reads %s', (_, json, nodes) => {
    expect(read(json).nodes).toEqual(nodes)
  })

  it('reports each bad entry by line, and returns them as JSON to be corrected', () => {
    const entries = [
      '0x1',
      7,
      { id: 1e45 },
      { id: '1.2E+45' },
      ['0x2'],
      null,
      {},
      { id: '0X1' },
      { id: '0x3', tags: ['2nd'] },
      { id: '0x4', notes: 'n'.repeat(2_001) },
      '0x5',
    ]
    const text = `[\n${entries.map((entry) => JSON.stringify(entry)).join(',\n')}]`
    const { nodes, bad, badCount, repeatedCount, badText } = parseNodeList(text)
    expect(nodes).toEqual([{ id: '0x1' }, { id: '0x5' }])
    expect(bad.map(({ line, problem }) => [line, problem])).toEqual([
      [3, 'not-a-node'],
      [4, 'not-a-node'],
      [5, 'rounded'],
      [6, 'not-a-node'],
      [7, 'not-a-node'],
      [8, 'not-a-node'],
      [9, 'repeated'],
      [10, 'bad-tag'],
      [11, 'notes-too-long'],
    ])
    expect({ badCount, repeatedCount }).toEqual({ badCount: 9, repeatedCount: 1 })
    expect(JSON.parse(badText)).toEqual(entries.slice(1, 10).toSpliced(6, 1))
  })

  it.each([
    ['[\n"0x1",\n"0x2"\n"0x3"]', 4],
    ['{"nodes":[\n{"id":"0x1"', 2],
    ['[', 1],
  ])('that is truncated is reported by line and returned in full: %j', (text, line) => {
    const { nodes, bad, badText } = parseNodeList(text)
    expect({ nodes, badText }).toEqual({ nodes: [], badText: text })
    expect(bad).toMatchObject([{ line, problem: 'not-json' }])
  })

  it.each([
    [{ id: '0x1', name: 7 }],
    [{ id: '0x1', notes: 7 }],
    [{ id: '0x1', service: 7 }],
    [{ id: '0x1', tags: ['eu', 7] }],
    [false],
    [{ id: '0x1', tags: 7 }],
    [{ id: 7 }],
  ])('does not accept %j as a node', (entry) => {
    expect(read([entry]).bad).toMatchObject([{ problem: 'not-a-node' }])
  })

  it('never throws, for any JSON', () => {
    fc.assert(
      fc.property(fc.json(), (text) => parseNodeList(text).nodes.length >= 0),
      { seed: 7, numRuns: 2_000 },
    )
    fc.assert(
      fc.property(fc.json(), fc.nat(200), (text, at) => parseNodeList(`[${text.slice(0, at)}`).badCount >= 0),
      { seed: 7, numRuns: 2_000 },
    )
  })
})

it.each(['1E5', '1E+5', '1e45', '1.5E+45', '1,5e7', ' 1E+45 '])('%j is reported as a rounded id', (id) => {
  expect(problems(JSON.stringify([id]))).toEqual([[1, 'rounded']])
})

it('an id rounded by a spreadsheet is reported as such', () => {
  expect(problems('id;name\n1.23E+45;vela\n1,2E+9')).toEqual([
    [2, 'rounded'],
    [3, 'no-prefix'],
  ])
})

describe('nodes of several services in one list', () => {
  const services = [
    { baseUrl: 'https://a.example', label: 'Main' },
    { baseUrl: 'https://b.example', label: 'Staging' },
  ]
  const read = (text: string) => {
    const { nodes, bad, unknownServices } = parseNodeList(text, services)
    return {
      nodes: nodes.map(({ id, service }) => [id, service]),
      bad: bad.map(({ line, problem }) => [line, problem]),
      unknownServices,
    }
  }
  const words = [
    'https://a.example',
    'https://A.example/',
    'main',
    '',
    'staging',
    'https://C.example/',
    'test',
  ]
  const B = 'https://b.example'
  const taken = {
    nodes: [
      ['0x1', undefined],
      ['0x2', undefined],
      ['0x3', undefined],
      ['0x4', undefined],
      ['0x5', B],
    ],
    bad: ['unknown-service', 'unknown-service'],
    unknownServices: ['https://c.example', 'test'],
  }

  const entries = words.map((service, index) => JSON.stringify({ id: `0x${index + 1}`, service }))
  const lines = words.map((service, index) => `0x${index + 1};${service}`)

  it.each([
    `[\n${entries.join(',\n')}]`,
    `id;service\n${lines.join('\n')}`,
    `Node ID;service\n${lines.join('\n')}`,
  ])('are assigned to their services, and unknown services are reported: %j', (text) => {
    const { bad, ...rest } = read(text)
    expect({ ...rest, bad: bad.map(([, problem]) => problem) }).toEqual(taken)
  })

  it('may have the same id', () => {
    expect(read(JSON.stringify([{ id: '0x1', service: 'staging' }, '0x1', '0x1']))).toMatchObject({
      nodes: [
        ['0x1', B],
        ['0x1', undefined],
      ],
      bad: [[1, 'repeated']],
    })
  })
})

describe('tags in a list', () => {
  const only = (text: string) => {
    const { nodes, bad } = parseNodeList(text)
    return nodes[0] ?? bad[0]?.problem
  }

  it.each([
    ['0x1 vela #eu #Gold', { id: '0x1', name: 'vela', tags: ['eu', 'gold'] }],
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
    ['id,tags\n0x1, eu ;;  gold|', { id: '0x1', tags: ['eu', 'gold'] }],
    [
      `0x1 ${Array.from({ length: 16 }, (_, i) => `#t${i}`).join(' ')}`,
      { id: '0x1', tags: Array.from({ length: 16 }, (_, i) => `t${i}`) },
    ],
    ['id,name,tags\n0x1,vela,2nd', 'bad-tag'],
    [`0x1 ${Array.from({ length: 17 }, (_, i) => `#t${i}`).join(' ')}`, 'too-many-tags'],
  ])('%j', (text, expected) => {
    expect(only(text)).toEqual(expected)
  })

  it('survive a round trip through text, whatever the name looks like', () => {
    for (const name of ['vela', 'vela"', 'vela #eu', '#eu', '"vela', 'vela #1', 'a "b" #c']) {
      const nodes = [{ id: '0x1', name, tags: ['eu', 'gold'] }, { name }]
      expect(parseNodeList(formatNodeList(nodes)).nodes, name).toEqual(nodes)
    }
  })
})

describe('a long line', () => {
  const max = DEFAULTS.nodeLineCharsMax
  it('is read up to its limit, and reported beyond it', () => {
    const line = `0x1 ${'v'.repeat(max - 4)}`
    const { nodes, bad } = parseNodeList(`${line}\n${line}v\n0x2`)
    expect(nodes.map(({ id }) => id)).toEqual(['0x1', '0x2'])
    expect(bad.map((one) => [one.line, one.problem])).toEqual([[2, 'line-too-long']])
  })

  // Work quadratic in the length of a line would take minutes here.
  it.each([
    ['tags', ' #a'],
    ['invalid tags', ' #a,'],
    ['spaces', '     '],
    ['quotes', '""'],
    ['quotes and commas', '",'],
    ['words', ' v'],
  ])('is read in linear time: %s', (_what, part) => {
    const line = `0x1${part.repeat(max / part.length - 1)}`
    const text = Array.from({ length: 100 }, () => line).join('\n')
    const { nodes, badCount } = parseNodeList(text)
    expect(nodes.length + badCount).toBe(100)
  })
})

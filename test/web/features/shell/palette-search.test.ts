import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findChoices, GROUPS, type Choice } from '#features/shell/palette-search.ts'

const choice = (group: Choice['group'], title: string, words = ''): Choice => ({
  id: `${group}:${title}`,
  group,
  title,
  words,
})

const CHOICES: readonly Choice[] = [
  choice('nodes', 'vela-070', '0x90b177c2 mainnet tag:eu'),
  choice('nodes', 'vela-007', '0x7f3a02e1 mainnet tag:eu'),
  choice('nodes', 'alarming', '0xabc testnet'),
  choice('pages', 'alarms'),
  choice('pages', 'alarm rules'),
  choice('settings', 'notifications', 'settings sound webhook'),
]

const titles = (query: string) =>
  findChoices(CHOICES, query).groups.map(({ group, choices }) => [
    group,
    ...choices.map(({ title }) => title),
  ])

describe('the palette search', () => {
  it.each([
    ['fragments of a name in any order', '07 vel', [['nodes', 'vela-070', 'vela-007']]],
    ['a whole word', 'alarms', [['pages', 'alarms']]],
    [
      'titles that start with the query, in each group',
      'alarm',
      [
        ['nodes', 'alarming'],
        ['pages', 'alarms', 'alarm rules'],
      ],
    ],
    ['a title by the start of a later word', 'ru', [['pages', 'alarm rules']]],
    ['a node by part of its ID', '7f3a', [['nodes', 'vela-007']]],
    ['a node by its tag', 'tag:eu 070', [['nodes', 'vela-070']]],
    ['a setting by a synonym', 'WEBHOOK', [['settings', 'notifications']]],
    ['nothing if one word has no match', 'vela nowhere', []],
  ])('finds %s', (_what, query, found) => {
    expect(titles(query)).toEqual(found)
  })

  it('finds a page among thousands of nodes with a similar name, and counts hidden results', () => {
    const nodes = Array.from({ length: 5_000 }, (_, index) => choice('nodes', `alarms-${index}`))
    const { groups, all, hidden } = findChoices([...nodes, choice('pages', 'alarms')], 'alarms')
    expect(groups.map(({ group, choices }) => [group, choices.length])).toEqual([
      ['pages', 1],
      ['nodes', 20],
    ])
    expect([all, hidden]).toEqual([5_001, 4_980])
    const [named] = findChoices(nodes.toReversed(), 'alarms-4').groups
    expect(named?.choices[0]?.title).toBe('alarms-4')
  })

  it('finds only choices that contain every typed word, whatever is typed', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12, unit: 'grapheme' }), (query) => {
        const terms = query.toLowerCase().split(/\s+/).filter(Boolean)
        for (const { group, choices } of findChoices(CHOICES, query).groups) {
          expect(GROUPS).toContain(group)
          for (const { title, words } of choices)
            expect(terms.every((term) => title.includes(term) || words.includes(term))).toBe(true)
        }
      }),
    )
  })
})

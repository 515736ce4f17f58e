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

describe('the palette finds', () => {
  it.each([
    ['a part of a name and a number, in any order', '07 vel', [['nodes', 'vela-070', 'vela-007']]],
    ['the whole word before its beginning', 'alarms', [['pages', 'alarms']]],
    [
      'a beginning before the middle, in each group and between groups',
      'alarm',
      [
        ['nodes', 'alarming'],
        ['pages', 'alarms', 'alarm rules'],
      ],
    ],
    ['a word of a title before the inside of one', 'ru', [['pages', 'alarm rules']]],
    ['a node by a part of its id', '7f3a', [['nodes', 'vela-007']]],
    ['a node by its tag', 'tag:eu 070', [['nodes', 'vela-070']]],
    ['a setting by another word for it', 'WEBHOOK', [['settings', 'notifications']]],
    ['nothing where one word is nowhere', 'vela nowhere', []],
  ])('%s', (_what, query, found) => {
    expect(titles(query)).toEqual(found)
  })

  it('a page beside thousands of nodes with its name, and says how many more there are', () => {
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

  it('whatever is typed, only what holds each word of it, and never throws', () => {
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

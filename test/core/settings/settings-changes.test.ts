import { describe, expect, it } from 'vitest'
import { changesBetween, parseSettings } from '#settings/documents.ts'
import { ruleKey } from '#settings/effective.ts'
import type { Settings } from '#settings/schema.ts'
import { valueOf } from '#test/support/value-of.ts'

const settings = (input: object): Settings => valueOf(parseSettings({ version: 1, ...input }))
const A = { baseUrl: 'https://a.example', label: 'main' }
const B = { baseUrl: 'https://b.example' }

describe('the changes between two documents', () => {
  it('are none if both are equal', () => {
    const one = settings({ services: [A], nodes: [{ id: '0xA' }], rules: [{ for: 'tag', tag: 'eu' }] })
    expect(changesBetween(one, structuredClone(one))).toEqual([])
    // A node that names no service belongs to the first one.
    expect(changesBetween(one, { ...one, nodes: [{ id: '0xA', service: A.baseUrl, tags: [] }] })).toEqual([])
  })

  it('are listed part by part', () => {
    const before = settings({
      services: [A, B],
      nodes: [{ id: '0xA', name: 'one' }, { id: '0xB' }, { id: '0xC' }],
      rules: [
        { for: 'tag', tag: 'eu', limits: { stakeBelow: '1' } },
        { for: 'service', service: A.baseUrl, units: { stakeSymbol: 'A', stakeDecimals: 2 } },
      ],
    })
    const after = settings({
      services: [{ ...A, pollIntervalMs: 1_000, via: 'direct' }, { baseUrl: 'https://c.example' }],
      nodes: [{ id: '0xa', name: 'two' }, { id: '0xB' }, { id: '0xD' }, {}],
      rules: [
        {
          for: 'service',
          service: A.baseUrl,
          units: { stakeSymbol: 'B', stakeDecimals: 2 },
          limits: { stakeBelow: '7' },
        },
        { for: 'node', service: A.baseUrl, node: '0xB' },
      ],
      display: { theme: 'dark' },
    })
    expect(changesBetween(before, after)).toEqual([
      { kind: 'service', change: 'removed', name: 'https://b.example', fields: [] },
      { kind: 'service', change: 'changed', name: 'main', fields: ['via', 'pollIntervalMs'] },
      { kind: 'service', change: 'added', name: 'https://c.example', fields: [] },
      { kind: 'nodes', added: 2, removed: 1, changed: 1 },
      { kind: 'rule', change: 'removed', scope: { for: 'tag', tag: 'eu' }, fields: [] },
      {
        kind: 'rule',
        change: 'changed',
        scope: { for: 'service', service: A.baseUrl },
        fields: ['stakeSymbol', 'stakeBelow'],
      },
      { kind: 'rule', change: 'added', scope: { for: 'node', service: A.baseUrl, node: '0xB' }, fields: [] },
      { kind: 'display', fields: ['theme'] },
    ])
  })

  it('distinguish nodes with the same id at different services', () => {
    const [atA, atB] = [
      { id: '0xA', service: A.baseUrl },
      { id: '0xA', service: B.baseUrl },
    ]
    const change = changesBetween(
      settings({ services: [A, B], nodes: [atA, atB] }),
      settings({ services: [A, B], nodes: [atA] }),
    )
    expect(change).toEqual([{ kind: 'nodes', added: 0, removed: 1, changed: 0 }])
  })
})

it.each([
  [{ for: 'tag', tag: 'eu' }, 'tag eu'],
  [{ for: 'service', service: 'https://a' }, 'service https://a'],
  [{ for: 'node', service: 'https://a', node: '0XAB' }, 'node https://a 0xab'],
  [{ for: 'node', service: 'https://a' }, 'node https://a '],
] as const)('the scope %j has the key %s', (scope, key) => {
  expect(ruleKey(scope)).toBe(key)
})

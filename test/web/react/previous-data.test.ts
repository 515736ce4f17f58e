import { expect, it } from 'vitest'
import { previousOf } from '#react/reads.ts'

const query = (...queryKey: readonly unknown[]) => ({ queryKey })

it('a query keeps the previous answer for the same node and step', () => {
  expect(previousOf('node-1', 60)('old', query('usual', 'node-1', 60, 1))).toBe('old')
})

it.each([
  ['another node', query('usual', 'node-2', 60, 1)],
  ['another step', query('usual', 'node-1', 900, 1)],
  ['a first query', undefined],
])('a query keeps no previous answer for %s', (_name, before) => {
  expect(previousOf('node-1', 60)('old', before)).toBeUndefined()
})

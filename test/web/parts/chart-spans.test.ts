import { expect, it } from 'vitest'
import { noteMarks } from '#parts/chart-spans.ts'

it('a chart mark has its note’s time, author and shortened text, without hidden characters', () => {
  const note = (id: string, facts: Readonly<Record<string, string>>) =>
    ({ id, wallMs: Number(id), area: 'operator', what: 'note', facts }) as const
  const marks = noteMarks([
    note('1', { note: 'disk was full', by: 'alice' }),
    note('2', { note: `<b>\u202e${'x'.repeat(200)}` }),
  ])
  expect(marks[0]).toEqual({ atMs: 1, label: 'Note: disk was full (alice)', isPinned: true })
  expect(marks[1]?.label).toMatch(/^Note: <b>(?!\u202e)/)
  expect(marks[1]?.label.length).toBeLessThan(120)
})

import { renderHook } from '@testing-library/react'
import { expect, it } from 'vitest'
import { pageCommands, usePageCommands } from '#react/page-commands.ts'

it('a page offers its latest commands until it unmounts', () => {
  const offer = (id: string) => [{ id, label: id, path: '/about' }]
  const page = renderHook(({ id }) => usePageCommands(offer(id)), { initialProps: { id: 'pause' } })
  page.rerender({ id: 'resume' })
  expect(pageCommands().map(({ id }) => id)).toEqual(['resume'])
  page.unmount()
  expect(pageCommands()).toEqual([])
})
